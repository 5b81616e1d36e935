import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import {
  type Fixture,
  type FixtureOptions,
  type Held,
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

const env = { MODEL: "another" };

/** A settled cluster in a situation. */
async function openIn(fixture: Fixture, situation: string): Promise<Held> {
  const made = await fixture.settle(toRun);
  if (situation === "stopping") await fixture.client.stopCluster(made.id);
  if (situation === "provisioning") return fixture.failingChange(made, { ...toRun, replicas: 4 }, { timeoutMs: 1_000 });
  if (situation === "failed" || situation === "stopped") fixture.simulator.change(made.id, { status: situation });
  return made;
}

describe("a cluster that is to be stopped", () => {
  it.each([
    ["running", [stop]],
    ["provisioning", [stop]],
    ["stopping", []],
    ["stopped", []],
  ])("is stopped by the right calls: %s, %j", async (situation, calls) => {
    const options = { dialect: { busyWhen: "changing" }, provisioningMs: 60_000, deletionMs: 30_000 } as const;
    const fixture = await openFixture(options);
    const at = await fixture.reach(await openIn(fixture, situation), toStop);
    expect(fixture.running(at).status).toBe("stopped");
    expect([...new Set(fixture.writes())]).toEqual(calls);
    expect(at.state).toMatchObject({ desiredStatus: "stopped", readyReplicas: 0 });
    expect(fixture.warnings()).toEqual([]);
  });

  it("is created, stopped at once, and then as requested", async () => {
    const { fixture, made: held } = await openSettled(toStop, { provisioningMs: 600_000 });
    expect(fixture.running(held).status).toBe("stopped");
    await fixture.expectAtGoal(held, toStop);
  });
});

describe("a cluster that is to run", () => {
  it.each<[string, string[]]>([
    ["failed", [redeploy]],
    ["provisioning", [scale]],
    ["stopping", [restart]],
    ["stopped", [restart]],
  ])("comes up by the right calls: %s, %j", async (situation, calls) => {
    const fixture = await openFixture({ deletionMs: 30_000 });
    const held = await openIn(fixture, situation);
    const found = await fixture.refresh(held);
    const at = await fixture.reach({ ...found, state: { ...found.state, settled: false } }, toRun, calls);
    expect(fixture.running(at).status).toBe("running");
  });
});

/** Ways in which a service may treat a stopped cluster. */
const treatments = [
  { startedBy: "restart-or-redeploy", stoppedUpdate: "refused", updateRollsOut: false },
  { startedBy: "redeploy", stoppedUpdate: "starts", updateRollsOut: false },
  { startedBy: "redeploy", stoppedUpdate: "stored", updateRollsOut: false },
  { startedBy: "scale", stoppedUpdate: "refused", updateRollsOut: true },
  { startedBy: "scale", stoppedUpdate: "refused", updateRollsOut: true, updateMethod: "PUT" },
] as const;

describe.each(treatments)("a stopped cluster: %j", (way) => {
  it("starts with a new env, fewer replicas and a trigger without a needless restart", async () => {
    const fixture = await openFixture({ dialect: { ...way, actionAnswer: "empty" } });
    const wanted = { ...toRun, env, replicas: 1, restartTriggers: ["b"] };
    const at = await fixture.reach(await fixture.settleStopped(), wanted);
    expect(fixture.running(at)).toMatchObject({ status: "running", env, restarts: 0 });
    expect(fixture.simulator.cluster(at.id)?.replicas).toBe(1);
    expect(fixture.writes().filter((line) => line === redeploy).length).toBeLessThanOrEqual(2);
    expect(at.state).not.toHaveProperty("__unfinished");
    expect(fixture.warnings()).toEqual([]);
  });

  it("accepts a new env while stopped, keeps it meanwhile, and runs it after its start", async () => {
    const fixture = await openFixture({ dialect: way });
    const wanted = { ...toStop, env };
    const changed = await fixture.reach(await fixture.settleStopped(), wanted);
    expect(fixture.running(changed).status).toBe("stopped");
    const settings = { ...wanted, maxHourlyCost: 100, skipAwait: false };
    const set = await fixture.change(await fixture.refresh(changed), settings);
    expect(fixture.writes()).toEqual([]);
    const at = await fixture.reach(set, { ...settings, desiredStatus: "running" });
    expect(fixture.running(at)).toMatchObject({ status: "running", env });
  });
});

it.each<[string, FixtureOptions, Fault[], string[], number]>([
  ["accepted without an effect", { client: () => ({ restartCluster: async () => undefined }) }, [], [redeploy], 30],
  ["never answered", {}, [{ kind: "drop", path: "**/restart", times: 99 }], [restart, restart, redeploy], 20],
])("a start is followed by the next action if it is %s", async (_title, options, faults, calls, seconds) => {
  const fixture = await openFixture(options);
  const stopped = await fixture.settleStopped();
  for (const fault of faults) fixture.simulator.fault(fault);
  const startMs = fixture.clock.now();
  const at = await fixture.reach(stopped, toRun, calls);
  expect(fixture.running(at)).toMatchObject({ status: "running", restarts: 0 });
  const next = fixture.simulator.requests.find(({ path }) => path.endsWith("/redeploy"));
  expect(Math.floor((Number(next?.at) - startMs) / 2_000)).toBe(seconds / 2);
});

const withTriggers: Properties = { ...toRun, restartTriggers: { v: 1, w: true }, redeployTriggers: ["a", 2] };

/** Inputs as check returns them: without undefined values. */
function withChanges(changes: Properties): Properties {
  return JSON.parse(JSON.stringify({ ...withTriggers, ...changes }));
}

const kept = { generation: 1, restarts: 0 };
const restarted = { generation: 1, restarts: 1 };
const renewed = { generation: 2, restarts: 0 };

/** What changes, the requests for it, and what happens to the replicas. */
const rows: [string, Properties, string[], typeof kept][] = [
  ["another value in the map", { restartTriggers: { v: 2, w: true } }, [restart], restarted],
  ["another order of the list", { redeployTriggers: [2, "a"] }, [redeploy], renewed],
  ["both", { restartTriggers: ["b"], redeployTriggers: ["b"] }, [redeploy], renewed],
  ["another order of the keys", { restartTriggers: { w: true, v: 1 } }, [], kept],
  ["none any more", { restartTriggers: undefined, redeployTriggers: undefined }, [], kept],
  ["one with an env", { restartTriggers: ["b"], env }, [patch], renewed],
  ["one with more replicas", { restartTriggers: ["b"], replicas: 4 }, [restart, scale], restarted],
];

describe("triggers", () => {
  it.each(rows)("restart what they have to: %s", async (_title, changes, calls, goal) => {
    // A restart has to last longer than the pause between two polls to be seen.
    const { fixture, made } = await openSettled(withTriggers, { provisioningMs: 6_000 });
    const at = await fixture.reach(made, withChanges(changes), calls);
    expect(fixture.running(at)).toMatchObject(goal);
    expect(fixture.warnings()).toEqual([]);
  });
});
