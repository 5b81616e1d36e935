import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import {
  type Fixture,
  failureOf,
  type Held,
  noStatus,
  openFixture,
  openSettled,
  patch,
  redeploy,
  restart,
  scale,
  stop,
  toRun,
  toStop,
} from "../harness";
import { checked } from "../inputs";

type Change = (fixture: Fixture, made: Held) => Promise<unknown>;

const env = { MODEL: "another-value" };
const update =
  (news: Properties): Change =>
  (fixture, { id, state }) =>
    fixture.cluster.update(fixture.ctx(), id, state, { ...checked, ...news });
const removalLine = "DELETE /v1/clusters/:id";
const removal: Change = (fixture, { id, state }) => fixture.cluster.delete(fixture.ctx(), id, state);

/** A change, its request, and the cluster after it. */
const changes: [string, Change, string, object][] = [
  ["a deletion", removal, removalLine, { status: "gone" }],
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
  const { fixture, made } = await openSettled(checked);
  fixture.simulator.fault(conflict(line, fault));
  return { fixture, made };
}

describe.each(changes)("a conflict: %s", (_title, change, line, reached) => {
  it("is sent again until it works while the cluster is provisioning", async () => {
    const fixture = await openFixture({ provisioningMs: 300_000 });
    const made = await fixture.failingCreate(checked, { timeoutMs: 10_000 });
    fixture.simulator.fault(conflict(line, { times: 9 }));
    await fixture.run(change(fixture, made));
    expect(fixture.simulator.cluster(made.id)).toMatchObject(reached);
    expect(fixture.countOf(line)).toBe(10);
  });

  it.each<[string, object, number]>([
    ["the status 423", { status: 423, times: 2 }, 3],
    ["the code cluster_busy, although the cluster runs", { code: "cluster_busy", times: 9 }, 10],
  ])("is sent again: %s", async (_kind, fault, count) => {
    const { fixture, made } = await openConflicting(line, fault);
    await fixture.run(change(fixture, made));
    expect(fixture.simulator.cluster(made.id)).toMatchObject(reached);
    expect(fixture.countOf(line)).toBe(count);
  });

  it.each<[string, object]>([
    ["the code ScopeLocked", { code: "ScopeLocked" }],
    ["the status 423 and an administrator", { status: 423, code: "resource_locked", message: "locked by an admin" }],
    ["a protection in words alone", { message: "deletion protection: on" }],
    ["a quota", { code: "quota_exceeded" }],
  ])("is a refusal if no wait ends it: %s", async (_title, fault) => {
    const { fixture, made } = await openConflicting(line, { times: 1_000, ...fault });
    const { end, tookMs } = await fixture.timed(failureOf(change(fixture, made)));
    expect(end.message).toMatch(/not now|locked by an admin|protection: on/);
    expect([fixture.countOf(line), tookMs]).toEqual([1, 0]);
  });

  it.each([423, 409])(
    "fails after a few requests if the service calls an unchanging cluster locked: %i",
    async (status) => {
      const { fixture, made } = await openConflicting(line, { times: 1_000, status, code: "resource_locked" });
      const { end, tookMs } = await fixture.timed(failureOf(change(fixture, made)));
      expect(end.message).toContain("resource_locked");
      expect(fixture.countOf(line)).toBe(5);
      expect(tookMs).toBeLessThan(60_000);
    },
  );
});

it.each<[string, Fault[]]>([
  ["409", []],
  ["404", [{ kind: "status", status: 404, code: "cluster_not_found", method: "DELETE" }]],
])("a deletion that has already begun is waited for, and not sent again: %s", async (_status, faults) => {
  const { fixture, made } = await openSettled(checked, { dialect: { busyWhen: "changing" }, deletionMs: 60_000 });
  await fixture.run(fixture.client.deleteCluster(made.id));
  for (const fault of faults) fixture.simulator.fault(fault);
  await fixture.remove(made);
  expect(fixture.simulator.cluster(made.id)?.status).toBe("gone");
  expect(fixture.countOf(removalLine)).toBe(2);
});

