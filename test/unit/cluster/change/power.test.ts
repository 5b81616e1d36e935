import type { Properties } from "../../../../provider/contract";
import type { ClusterChanges } from "../../../../simulator";
import { type Bench, closeAll, openBench, openSettled, rewriting, settle, writes } from "../harness";
import * as power from "../powerHarness";

const { asked, atRest, change, expectAtGoal, failingChange, reach, refresh, running, settleStopped, toDo } = power;
const { patch, redeploy, restart, scale, stop, warnings } = power;
type Held = power.Held;

afterEach(closeAll);

const env = { MODEL: "another" };

const situations: Readonly<Record<string, ClusterChanges>> = {
  failed: { status: "failed", message: "node lost" },
  "half sick": { sickReplica: { replica: 1, message: "no driver" } },
  stopped: { status: "stopped" },
};

/** A settled cluster that has come into a situation. */
async function come(bench: Bench, situation: string): Promise<Held> {
  const made = await settle(bench, asked);
  if (situation === "stopping") await bench.client.stopCluster(made.id);
  if (situation === "provisioning") return failingChange(bench, made, { ...asked, replicas: 4 }, { timeoutMs: 1_000 });
  bench.simulator.change(made.id, situations[situation] ?? {});
  return made;
}

describe("a cluster that shall be stopped", () => {
  it.each([
    ["running", [stop]],
    ["failed", [stop]],
    ["half sick", [stop]],
    ["provisioning", [stop]],
    ["stopping", []],
    ["stopped", []],
  ])("and is %s is stopped by the calls %j, and waited for", async (situation, calls) => {
    for (const busyWhen of ["never", "changing"] as const) {
      const bench = await openBench({ dialect: { busyWhen }, provisioningMs: 60_000, deletionMs: 30_000 });
      const at = await change(bench, await come(bench, situation), atRest);
      expect(running(bench, at).status).toBe("stopped");
      expect([...new Set(writes(bench.simulator))]).toEqual(calls);
      expect(at.state).toMatchObject({ desiredStatus: "stopped", readyReplicas: 0 });
      await expectAtGoal(bench, at, atRest);
      expect(warnings(bench)).toEqual([]);
    }
  });

  it("is stopped after 409 without a telling code, for as long as it is changing", async () => {
    const bench = await openBench({ provisioningMs: 60_000 });
    const held = await come(bench, "provisioning");
    bench.simulator.fault({ kind: "status", status: 409, path: "**/stop", times: 6 });
    const at = await change(bench, held, atRest);
    expect(writes(bench.simulator)).toEqual(Array(7).fill(stop));
    expect(running(bench, at).status).toBe("stopped");
  });

  it("is no error where the service refuses to stop what somebody stops at that very moment", async () => {
    const bench = await openBench({
      client: (real) => ({
        stopCluster: async (id, ...rest) => {
          bench.simulator.change(id, { status: "stopped" });
          bench.simulator.fault({ kind: "status", status: 400, message: "already stopped", path: "**/stop" });
          return real.stopCluster(id, ...rest);
        },
      }),
    });
    await reach(bench, await settle(bench, asked), atRest);
  });

  it("is created and stopped at once, and has nothing to do afterwards", async () => {
    const { bench, made: held } = await openSettled(atRest, { provisioningMs: 600_000 });
    expect(running(bench, held).status).toBe("stopped");
    await expectAtGoal(bench, held, atRest);
  });

  it("gets no scale; its replicas are applied at its start", async () => {
    const bench = await openBench();
    const stopped = await settleStopped(bench);
    const scaled = await reach(bench, stopped, { ...atRest, replicas: 4 }, []);
    const { state } = await change(bench, scaled, { ...asked, replicas: 4 });
    expect(writes(bench.simulator)).toEqual([restart, scale]);
    expect(state).toMatchObject({ replicas: 4, readyReplicas: 4, status: "running" });
  });

  it("and started by somebody is drift of desiredStatus, and is stopped again", async () => {
    const bench = await openBench();
    const stopped = await settleStopped(bench);
    bench.simulator.change(stopped.id, { status: "running" });
    const found = await refresh(bench, stopped);
    expect(toDo(bench, found, atRest)).toContain("desiredStatus");
    await reach(bench, found, atRest, [stop]);
  });

  it("cannot be stopped where somebody deletes it: that is said, and the entry is kept", async () => {
    const { bench, made } = await openSettled(asked, { deletionMs: 600_000 });
    const deletes = bench.clock.sleep(3_000).then(() => bench.client.deleteCluster(made.id));
    const [{ state, text }] = [await failingChange(bench, made, atRest), await bench.run(deletes)];
    expect(text).toMatch(/was not changed completely: it is terminating: someone else is deleting it\n/);
    expect(state).toMatchObject({ settled: false });
  });
});

