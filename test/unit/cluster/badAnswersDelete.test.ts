import { refusals, telling, unreadable, withoutId } from "./badAnswers";
import { closeSpoiled, expectAllClean, type SpoiledBench, settled } from "./badAnswersHarness";
import { failureOf } from "./harness";

afterEach(closeSpoiled);

type Made = Awaited<ReturnType<typeof settled>>["made"];

const remove = (bench: SpoiledBench, { id, state }: Made, overrides = {}) =>
  bench.cluster.delete(bench.ctx(overrides), id, state);

/** What the simulator itself says of the cluster. */
const wordOf = (bench: SpoiledBench, { id }: Made) => bench.simulator.cluster(id)?.status;

describe("a deletion that is answered with", () => {
  it.each([...unreadable, ...withoutId])("%s goes on until the cluster is gone", async (_title, spoil) => {
    const { bench, made } = await settled({ deletionMs: 1_000 });
    bench.spoil("delete", spoil, { times: 1 });
    await bench.run(remove(bench, made));
    expect(wordOf(bench, made)).toBe("gone");
    expectAllClean(bench);
  });

  it.each([...telling, ...refusals])("%s, and was not done, never counts", async (_title, spoil) => {
    const { bench, made } = await settled();
    bench.spoil("delete", spoil, { effect: false });
    const error = await bench.run(failureOf(remove(bench, made, { timeoutMs: 4_000 })));
    expect(error.message).toMatch(new RegExp(`^cluster "web" \\(${made.id}\\) was not deleted: `));
    expect(bench.said).not.toContain("status: deleted");
    expect(wordOf(bench, made)).toBe("running");
    expectAllClean(bench, error);
  });
});

describe("a wait for a deletion, in which", () => {
  it.each([...telling, ...refusals.filter(([title]) => !/^a 40[13]/.test(title))])(
    "three looks are %s, ends when the cluster is gone",
    async (_title, spoil) => {
      const { bench, made } = await settled({ deletionMs: 4_000 });
      bench.spoil("get", spoil, { times: 3 });
      await bench.run(remove(bench, made));
      expect(wordOf(bench, made)).toBe("gone");
      expectAllClean(bench);
    },
  );

  it.each([...telling, ...refusals])("every look is %s, is no success", async (_title, spoil) => {
    const { bench, made } = await settled({ deletionMs: 24 * 3_600_000 });
    bench.spoil("get", spoil);
    const error = await bench.run(failureOf(remove(bench, made, { timeoutMs: 4_000 })));
    expect(error.message).toMatch(/was not deleted: /);
    expect(bench.said).not.toContain("status: deleted");
    expectAllClean(bench, error);
  });
});