it.each<[string, object, number]>([
  ["once, because the rollout has begun", { when: "after" }, 1],
  ["again, because nothing was done", { times: 2 }, 3],
])("a redeploy that is answered with 409 has its effect once: sent %s", async (_title, fault, count) => {
  const { fixture, made } = await openSettled(checked, { dialect: { updateRollsOut: false } });
  fixture.simulator.fault(conflict(redeploy, fault));
  expect(await fixture.run(update({ env })(fixture, made))).toMatchObject({ env, settled: true });
  expect(fixture.countOf(redeploy)).toBe(count);
  expect(fixture.simulator.cluster(made.id)).toMatchObject({ generation: 2, deployed: { env } });
});

describe("a stop right after a creation", () => {
  /** A service that stops nothing yet, and whose reads do not show the new cluster yet. */
  async function createStopped(hiddenMs: number) {
    const fixture = await openFixture({ faults: [{ kind: "hidden", ms: hiddenMs }] });
    fixture.simulator.fault(conflict(stop, { times: 2, code: "x" }));
    return {
      fixture,
      end: await fixture.run(fixture.cluster.create(fixture.ctx(), toStop).catch((error: unknown) => error)),
    };
  }

  it("is sent again while the service does not show the cluster yet", async () => {
    const { fixture, end } = await createStopped(10_000);
    expect(end).toMatchObject({ state: { settled: true, desiredStatus: "stopped" } });
    expect(fixture.countOf(stop)).toBe(3);
  });

  it("keeps the id if the service does not show the cluster for minutes", async () => {
    const { fixture, end } = await createStopped(3_600_000);
    expect(end).toMatchObject({ id: expect.stringMatching(/^cl_/), state: { settled: false } });
    expect(fixture.living()).toHaveLength(1);
  });
});

it.each<[string, Change, string]>([
  ["an update", update({ env }), patch],
  ["a scale", update({ replicas: 3 }), scale],
])("the Retry-After of a failure is kept before a second request: %s", async (_title, change, line) => {
  const { fixture, made } = await openSettled(checked);
  const failure = { kind: "status", status: 503, message: "maintenance", headers: { "Retry-After": "70" } } as const;
  fixture.simulator.fault(faultAt(line, failure));
  const startMs = fixture.clock.now();
  await fixture.run(change(fixture, made));
  expect(fixture.countOf(line)).toBe(2);
  expect(fixture.clock.now() - startMs).toBeGreaterThan(70_000);
  expect(fixture.messages.join("\n")).toMatch(/status: waiting 1m10s: .*maintenance \(fault_503, HTTP 503\)/);
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
    const fixture = await openFixture({
      dialect: { startedBy: line === scale ? "scale" : "restart-or-redeploy" },
      deletionMs: 20_000,
    });
    const held = before === toStop ? await fixture.settleStopped() : await fixture.settle(before);
    fixture.simulator.fault(faultAt(line, fault));
    const at = await fixture.reach(held, wanted);
    expect(fixture.running(at)).toMatchObject({ restarts: 0, ...goal });
    expect(fixture.countOf(line)).toBe(isDone ? 1 : 2);
  });

  it.each([
    ["restart", { restartTriggers: ["b"] }, 1, 1],
    ["redeploy", { redeployTriggers: ["b"] }, 2, 0],
  ])(
    "leads to one restart by a trigger, in this update or the next: %s",
    async (action, trigger, generation, restarts) => {
      for (const faults of [[], [noStatus]]) {
        const fixture = await openFixture({ dialect: { actionAnswer: "cluster" }, faults, provisioningMs: 20_000 });
        const wanted: Properties = { ...toRun, ...trigger };
        const made = await fixture.settle(toRun);
        fixture.simulator.fault({ ...fault, path: `**/${action}` });
        const at = await fixture.reach(isDone ? made : await fixture.failingChange(made, wanted), wanted);
        expect(fixture.writes()).toHaveLength(1);
        expect(fixture.running(at)).toMatchObject({ status: "running", generation, restarts });
      }
    },
  );
});
