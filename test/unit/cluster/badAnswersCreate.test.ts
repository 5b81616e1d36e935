import { InitError, type Properties } from "../../../provider/core";
import { type BadAnswer, oddRecords, refusals, telling, unnamed, unreadable, withoutId } from "./badAnswers";
import { closeSpoiled, expectAllClean, openSpoiled, type SpoiledBench } from "./badAnswersHarness";
import { countOf, failureOf, initErrorOf, living } from "./harness";
import { checked } from "./inputs";

afterEach(closeSpoiled);

const post = "POST /v1/clusters";
const create = (bench: SpoiledBench, overrides = {}, inputs: Properties = checked) =>
  bench.cluster.create(bench.ctx(overrides), inputs);

/** The ids of what somebody pays for. */
const idsOf = (bench: SpoiledBench) => living(bench.simulator).map(({ id }) => id);

describe("a creation that is answered with", () => {
  it.each([...unreadable, ...withoutId, ...unnamed])("%s finds its one cluster in the list", async (_title, spoil) => {
    const bench = await openSpoiled();
    bench.spoil("create", spoil);
    const { id, state } = await bench.run(create(bench));
    expect(idsOf(bench)).toEqual([id]);
    expect(state).toMatchObject({ ...checked, settled: true });
    expect(countOf(bench.simulator, post)).toBe(1);
    expectAllClean(bench);
  });

  it.each(oddRecords)("%s is a creation all the same", async (_title, spoil) => {
    const bench = await openSpoiled();
    bench.spoil("create", spoil);
    const { id, state } = await bench.run(create(bench));
    expect(idsOf(bench)).toEqual([id]);
    expect(state).toMatchObject({ ...checked, settled: true });
    expect(countOf(bench.simulator, post)).toBe(1);
  });

  it.each(telling)("%s, and the lists after it too, names what may exist", async (_title, spoil) => {
    const bench = await openSpoiled();
    bench.spoil("create", spoil);
    bench.spoil("list", spoil, { after: 1 });
    const error = await bench.run(failureOf(create(bench)));
    expect(error.message).toMatch(
      /^cluster "web" may have been created, but its id is not known: .*check the service for the name/,
    );
    expect(idsOf(bench)).toHaveLength(1);
    expect(countOf(bench.simulator, post)).toBe(1);
    expectAllClean(bench, error);
  });

  it.each(telling)("%s, and made nothing, is sent once more and no more", async (_title, spoil) => {
    const bench = await openSpoiled();
    bench.spoil("create", spoil, { effect: false, times: 1 });
    const { id } = await bench.run(create(bench));
    expect(idsOf(bench)).toEqual([id]);
    expect(countOf(bench.simulator, post)).toBe(1);
  });
});

/** Lists with the new cluster in them, and with what is odd about them. */
const oddLists: [string, (clusters: Record<string, unknown>[]) => unknown][] = [
  ["null beside it", (clusters) => [null, ...clusters, null]],
  ["numbers for other ids", (clusters) => [{ id: 5, name: "web" }, ...clusters]],
  ["ids of others that leave their place", (clusters) => [{ id: "../x", name: "web" }, ...clusters]],
  ["itself twice", (clusters) => [...clusters, ...clusters]],
  ["no name", (clusters) => clusters.map(({ name: _name, ...rest }) => rest)],
  ["a list for its name", (clusters) => clusters.map((record) => ({ ...record, name: ["web"] }))],
  ["its name in capitals", (clusters) => clusters.map((record) => ({ ...record, name: "WEB" }))],
  ["its name in an escape sequence", (clusters) => clusters.map((record) => ({ ...record, name: "\u001b[1mweb" }))],
  ["a number for its GPU type", (clusters) => clusters.map((record) => ({ ...record, gpu_type: 100 }))],
  ["words for its time", (clusters) => clusters.map((record) => ({ ...record, created_at: "yesterday\r\n" }))],
  ["a number for its time", (clusters) => clusters.map((record) => ({ ...record, created_at: 0 }))],
  ["no id", (clusters) => clusters.map(({ id: _id, ...rest }) => rest)],
  [
    "10 000 others",
    (clusters) => [...Array.from({ length: 10_000 }, (_, id) => ({ id: `cl_x${id}`, name: "x" })), ...clusters],
  ],
];