describe("a cluster that shall run", () => {
  it.each<[string, string[]]>([
    ["running", []],
    ["failed", [patch, redeploy]],
    ["half sick", []],
    ["provisioning", [scale]],
    ["stopping", [restart]],
    ["stopped", [restart]],
  ])("and is %s comes up by the calls %j", async (situation, calls) => {
    const bench = await openBench({ deletionMs: 30_000 });
    const held = await come(bench, situation);
    const found = await refresh(bench, held);
    if (situation === "half sick") bench.simulator.change(held.id, { sickReplica: undefined });
    const at = await reach(bench, { ...found, state: { ...found.state, settled: false } }, asked, calls);
    expect(running(bench, at).status).toBe("running");
  });

  it("and was stopped by somebody is drift of desiredStatus after a refresh, and is started again", async () => {
    const bench = await openBench();
    const found = await refresh(bench, await come(bench, "stopped"));
    expect(toDo(bench, found, asked)).toEqual(["desiredStatus"]);
    expect(found.state).toMatchObject({ desiredStatus: "stopped", readyReplicas: 0 });
    await reach(bench, found, asked);
  });

  it.each([
    ["stop", true],
    ["a failure", true],
    ["a failure", false],
  ])(
    "and meets %s while an update waits for it fails, and the next update brings it up (updates roll out: %s)",
    async (what, updateRollsOut) => {
      const { bench, made } = await openSettled(asked, { dialect: { updateRollsOut }, provisioningMs: 60_000 });
      const status = what === "stop" ? "stopped" : "failed";
      void bench.clock.sleep(20_000).then(() => bench.simulator.change(made.id, { status, message: "node lost" }));
      const failed = await failingChange(bench, made, { ...asked, env });
      expect(failed.text).toMatch(what === "stop" ? /it is stopped: someone else stopped it/ : /it is failed\n/);
      const at = await reach(bench, failed, { ...asked, env });
      expect(running(bench, at)).toMatchObject({ status: "running", env });
      const redeploys = writes(bench.simulator).filter((line) => line === redeploy);
      if (what === "a failure") expect(redeploys).toHaveLength(1);
    },
  );
});

/** Every way in which a service may treat a stopped cluster. */
const ways = (["restart-or-redeploy", "redeploy", "scale"] as const).flatMap((startedBy) =>
  (["stored", "refused", "starts"] as const).flatMap((stoppedUpdate) =>
    ([true, false] as const).map((updateRollsOut) => ({ startedBy, stoppedUpdate, updateRollsOut })),
  ),
);

const news: [string, Properties][] = [
  ["nothing else", {}],
  ["an env", { env }],
  ["an env and more replicas", { env, replicas: 4 }],
  ["fewer replicas and a trigger", { replicas: 1, restartTriggers: ["b"] }],
];

describe.each(ways)(
  "a stopped cluster ($startedBy, an update is $stoppedUpdate, rolls out: $updateRollsOut)",
  (way) => {
    it.each(news)(
      "that is started together with %s runs that, and no replica is restarted in vain",
      async (_title, added) => {
        const bench = await openBench({ dialect: { ...way, actionAnswer: "empty" } });
        const stopped = await settleStopped(bench);
        const wanted = { ...asked, ...added };
        const at = await change(bench, stopped, wanted);
        expect(running(bench, at)).toMatchObject({ status: "running", env: wanted["env"], restarts: 0 });
        expect(bench.simulator.cluster(at.id)?.replicas).toBe(wanted["replicas"]);
        expect(writes(bench.simulator).filter((line) => line === redeploy).length).toBeLessThanOrEqual(2);
        await expectAtGoal(bench, at, wanted);
        expect(warnings(bench)).toEqual([]);
      },
    );

    it("takes a new env while it stays stopped, runs it after its start, and forgets none of it in between", async () => {
      const bench = await openBench({ dialect: way });
      const wanted = { ...atRest, env };
      const changed = await reach(bench, await settleStopped(bench), wanted);
      expect(running(bench, changed).status).toBe("stopped");
      const settings = { ...wanted, maxHourlyCost: 100, skipAwait: false };
      const set = await change(bench, await refresh(bench, changed), settings);
      expect(writes(bench.simulator)).toEqual([]);
      const at = await reach(bench, await refresh(bench, set), { ...settings, desiredStatus: "running" });
      expect(running(bench, at)).toMatchObject({ status: "running", env });
    });
  },
);

const words = ["suspended", "paused"].flatMap((word) => ["listed", "none"].map((replicas) => ({ word, replicas })));
it.each(words)("the word for a stopped cluster and its replicas make no difference: %j", async ({ word, replicas }) => {
  const wire = rewriting(/./, (body) => {
    const isStopped = body["status"] === "CLUSTER_STATUS_STOPPED";
    const hidden = isStopped && replicas === "none" && Array.isArray(body["replicas"]) ? { replicas: [] } : {};
    const shown: unknown = { ...body, ...hidden };
    return JSON.parse(
      JSON.stringify(shown).replaceAll("CLUSTER_STATUS_STOPPED", `CLUSTER_STATUS_${word.toUpperCase()}`),
    );
  });
  const bench = await openBench({ wire, dialect: { statusWords: "upper-prefixed" } });
  const stopped = await settleStopped(bench);
  await expectAtGoal(bench, stopped, atRest);
  await reach(bench, stopped, asked);
});
