import { dialectNames, openFixture, type Wanted, web } from "../cluster/harness";

/** More clusters than two pages hold. */
const crowd: Wanted[] = Array.from({ length: 5 }, (_, index) => ({
  ...web,
  name: `web-${index}`,
  replicas: 1 + (index % 2),
}));

describe.each(dialectNames)("a service: dialect %s", (dialect) => {
  it("gets clusters that are created, changed and deleted concurrently, with one lost answer", async () => {
    const fixture = await openFixture({ dialect });
    fixture.simulator.fault({ kind: "drop", when: "after", method: "POST", path: "/v1/clusters", after: 2 });
    const made = await fixture.run(Promise.all(crowd.map((wanted) => fixture.cluster.create(fixture.ctx(), wanted))));
    expect(fixture.living()).toHaveLength(crowd.length);
    expect(fixture.countOf("POST /v1/clusters")).toBe(crowd.length);
    for (const [index, wanted] of crowd.entries())
      await fixture.expectReached(made[index] ?? { id: "", state: {} }, wanted);
    const next = crowd.map((wanted) => ({ ...wanted, replicas: 3, env: { MODE: "value-after" } }));
    const work = made.map(({ id, state }, index) =>
      fixture.cluster.update(fixture.ctx(), id, state, next[index] ?? web),
    );
    const states = await fixture.run(Promise.all(work));
    for (const [index, { id }] of made.entries()) fixture.expectRunning(id, next[index] ?? web);
    expect(fixture.unexpectedWarnings()).toEqual([]);
    const removed = made.map(({ id }, index) => fixture.cluster.delete(fixture.ctx(), id, states[index] ?? {}));
    await fixture.run(Promise.all(removed));
    expect(fixture.simulator.clusters().every(({ status }) => status === "gone")).toBe(true);
  });
});
