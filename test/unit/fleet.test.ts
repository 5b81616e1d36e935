import fc from "fast-check";
import { membersOf, problemOfWaves, wavesOf } from "../../provider/fleet";

const sizesOf = (count: number, waves: readonly (number | string)[]) =>
  wavesOf(Array.from({ length: count }), waves).map(({ length }) => length);

describe("the waves of a fleet", () => {
  it.each<[string, number, (number | string)[], number[]]>([
    ["a count, a share and all", 8, [1, "25%", "100%"], [1, 1, 6]],
    ["a share that is rounded up", 10, ["1%", "25%", "100%"], [1, 2, 7]],
    ["members beyond the last entry: one more wave", 12, [1, 10], [1, 9, 2]],
    ["an entry that adds nothing: no wave", 3, [1, "25%", "100%"], [1, 2]],
    ["a share below the count before it: no wave", 10, [5, "10%", "60%"], [5, 1, 4]],
    ["a count above the size: all", 3, [2, 50, "100%"], [2, 1]],
    ["no entries: one wave", 3, [], [3]],
    ["no members: no wave", 0, [1, "100%"], []],
  ])("%s", (_what, count, waves, sizes) => {
    expect(sizesOf(count, waves)).toEqual(sizes);
  });

  const shares = fc.uniqueArray(fc.integer({ min: 1, max: 100 })).map((list) => list.sort((a, b) => a - b));
  const counts = fc.uniqueArray(fc.integer({ min: 1, max: 60 })).map((list) => list.sort((a, b) => a - b));
  /** Growing counts and growing shares, in any mixture. */
  const entries = fc.tuple(counts, shares, fc.infiniteStream(fc.boolean())).map(([whole, parts, turns]) => {
    const [left, right] = [[...whole], parts.map((part) => `${part}%`)];
    const mixed: (number | string)[] = [];
    for (const isCount of turns) {
      const next = (isCount ? left.shift() : right.shift()) ?? left.shift() ?? right.shift();
      if (next === undefined) return mixed;
      mixed.push(next);
    }
    return mixed;
  });

  it("hold every member once, in order, in waves that are never empty", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 50 }), entries, (members, waves) => {
        const made = wavesOf(members, waves);
        expect(problemOfWaves(waves)).toBeUndefined();
        expect(made.flat()).toEqual(members);
        for (const wave of made) expect(wave).not.toEqual([]);
      }),
    );
  });

  it("reach at least each entry, rounded up, and no wave goes beyond the entry that ends it", () => {
    fc.assert(
      fc.property(fc.nat(50), entries, (count, waves) => {
        const wanted = waves.map((entry) =>
          typeof entry === "number" ? entry : Math.ceil((count * Number.parseInt(entry, 10)) / 100),
        );
        const ends = new Set([...wanted.map((end) => Math.min(end, count)), count]);
        let reached = 0;
        for (const size of sizesOf(count, waves)) {
          reached += size;
          expect(ends.has(reached)).toBe(true);
        }
        // Nothing but the end of another entry lies between: the first wave is never larger than the first entry.
        if (count > 0) expect(sizesOf(count, waves)[0]).toBe(Math.min(wanted[0] ?? count, count));
      }),
    );
  });
});

describe("the order of the keys of a fleet", () => {
  const orderOf = (keys: readonly string[], isOrdered?: boolean) =>
    membersOf({ clusters: Object.fromEntries(keys.map((key) => [key, {}])) }, isOrdered).map(([key]) => key);

  it.each<[string, string[], string[], string[]]>([
    ["names", ["us", "ap", "eu"], ["us", "ap", "eu"], ["ap", "eu", "us"]],
    ["numbers, by their value", ["10", "9", "100"], ["9", "10", "100"], ["9", "10", "100"]],
    ["numbers before names", ["us", "10", "eu", "9"], ["9", "10", "us", "eu"], ["9", "10", "eu", "us"]],
    [
      "numbers of any length",
      ["90000000000", "100000000000"],
      ["90000000000", "100000000000"],
      ["90000000000", "100000000000"],
    ],
    ["names with digits", ["b-10", "b-9", "01"], ["b-10", "b-9", "01"], ["01", "b-10", "b-9"]],
  ])("%s: as the program has them, and without an order", (_what, keys, ordered, unordered) => {
    expect(orderOf(keys)).toEqual(ordered);
    expect(orderOf(keys, false)).toEqual(unordered);
  });

  it("is the same for each order in which the engine passes them on", () => {
    const key = fc.oneof(
      fc.nat().map(String),
      fc.string().filter((text) => text !== "__proto__"),
    );
    const shuffled = fc
      .uniqueArray(key, { maxLength: 20 })
      .chain((keys) => fc.tuple(fc.constant(keys), fc.shuffledSubarray(keys, { minLength: keys.length })));
    fc.assert(
      fc.property(shuffled, ([keys, others]) => {
        expect(orderOf(others, false)).toEqual(orderOf(keys, false));
        expect(orderOf(keys).sort()).toEqual([...keys].sort());
      }),
    );
  });
});

describe("waves of which no fleet can be made", () => {
  it.each<[string, unknown, string]>([
    ["no list", "25%", "`waves` must be a list, known when the program runs"],
    ["a list that comes later", Promise.resolve([1]), "`waves` must be a list, known when the program runs"],
    ["zero", [0, "100%"], '`waves[0]` must be a whole number from 1, or a share from "1%" to "100%"'],
    ["half a cluster", [1, 1.5], '`waves[1]` must be a whole number from 1, or a share from "1%" to "100%"'],
    ["a share above all", [1, "101%"], '`waves[1]` must be a whole number from 1, or a share from "1%" to "100%"'],
    ["a share without its sign", ["25"], '`waves[0]` must be a whole number from 1, or a share from "1%" to "100%"'],
    ["the same count twice", [1, 1], "`waves` must grow: each entry counts the clusters of the waves before it too"],
    [
      "shares that fall",
      ["50%", 20, "25%"],
      "`waves` must grow: each entry counts the clusters of the waves before it too",
    ],
  ])("%s", (_what, waves, problem) => {
    expect(problemOfWaves(waves)).toBe(problem);
  });

  it("none are given: that is no problem", () => {
    expect(problemOfWaves(undefined)).toBeUndefined();
  });
});
