import { countOf, dialectNames, living, openFixture, type Wanted, web } from "../cluster/harness";

/** More clusters than two pages hold. */
const crowd: Wanted[] = Array.from({ length: 5 }, (_, index) => ({
  ...web,
  name: `web-${index}`,
  replicas: 1 + (index % 2),
}));

describe.each(dialectNames)("a service: dialect %s", (dialect) => {
  it("gets clusters that are created, changed and deleted concurrently, with one lost answer", async () => {
    const bench = await openFixture({ dialect });
    bench.simulator.fault({ kind: "drop", when: "after", method: "POST", path: "/v1/clusters", after: 2 });
    const made = await bench.run(Promise.all(crowd.map((wanted) => bench.cluster.create(bench.ctx(), wanted))));
    expect(living(bench.simulator)).toHaveLength(crowd.length);
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(crowd.length);
    for (const [index, wanted] of crowd.entries())
      await bench.expectReached(made[index] ?? { id: "", state: {} }, wanted);
    const next = crowd.map((wanted) => ({ ...wanted, replicas: 3, env: { MODE: "value-after" } }));
    const work = made.map(({ id, state }, index) => bench.cluster.update(bench.ctx(), id, state, next[index] ?? web));
    const states = await bench.run(Promise.all(work));
    for (const [index, { id }] of made.entries()) bench.expectRunning(id, next[index] ?? web);
    expect(bench.unexpectedWarnings()).toEqual([]);
    const removed = made.map(({ id }, index) => bench.cluster.delete(bench.ctx(), id, states[index] ?? {}));
    await bench.run(Promise.all(removed));
    expect(bench.simulator.clusters().every(({ status }) => status === "gone")).toBe(true);
  });
});
