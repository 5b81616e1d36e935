import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import {
  countOf,
  type Fixture,
  failureOf,
  type Held,
  initErrorOf,
  noStatus,
  openFixture,
  openSettled,
  patch,
  redeploy,
  restart,
  scale,
  settle,
  stop,
  toRun,
  toStop,
  writes,
} from "../harness";
import { checked } from "../inputs";

type Change = (bench: Fixture, made: Held) => Promise<unknown>;

const env = { MODEL: "another-value" };
const update =
  (news: Properties): Change =>
  (bench, { id, state }) =>
    bench.cluster.update(bench.ctx(), id, state, { ...checked, ...news });
const removal: Change = (bench, { id, state }) => bench.cluster.delete(bench.ctx(), id, state);

/** A change, its request, and the cluster after it. */
const changes: [string, Change, string, object][] = [
  ["a deletion", removal, "DELETE /v1/clusters/:id", { status: "gone" }],
  ["an update", update({ env }), patch, { status: "running", deployed: { env } }],
];

/** A fault of the request in a line. */
const faultAt = (line: string, fault: Fault): Fault => {
  const [method = "", path = ""] = line.split(" ");
  return { method, path: path.replace(":id", "*"), ...fault };
};
const conflict = (line: string, fault: object) =>
  faultAt(line, { kind: "status", status: 409, message: "not now", ...fault });

/** A settled cluster, the next requests to which are conflicts. */
async function openConflicting(line: string, fault: object) {
  const { bench, made } = await openSettled(checked);
  bench.simulator.fault(conflict(line, fault));
  const startMs = bench.clock.now();
  return { bench, made, tookMs: () => bench.clock.now() - startMs };
}

describe.each(changes)("a conflict: %s", (_title, change, line, reached) => {
  it("is sent again until it works while the cluster is provisioning", async () => {
    const bench = await openFixture({ dialect: { busyWhen: "changing" }, provisioningMs: 300_000 });
    const made = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 10_000 }), checked)));
    await bench.run(change(bench, made));
    expect(bench.simulator.cluster(made.id)).toMatchObject(reached);
    expect(countOf(bench.simulator, line)).toBeGreaterThan(5);
  });

  it.each<[string, object, number]>([
    ["the status 423", { status: 423, times: 2 }, 3],
    ["the code cluster_busy, although the cluster runs", { code: "cluster_busy", times: 9 }, 10],
  ])("is sent again: %s", async (_kind, fault, count) => {
    const { bench, made } = await openConflicting(line, fault);
    await bench.run(change(bench, made));
    expect(bench.simulator.cluster(made.id)).toMatchObject(reached);
    expect(countOf(bench.simulator, line)).toBe(count);
  });

  it("fails after a few requests with the service's message if it never ends", async () => {
    const { bench, made, tookMs } = await openConflicting(line, { times: 1_000 });
    const error = await bench.run(failureOf(change(bench, made)));
    expect(error.message).toContain("not now");
    expect(countOf(bench.simulator, line)).toBe(5);
    expect(tookMs()).toBeLessThan(60_000);
  });
});

it("a deletion that has already begun is waited for, and not sent again", async () => {
  const { bench, made } = await openSettled(checked, { dialect: { busyWhen: "changing" }, deletionMs: 60_000 });
  await bench.run(bench.client.deleteCluster(made.id));
  await bench.remove(made);
  expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
  expect(countOf(bench.simulator, "DELETE /v1/clusters/:id")).toBe(2);
});

it.each<[string, object, number]>([
  ["once, because the rollout has begun", { when: "after" }, 1],
  ["again, because nothing was done", { times: 2 }, 3],
])("a redeploy that is answered with 409 has its effect once: sent %s", async (_title, fault, count) => {
  const { bench, made } = await openSettled(checked, { dialect: { updateRollsOut: false } });
  bench.simulator.fault(conflict(redeploy, fault));
  expect(await bench.run(update({ env })(bench, made))).toMatchObject({ env, settled: true });
  expect(countOf(bench.simulator, redeploy)).toBe(count);
  expect(bench.simulator.cluster(made.id)).toMatchObject({ generation: 2, deployed: { env } });
});

/** Ways to lose an answer, by whether the service acted before. */
const losses: [string, boolean, Fault][] = [
  ["before the effect", false, { kind: "drop" }],
  ["after the effect", true, { kind: "drop", when: "after" }],
];

describe.each(losses)("a lost answer: %s", (_title, isDone, fault) => {
  it.each<[string, Properties, Properties, string, object]>([
    ["an update", toRun, { ...toRun, env }, patch, { generation: 2, env }],
    ["a scale", toRun, { ...toRun, replicas: 4 }, scale, { generation: 1 }],
    ["a stop", toRun, toStop, stop, { status: "stopped" }],
    ["a start by a restart", toStop, toRun, restart, { status: "running" }],
    ["a start by a scale", toStop, toRun, scale, { status: "running" }],
  ])("leads to a second request only if the first had no effect: %s", async (_what, before, wanted, line, goal) => {
    const bench = await openFixture({
      dialect: { startedBy: line === scale ? "scale" : "restart-or-redeploy" },
      deletionMs: 20_000,
    });
    const held = before === toStop ? await bench.settleStopped() : await settle(bench, before);
    bench.simulator.fault(faultAt(line, fault));
    const at = await bench.reach(held, wanted);
    expect(bench.running(at)).toMatchObject({ restarts: 0, ...goal });
    expect(countOf(bench.simulator, line)).toBe(isDone ? 1 : 2);
  });

  it.each([
    ["restart", { restartTriggers: ["b"] }, 1, 1],
    ["redeploy", { redeployTriggers: ["b"] }, 2, 0],
  ])(
    "leads to one restart by a trigger, in this update or the next: %s",
    async (action, trigger, generation, restarts) => {
      for (const faults of [[], [noStatus]]) {
        const bench = await openFixture({ dialect: { actionAnswer: "cluster" }, faults, provisioningMs: 20_000 });
        const wanted: Properties = { ...toRun, ...trigger };
        const made = await settle(bench, toRun);
        bench.simulator.fault({ ...fault, path: `**/${action}` });
        const at = await bench.reach(isDone ? made : await bench.failingChange(made, wanted), wanted);
        expect(writes(bench.simulator)).toHaveLength(1);
        expect(bench.running(at)).toMatchObject({ status: "running", generation, restarts });
      }
    },
  );
});