describe("a lost answer to a creation, after which the list shows", () => {
  it.each(oddLists)("%s, finds the cluster or names it, and sends nothing more", async (_title, change) => {
    const bench = await openSpoiled({ dialect: { listShape: "bare" } });
    bench.spoil("create", () => ({ body: "" }));
    bench.spoil("list", ({ text }) => ({ body: JSON.stringify(change(JSON.parse(text))) }), { after: 1 });
    const answer = await bench.run(create(bench).catch((error: unknown) => error));
    const [id] = idsOf(bench);
    if (answer instanceof Error) expect(answer.message).toContain('cluster "web" may have been created');
    else expect(answer).toMatchObject({ id });
    expect(idsOf(bench)).toHaveLength(1);
    expect(countOf(bench.simulator, post)).toBe(1);
    expectAllClean(bench, ...(answer instanceof Error ? [answer] : []));
  });
});

describe("a creation before which the list is", () => {
  // These are lists, with something in them that cannot be read, or a map that may be empty.
  const lists = ["a list in a list", "a list of null", "an error in a list", "an empty object"];
  const isList = ([title]: BadAnswer) => lists.includes(title);

  it.each(telling.filter((row) => !isList(row)))("%s buys nothing, and says why", async (_title, spoil) => {
    const bench = await openSpoiled();
    bench.spoil("list", spoil);
    const error = await bench.run(failureOf(create(bench)));
    expect(error.message).toContain("GET /v1/clusters");
    expect(countOf(bench.simulator, post)).toBe(0);
    expectAllClean(bench, error);
  });

  it.each([...unreadable.filter(isList)])("%s makes one cluster", async (_title, spoil) => {
    const bench = await openSpoiled();
    bench.spoil("list", spoil);
    const { id } = await bench.run(create(bench));
    expect(idsOf(bench)).toEqual([id]);
  });

  it.each([...unreadable.filter(isList)])("%s sends no second request after a lost answer", async (_title, spoil) => {
    const bench = await openSpoiled();
    bench.spoil("list", spoil);
    bench.spoil("create", () => ({ body: "" }));
    const error = await bench.run(failureOf(create(bench)));
    expect(error.message).toContain('cluster "web" may have been created');
    expect(countOf(bench.simulator, post)).toBe(1);
    expectAllClean(bench, error);
  });
});

describe("a creation that is refused by", () => {
  it.each(refusals)("%s is one clear line, and never a second cluster", async (_title, spoil) => {
    const bench = await openSpoiled();
    bench.spoil("create", spoil, { effect: false });
    const error = await bench.run(failureOf(create(bench)));
    expect(error).not.toBeInstanceOf(InitError);
    expect(error.message).toContain('cluster "web"');
    expect(idsOf(bench)).toEqual([]);
    expectAllClean(bench, error);
  });

  it.each(refusals.filter(([title]) => /^a 5(?!01)/.test(title)))(
    "%s after it was done finds its cluster",
    async (_title, spoil) => {
      const bench = await openSpoiled();
      bench.spoil("create", spoil);
      const { id } = await bench.run(create(bench));
      expect(idsOf(bench)).toEqual([id]);
      expect(countOf(bench.simulator, post)).toBe(1);
      expectAllClean(bench);
    },
  );
});

describe("a wait after a creation, in which three looks are", () => {
  it.each([...unreadable, ...withoutId, ...unnamed, ...refusals.filter(([title]) => !/^a 40[13]/.test(title))])(
    "%s, goes on and ends ready",
    async (_title, spoil) => {
      const bench = await openSpoiled({ provisioningMs: 4_000 });
      bench.spoil("get", spoil, { times: 3 });
      const { id, state } = await bench.run(create(bench));
      expect(idsOf(bench)).toEqual([id]);
      expect(state).toMatchObject({ ...checked, settled: true, readyReplicas: 2 });
      expectAllClean(bench);
    },
  );

  it.each(telling)("%s in place of the replicas' health, goes on and ends ready", async (_title, spoil) => {
    const bench = await openSpoiled({ provisioningMs: 4_000 });
    bench.spoil("status", spoil, { times: 3 });
    const { id, state } = await bench.run(create(bench));
    expect(idsOf(bench)).toEqual([id]);
    expect(state).toMatchObject({ ...checked, settled: true, readyReplicas: 2 });
    expectAllClean(bench);
  });
});

describe("a wait after a creation, in which every look is", () => {
  it.each([...telling, ...refusals])("%s, keeps the id", async (_title, spoil) => {
    const bench = await openSpoiled();
    bench.spoil("get", spoil);
    const error = await bench.run(initErrorOf(create(bench, { timeoutMs: 4_000 })));
    expect(idsOf(bench)).toEqual([error.id]);
    expect(error.state).toMatchObject({ ...checked, settled: false });
    expect(error.reasons).toHaveLength(1);
    expect(countOf(bench.simulator, post)).toBe(1);
    expectAllClean(bench, error);
  });
});
