import { closeAll, countOf, failureOf, living } from "../cluster/harness";
import { create, expectReached, expectRunning, names, open, update, type Wanted, warnings, web } from "./harness";

afterEach(closeAll);

/** More clusters than two pages hold. */
const crowd: Wanted[] = Array.from({ length: 5 }, (_, index) => ({
  ...web,
  name: `web-${index}`,
  replicas: 1 + (index % 2),
}));

describe.each(names)("a service with the dialect %s", (name) => {
  it("gets exactly one cluster from a creation whose answer is lost, in this run or the next", async () => {
    for (const when of ["before", "after"] as const) {
      const bench = await open(name);
      for (let index = 0; index < 5; index += 1)
        bench.simulator.addCluster({ name: `foreign-${index}`, gpuType: "l4" });
      bench.simulator.fault({ kind: "html", status: 502, when, method: "POST", path: "/v1/clusters" });
      if (when === "before") {
        const { message } = await bench.run(failureOf(bench.cluster.create(bench.ctx(), web)));
        expect(message).toContain('"web" may have been created');
        expect(living(bench.simulator)).toHaveLength(5);
        await bench.run(bench.as("seen").create(bench.ctx(), web));
      } else await create(bench);
      expect(living(bench.simulator)).toHaveLength(6);
    }
  });

  it("gets clusters that are created, changed and deleted concurrently, with one lost answer", async () => {
    const bench = await open(name);
    bench.simulator.fault({ kind: "drop", when: "after", method: "POST", path: "/v1/clusters", after: 2 });
    const made = await bench.run(Promise.all(crowd.map((wanted) => bench.cluster.create(bench.ctx(), wanted))));
    expect(living(bench.simulator)).toHaveLength(crowd.length);
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(crowd.length);
    for (const [index, wanted] of crowd.entries())
      await expectReached(bench, made[index] ?? { id: "", state: {} }, wanted);
    const next = crowd.map((wanted) => ({ ...wanted, replicas: 3, env: { MODE: "value-after" } }));
    const work = made.map(({ id, state }, index) => bench.cluster.update(bench.ctx(), id, state, next[index] ?? web));
    const states = await bench.run(Promise.all(work));
    for (const [index, { id }] of made.entries()) expectRunning(bench, id, next[index] ?? web);
    expect(warnings(bench)).toEqual([]);
    const removed = made.map(({ id }, index) => bench.cluster.delete(bench.ctx(), id, states[index] ?? {}));
    await bench.run(Promise.all(removed));
    expect(bench.simulator.clusters().every(({ status }) => status === "gone")).toBe(true);
  });
});

it("a rate limit is respected even if another program uses it up", async () => {
  const bench = await open("plain", { rateLimit: 8, rateWindowMs: 20_000, provisioningMs: 120_000 });
  const headers = { authorization: `Bearer ${bench.simulator.apiKey}` };
  const useUp = async () => {
    for (let count = 0; count < 9; count += 1) await fetch(`${bench.simulator.url}/health`, { headers });
  };
  await useUp();
  const held = await create(bench);
  await useUp();
  const wanted = { ...web, replicas: 3, env: { MODEL: "another-model" } };
  await update(bench, held, wanted);
  await useUp();
  await bench.run(bench.cluster.delete(bench.ctx(), held.id, held.state));
  expect(bench.simulator.cluster(held.id)?.status).toBe("gone");
  const refused = bench.simulator.requests.filter(({ path, status }) => path !== "/health" && status === 429);
  expect(refused.length).toBeLessThanOrEqual(6);
});
