import { closeAll, openBench, settle, writes } from "./harness";
import {
  asked,
  atRest,
  change,
  expectAtGoal,
  failingChange,
  redeploy,
  refresh,
  renaming,
  restart,
  running,
  scale,
  settleStopped,
  stop,
  toDo,
  warnings,
} from "./powerHarness";

afterEach(closeAll);

const env = { MODEL: "another" };
const lists = (["listed", "none"] as const).map((stoppedReplicas) => ({ stoppedReplicas }));

describe.each(lists)("a service whose word for stopped is not known (replicas are $stoppedReplicas)", (dialect) => {
  const open = (more = {}) => openBench({ dialect: { ...dialect, ...more }, client: renaming("stopped", "parked") });

  it("has a cluster stopped once it runs no replica any more, and then nothing to do", async () => {
    const bench = await open();
    const at = await settleStopped(bench);
    expect(writes(bench.simulator)).toEqual([stop]);
    expect(at.state).toMatchObject({ status: "parked", settled: true, readyReplicas: 0, replicaStatuses: [] });
    await expectAtGoal(bench, at, atRest);
    expect(warnings(bench)).toEqual([]);
  });

  it.each([
    ["restart-or-redeploy", [restart]],
    ["redeploy", [restart, redeploy]],
    ["scale", [restart, redeploy, scale]],
  ] as const)("has it started by what works (%s), without waiting for what does not", async (startedBy, calls) => {
    const bench = await open({ startedBy });
    const stopped = await settleStopped(bench);
    const startMs = bench.clock.now();
    const at = await change(bench, stopped, asked);
    expect(writes(bench.simulator)).toEqual(calls);
    expect(bench.clock.now() - startMs).toBeLessThan(60_000);
    expect(running(bench, at).status).toBe("running");
    await expectAtGoal(bench, at, asked);
  });

  it.each(["stored", "refused", "starts"] as const)(
    "has it take a new env while it is stopped (%s), and run it after its start",
    async (stoppedUpdate) => {
      const bench = await open({ stoppedUpdate });
      const stopped = await settleStopped(bench);
      const startMs = bench.clock.now();
      const changed = await change(bench, stopped, { ...atRest, env });
      expect(bench.clock.now() - startMs).toBeLessThan(60_000);
      expect(running(bench, changed).status).toBe("stopped");
      await expectAtGoal(bench, changed, { ...atRest, env });
      const at = await change(bench, changed, { ...asked, env });
      expect(running(bench, at)).toMatchObject({ status: "running", env });
      await expectAtGoal(bench, at, { ...asked, env });
    },
  );

  it("keeps it stopped in the state where it cannot be started, so that the next update tries again", async () => {
    const bench = await open();
    const stopped = await settleStopped(bench);
    bench.simulator.setGpuType("h100", { stock: 0 });
    const failed = await failingChange(bench, stopped, asked);
    expect(failed.text).toMatch(
      /it does not start\n +It is kept.*\n +restart: .*0 are free.*\n +redeploy: .*\n +scale: .*stays stopped$/,
    );
    expect(failed.state).toMatchObject({ desiredStatus: "stopped", settled: false });
    const found = await refresh(bench, failed);
    expect(toDo(bench, found, asked)).toEqual(["desiredStatus", "settled"]);
    bench.simulator.setGpuType("h100", { stock: 64 });
    const at = await change(bench, found, asked);
    expect(running(bench, at).status).toBe("running");
    await expectAtGoal(bench, at, asked);
  });

  it("has its destruction by stopping end where it is stopped already", async () => {
    const bench = await open();
    const kept = { ...atRest, deletionPolicy: "stop" };
    const stopped = await settleStopped(bench, kept);
    bench.simulator.requests.length = 0;
    await bench.run(bench.cluster.delete(bench.ctx(), stopped.id, stopped.state));
    expect(writes(bench.simulator)).toEqual([]);
    expect(running(bench, stopped).status).toBe("stopped");
  });
});

describe("a service that says no state at all", () => {
  const silent = () =>
    openBench({
      dialect: { actionAnswer: "empty-202", statusShape: "bare" },
      client: (real) => ({
        getCluster: async (...args) => {
          const { status: _status, ...record } = await real.getCluster(...args);
          return record;
        },
      }),
    });

  it("has its cluster stopped and started by what its replicas show", async () => {
    const bench = await silent();
    const stopped = await settleStopped(bench);
    expect(running(bench, stopped).status).toBe("stopped");
    await expectAtGoal(bench, stopped, atRest);
    const at = await change(bench, stopped, asked);
    expect(running(bench, at).status).toBe("running");
    await expectAtGoal(bench, at, asked);
  });
});

describe("a word that is not known", () => {
  it("is shown while a stop is waited for, and its end is no failure but a timeout", async () => {
    const bench = await openBench({ client: renaming("stopping", "winding down"), deletionMs: 600_000 });
    const failed = await failingChange(bench, await settle(bench, asked), atRest, { timeoutMs: 60_000 });
    expect(bench.said).toContainEqual(expect.stringMatching(/^status: winding down, \d+s of 1m$/));
    expect(failed.text).toMatch(/timed out after 1m: winding down/);
  });
});
