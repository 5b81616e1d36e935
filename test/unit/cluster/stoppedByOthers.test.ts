import type { Client } from "../../../provider/api/client";
import type { Properties } from "../../../provider/core";
import type { Dialect } from "../../../simulator";
import { type Bench, closeAll, forget, openBench, settle, writes } from "./harness";
import {
  asked,
  atRest,
  change,
  expectAtGoal,
  failingChange,
  type Held,
  patch,
  redeploy,
  refresh,
  renaming,
  restart,
  running,
  scale,
  stop,
  toDo,
  warnings,
} from "./powerHarness";

afterEach(closeAll);

const hour = 3_600_000;
const lists = (["listed", "none"] as const).map((stoppedReplicas) => ({ stoppedReplicas }));

/** A cluster that was settled and that somebody else has stopped, under a word that is not known. */
async function openStopped(dialect: Partial<Dialect> = {}): Promise<{ bench: Bench; made: Held; startMs: number }> {
  const bench = await openBench({ dialect, client: renaming("stopped", "offline") });
  const made = await settle(bench, asked);
  bench.simulator.change(made.id, { status: "stopped" });
  return { bench, made, startMs: bench.clock.now() };
}

describe.each(lists)("a cluster that others stopped, under a word that is not known ($stoppedReplicas),", (dialect) => {
  it("is not settled for a refresh, nor for the next one: the next update finds out", async () => {
    const { bench, made, startMs } = await openStopped(dialect);
    const found = await refresh(bench, made);
    expect(bench.clock.now() - startMs).toBeLessThan(2_000);
    expect(found.state).toMatchObject({ desiredStatus: "running", status: "offline", settled: false });
    expect(toDo(bench, found, asked)).toEqual(["settled"]);
    expect((await refresh(bench, found)).state).toEqual(found.state);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it.each([
    ["restart-or-redeploy", [restart]],
    ["redeploy", [restart, redeploy]],
    ["scale", [restart, redeploy, scale]],
  ] as const)("is started again after a refresh (%s)", async (startedBy, calls) => {
    const { bench, made, startMs } = await openStopped({ ...dialect, startedBy });
    const at = await change(bench, await refresh(bench, made), asked);
    expect(writes(bench.simulator)).toEqual(calls);
    expect(running(bench, at).status).toBe("running");
    expect(bench.clock.now() - startMs).toBeLessThan(180_000);
    await expectAtGoal(bench, at, asked);
  });

  it.each<[string, Properties]>([
    ["replicas", { replicas: 3 }],
    ["an env", { env: { MODEL: "another" } }],
    ["a container", { container: "acme/other:2" }],
  ])("is started by an update with %s, without a refresh", async (_title, news) => {
    const { bench, made, startMs } = await openStopped(dialect);
    const at = await change(bench, made, { ...asked, ...news });
    expect(running(bench, at).status).toBe("running");
    expect(bench.clock.now() - startMs).toBeLessThan(180_000);
    await expectAtGoal(bench, at, { ...asked, ...news });
  });

  it("gets one more stop, which does no harm, where it shall be stopped", async () => {
    const { bench, made } = await openStopped(dialect);
    const at = await change(bench, made, atRest);
    expect(writes(bench.simulator)).toEqual([stop]);
    await expectAtGoal(bench, at, atRest);
  });

  it("stays stopped in the state where it cannot be started, so that the next update tries again", async () => {
    const { bench, made } = await openStopped(dialect);
    bench.simulator.setGpuType("h100", { stock: 0 });
    const failed = await failingChange(bench, made, { ...asked, replicas: 3 });
    expect(failed.text).toMatch(/it does not start/);
    bench.simulator.setGpuType("h100", { stock: 64 });
    const at = await change(bench, failed, { ...asked, replicas: 3 });
    expect(running(bench, at).status).toBe("running");
    await expectAtGoal(bench, at, { ...asked, replicas: 3 });
  });

  it("gets a stop by an adoption that wants it so, and is started by one that wants it to run", async () => {
    const bench = await openBench({ dialect, client: renaming("stopped", "offline") });
    const seed = {
      name: "web",
      gpuType: "h100",
      replicas: 2,
      status: "stopped",
      createdAt: bench.clock.now() - 2 * hour,
    };
    const { id } = bench.simulator.addCluster({ ...seed, status: "stopped", container: String(asked["container"]) });
    const { env: _env, ...wanted } = { ...atRest, adopt: id, name: "web" } as Properties;
    const made = await bench.run(bench.cluster.create(bench.ctx(), wanted));
    expect(writes(bench.simulator)).toEqual([stop]);
    await expectAtGoal(bench, made, wanted);
    forget(bench);
    const other = bench.simulator.addCluster({ ...seed, name: "api", status: "stopped", container: seed.name });
    const run = { ...wanted, desiredStatus: "running", adopt: other.id, name: "api", container: seed.name };
    await bench.run(bench.cluster.create(bench.ctx(), run));
    expect(writes(bench.simulator)).toEqual([restart]);
  });
});

describe("a cluster that others are stopping", () => {
  it("is started when the stop has ended under a word that is not known", async () => {
    const bench = await openBench({ client: renaming("stopped", "offline"), deletionMs: 30_000 });
    const made = await settle(bench, asked);
    await bench.run(bench.client.stopCluster(made.id));
    const at = await change(bench, made, { ...asked, replicas: 3 });
    expect(writes(bench.simulator)).toContain(restart);
    expect(running(bench, at).status).toBe("running");
    await expectAtGoal(bench, at, { ...asked, replicas: 3 });
  });
});

describe("a cluster that runs no replica, under a word that is not known,", () => {
  it("is not taken for stopped where its autoscaler may scale it to none", async () => {
    const { bench, made } = await openStopped({ stoppedReplicas: "none" });
    const extraFields = { autoscaling: { min_replicas: 0, max_replicas: 4 } };
    const held = { ...made, state: { ...made.state, extraFields } };
    expect((await refresh(bench, held)).state["desiredStatus"]).toBe("running");
  });
});

describe("a cluster that has failed under a word that is not known", () => {
  it("is rolled out again", async () => {
    const names = (real: Client) => {
      const word = renaming("failed", "faulted")(real);
      const getClusterStatus: Client["getClusterStatus"] = async (...args) => {
        const status = await real.getClusterStatus(...args);
        if (status.status !== "failed") return status;
        const replicas = status.replicas.map((replica) => ({ ...replica, status: "failed", healthy: false }));
        return { ...status, status: "faulted", replicas };
      };
      return { ...word, getClusterStatus };
    };
    const bench = await openBench({ client: names });
    const made = await settle(bench, asked);
    bench.simulator.change(made.id, { status: "failed" });
    const found = await refresh(bench, made);
    expect(toDo(bench, found, asked)).toEqual(["settled"]);
    const at = await change(bench, found, asked);
    expect(writes(bench.simulator)).toEqual([patch, redeploy]);
    await expectAtGoal(bench, at, asked);
  });
});

/** A service with a word of its own for what comes up, which has no replicas until it runs. */
const slow = (real: Client): Partial<Client> => ({
  ...renaming("provisioning", "warming-up")(real),
  getClusterStatus: async (...args) => {
    const status = await real.getClusterStatus(...args);
    return status.replicas.every(({ healthy }) => healthy) ? status : { replicas: [], status: "warming-up" };
  },
});

describe("a cluster that comes up under a word that is not known, and shows no replica yet,", () => {
  it("is waited for by an update that goes on with it, and never started", async () => {
    const bench = await openBench({ client: slow, provisioningMs: 120_000 });
    const ctx = bench.ctx({ timeoutMs: 20_000 });
    const failed = await bench.run(bench.cluster.create(ctx, asked).catch((error) => error));
    const held = { id: failed.id, state: failed.state };
    const found = await refresh(bench, held);
    expect(found.state).toMatchObject({ desiredStatus: "running", settled: false });
    const at = await change(bench, found, asked);
    expect(writes(bench.simulator)).toEqual([]);
    await expectAtGoal(bench, at, asked);
  });

  it("is waited for by an adoption, and never started", async () => {
    const bench = await openBench({ client: slow, provisioningMs: 120_000 });
    const { id } = await bench.client.createCluster({
      name: "web",
      gpuType: "h100",
      replicas: 2,
      container: String(asked["container"]),
      env: {},
    });
    bench.simulator.requests.length = 0;
    const { env: _env, ...wanted } = { ...asked, adopt: id, name: "web" } as Properties;
    await bench.run(bench.cluster.create(bench.ctx(), wanted));
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("is not taken for stopped where nobody waited for it", async () => {
    const bench = await openBench({ client: slow, provisioningMs: 120_000 });
    const made = await bench.run(bench.cluster.create(bench.ctx(), { ...asked, skipAwait: true }));
    expect((await refresh(bench, made)).state["desiredStatus"]).toBe("running");
  });

  it("is not taken for stopped during a roll-out that shows no replica for a moment", async () => {
    const bench = await openBench({ client: slow });
    const made = await settle(bench, asked);
    await bench.client.restartCluster(made.id);
    const found = await refresh(bench, made);
    expect(found.state["desiredStatus"]).toBe("running");
    expect(warnings(bench)).toEqual([]);
  });
});
