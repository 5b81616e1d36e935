import type { Client } from "../../../../provider/api/client";
import type { Properties } from "../../../../provider/contract";
import type { Dialect, Fault } from "../../../../simulator";
import {
  type Bench,
  type BenchOptions,
  bareStatus,
  closeAll,
  countOf,
  forget,
  openBench,
  openSettled,
  rewriting,
  settle,
  writes,
} from "../harness";
import * as power from "../powerHarness";

const { asked, atRest, change, expectAtGoal, failingChange, reach, refresh, renaming, running, toDo, warnings } = power;
const { noStatus, patch, redeploy, restart, scale, settleStopped, stop } = power;

afterEach(closeAll);

const env = { MODEL: "another" };
const dimmed = renaming("stopped", "dimmed");
const container = String(asked["container"]);

/** Words of the service's own for some states. */
const ownWords =
  (names: Readonly<Record<string, string>>) =>
  (real: Client): Partial<Client> => {
    let client = real;
    for (const [from, to] of Object.entries(names)) client = { ...client, ...renaming(from, to)(client) };
    return client;
  };

interface Way {
  readonly by: "this package" | "somebody else";
  readonly shown: string;
  readonly wire?: BenchOptions["wire"];
  readonly faults?: Fault[];
}

/** A service that shows no replicas of a stopped cluster. */
const noReplicas = rewriting(/\/status$/, ({ replicas, ...others }) => ({
  ...others,
  replicas: others["status"] === "stopped" ? [] : replicas,
}));

/** Who stops the cluster, and by what that can be told. */
const byReplicas = (["this package", "somebody else"] as const).flatMap((by) =>
  (["listed", "none"] as const).map(
    (stoppedReplicas): Way => ({
      by,
      shown: `replicas: ${stoppedReplicas}`,
      ...(stoppedReplicas === "none" && { wire: noReplicas }),
    }),
  ),
);
const byWord: Way = { by: "this package", shown: "the word alone", faults: [noStatus] };
const ways = [...byReplicas, byWord];
const byOthers = byReplicas.filter(({ by }) => by === "somebody else");
const byUs = ways.filter(({ by }) => by === "this package");

const openStarted = ({ wire, faults = [] }: Way, dialect: Partial<Dialect> = {}) =>
  openSettled(asked, { dialect, faults, client: dimmed, ...(wire && { wire }) });

async function openStopped(way: Way, dialect: Partial<Dialect> = {}) {
  const { bench, made } = await openStarted(way, dialect);
  const isOurs = way.by === "this package";
  if (!isOurs) bench.simulator.change(made.id, { status: "stopped" });
  const held = isOurs ? await change(bench, made, atRest) : made;
  const startMs = bench.clock.now();
  return { bench, held, tookMs: () => bench.clock.now() - startMs };
}

describe.each(byUs)("a cluster that this package stopped, under a word that is not known ($shown),", (way) => {
  it.each([
    ["restart-or-redeploy", [restart]],
    ["redeploy", [restart, redeploy]],
    ["scale", [restart, redeploy, scale]],
  ] as const)("is started by what works (%s)", async (startedBy, calls) => {
    const { bench, held, tookMs } = await openStopped(way, { startedBy });
    const at = await reach(bench, await refresh(bench, held), asked, calls);
    expect(tookMs()).toBeLessThan(way === byWord ? 180_000 : 60_000);
    expect(running(bench, at).status).toBe("running");
  });
});

it.each(byReplicas.filter(({ by }) => by === "this package"))(
  "a cluster that this package stopped, under a word that is not known ($shown), stays stopped in the state where it cannot be started, so that the next update tries again",
  async (way) => {
    const { bench, held } = await openStopped(way);
    bench.simulator.setGpuType("h100", { stock: 0 });
    const failed = await failingChange(bench, held, asked);
    expect(failed.text).toMatch(
      /it does not start\n +It is kept.*\n +restart: .*0 are free.*\n +redeploy: .*\n +scale: /,
    );
    expect(failed.state).toMatchObject({ desiredStatus: "stopped", settled: false });
    const found = await refresh(bench, failed);
    expect(toDo(bench, found, asked)).toEqual(expect.arrayContaining(["desiredStatus", "settled"]));
    bench.simulator.setGpuType("h100", { stock: 64 });
    expect(running(bench, await reach(bench, found, asked)).status).toBe("running");
  },
);

describe.each(byUs)("a service whose word for stopped is not known ($shown)", (way) => {
  it("has a cluster stopped once it runs no replica, or the word stays for a minute", async () => {
    const { bench, made } = await openStarted(way);
    const startMs = bench.clock.now();
    const at = await reach(bench, made, atRest, [stop]);
    const tookMs = bench.clock.now() - startMs;
    expect([tookMs >= 60_000, tookMs < 90_000]).toEqual([way === byWord, true]);
    expect(at.state).toMatchObject({ status: "dimmed", readyReplicas: 0, replicaStatuses: [] });
    expect(warnings(bench)).toEqual([]);
    if (way === byWord) expect(countOf(bench.simulator, "GET /v1/clusters/:id/status")).toBe(0);
  });

  it.each(["stored", "refused", "starts"] as const)(
    "has it take a new env while it is stopped (%s), and run it after its start",
    async (stoppedUpdate) => {
      const { bench, held, tookMs } = await openStopped(way, { stoppedUpdate });
      const changed = await reach(bench, held, { ...atRest, env });
      expect(tookMs()).toBeLessThan(60_000);
      expect(running(bench, changed).status).toBe("stopped");
      const at = await reach(bench, changed, { ...atRest, env, desiredStatus: "running" });
      expect(running(bench, at)).toMatchObject({ status: "running", env });
    },
  );
});

describe.each(byOthers)("a cluster that others stopped, under a word that is not known ($shown),", (way) => {
  it("is not settled for a refresh, nor for the next one: the next update finds out", async () => {
    const { bench, held, tookMs } = await openStopped(way);
    const found = await refresh(bench, held);
    expect(tookMs()).toBeLessThan(2_000);
    expect(found.state).toMatchObject({ desiredStatus: "running", status: "dimmed", settled: false });
    expect(toDo(bench, found, asked)).toEqual(["settled"]);
    expect((await refresh(bench, found)).state).toEqual(found.state);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("is not started by an update with replicas, whose wait ends with what the service shows", async () => {
    const { bench, held } = await openStopped(way);
    const failed = await failingChange(bench, held, { ...asked, replicas: 3 });
    expect(writes(bench.simulator)).toEqual([scale]);
    const [listed, none] = [/timed out after 20m: 0\/3 .*, dimmed/, /shows "dimmed", which .* not know, and nothing/];
    expect(failed.text).toMatch(way.wire ? none : listed);
    expect(failed.state["settled"]).toBe(false);
  });

  it.each<[string, Properties]>([
    ["an env", { env }],
    ["a container", { container: "acme/other:2" }],
  ])("is started by an update with %s, without a refresh", async (_title, news) => {
    const { bench, held, tookMs } = await openStopped(way);
    expect(running(bench, await reach(bench, held, { ...asked, ...news })).status).toBe("running");
    expect(tookMs()).toBeLessThan(180_000);
  });

  it("gets one more stop, which does no harm, where it shall be stopped", async () => {
    const { bench, held } = await openStopped(way);
    await reach(bench, held, atRest, [stop]);
  });

  it("gets a stop by an adoption that wants it stopped", async () => {
    const bench = await openBench({ client: dimmed, ...(way.wire && { wire: way.wire }) });
    const createdAt = bench.clock.now() - 7_200_000;
    const seed = { name: "web", gpuType: "h100", replicas: 2, createdAt, container };
    const { id } = bench.simulator.addCluster({ ...seed, status: "stopped" });
    const { env: _env, ...wanted }: Properties = { ...atRest, adopt: id };
    const made = await bench.run(bench.cluster.create(bench.ctx(), wanted));
    expect(writes(bench.simulator)).toEqual([stop]);
    await expectAtGoal(bench, made, wanted);
  });
});

it("a cluster that others are stopping is started when the stop has ended under a word that is not known", async () => {
  const { bench, made } = await openSettled(asked, { client: dimmed, deletionMs: 30_000 });
  await bench.run(bench.client.stopCluster(made.id));
  const at = await reach(bench, made, { ...asked, replicas: 3 }, [restart, scale]);
  expect(running(bench, at).status).toBe("running");
});

it("a cluster without replicas is not taken for stopped where its autoscaler may scale it to none", async () => {
  const { bench, held } = await openStopped({
    by: "somebody else",
    shown: "",
    wire: noReplicas,
  });
  const extraFields = { autoscaling: { min_replicas: 0, max_replicas: 4 } };
  const found = await refresh(bench, { ...held, state: { ...held.state, extraFields } });
  expect(found.state["desiredStatus"]).toBe("running");
});

it('a cluster that has failed under the word "faulted" is rolled out again', async () => {
  const bench = await openBench({
    client: (real) => ({
      ...renaming("failed", "faulted")(real),
      getClusterStatus: async (...args) => {
        const status = await real.getClusterStatus(...args);
        if (status.status !== "failed") return status;
        const replicas = status.replicas.map((replica) => ({ ...replica, status: "failed", healthy: false }));
        return { ...status, status: "faulted", replicas };
      },
    }),
  });
  const made = await settle(bench, asked);
  bench.simulator.change(made.id, { status: "failed" });
  const found = await refresh(bench, made);
  expect(toDo(bench, found, asked)).toEqual(["settled"]);
  await reach(bench, found, asked, [patch, redeploy]);
});

describe("a cluster that comes up under a word that is not known, and shows no replica yet,", () => {
  /** A service with a word of its own for what comes up, which has no replicas until it runs. */
  const slow = (real: Client): Partial<Client> => ({
    ...renaming("provisioning", "glowing")(real),
    getClusterStatus: async (...args) => {
      const status = await real.getClusterStatus(...args);
      return status.replicas.every(({ healthy }) => healthy) ? status : { replicas: [], status: "glowing" };
    },
  });
  const openSlow = () => openBench({ client: slow, provisioningMs: 120_000 });

  it("is waited for by an update that goes on with it, and never started", async () => {
    const bench = await openSlow();
    const ctx = bench.ctx({ timeoutMs: 20_000 });
    const failed = await bench.run(bench.cluster.create(ctx, asked).catch((error) => error));
    const found = await refresh(bench, failed);
    expect(found.state).toMatchObject({ desiredStatus: "running", settled: false });
    await reach(bench, found, asked, []);
  });

  it("is waited for by an adoption, and never started", async () => {
    const bench = await openSlow();
    const body = { name: "web", gpuType: "h100", replicas: 2, container, env: {} };
    const { id } = await bench.client.createCluster(body);
    bench.simulator.requests.length = 0;
    const { env: _env, ...wanted }: Properties = { ...asked, adopt: id };
    await bench.run(bench.cluster.create(bench.ctx(), wanted));
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("is not taken for stopped where nobody waited for it", async () => {
    const bench = await openSlow();
    const made = await bench.run(bench.cluster.create(bench.ctx(), { ...asked, skipAwait: true }));
    expect((await refresh(bench, made)).state["desiredStatus"]).toBe("running");
  });

  it("is not taken for stopped during a roll-out that shows no replica for a moment", async () => {
    const { bench, made } = await openSettled(asked, { client: slow });
    await bench.client.restartCluster(made.id);
    expect((await refresh(bench, made)).state["desiredStatus"]).toBe("running");
    expect(warnings(bench)).toEqual([]);
  });
});

it("a cluster whose word alone is believed is started also if the word on its way up is not known", async () => {
  const client = ownWords({ provisioning: "glowing", stopped: "dimmed" });
  const bench = await openBench({ client, faults: [noStatus], provisioningMs: 30_000 });
  const at = await change(bench, await settleStopped(bench), asked);
  expect(writes(bench.simulator)).toEqual([restart]);
  expect(running(bench, at).status).toBe("running");
});

it("a cluster whose word alone is believed, and does not change, is not stopped: its wait says what to do", async () => {
  // The stop is accepted, and nothing changes.
  const stopCluster = async () => undefined;
  const client = (real: Client) => ({ ...renaming("running", "humming")(real), stopCluster });
  const bench = await openBench({ client, faults: [noStatus] });
  const { id } = bench.simulator.addCluster({ name: "web", gpuType: "h100", replicas: 2, container });
  const { env: _env, ...inputs }: Properties = atRest;
  const held = { id, state: { ...asked, ...inputs, desiredStatus: "running", settled: true, __echo: {} } };
  const failed = await failingChange(bench, held, inputs);
  expect(failed.text).toMatch(/timed out after 20m: humming/);
  expect(failed.state["settled"]).toBe(false);
  expect(warnings(bench)).toEqual([
    expect.stringMatching(/nothing has changed for 5m\d*s?: humming\. The wait continues for 1\dm.*Ctrl-C/),
  ]);
});

/** A cluster whose replicas are never shown, or not any more once it is settled. */
async function openBlind(reason: string, names: Record<string, string> = {}) {
  const faults = reason === "405" ? [noStatus] : [];
  const client = ownWords({ stopped: "dimmed", ...names });
  const bench = await openBench({ client, faults, provisioningMs: 120_000 });
  const work = bench.cluster.create(bench.ctx({ timeoutMs: 300_000 }), asked);
  const made = await bench.run(work.catch(({ id, state }) => ({ id, state })));
  if (reason === "404") bench.simulator.fault({ ...noStatus, status: 404, code: "not_found" });
  return { bench, made };
}

describe.each(["405", "404"])("a cluster without replicas to look at (%s)", (reason) => {
  it("is stopped once its new word, which is not known, has stayed for a minute, and started by what changes it", async () => {
    const { bench, made } = await openBlind(reason);
    const startMs = bench.clock.now();
    const at = await reach(bench, made, atRest);
    expect(bench.clock.now() - startMs).toBeLessThan(90_000);
    expect(at.state["status"]).toBe("dimmed");
    forget(bench);
    const back = await bench.run(bench.cluster.update(bench.ctx(), at.id, at.state, asked).catch(({ state }) => state));
    expect(writes(bench.simulator)).toEqual([restart]);
    expect(back.status).toBe("running");
  });
});

describe.each<[string, number, Record<string, string>, string]>([
  ["running", 180_000, {}, "405"],
  ["not known on its way up", 5_000, { restarting: "glowing" }, "405"],
  ["not known", 180_000, { running: "humming" }, "405"],
  ["not known", 180_000, { running: "humming" }, "404"],
])("a cluster that others have started again, whose word is %s after %i ms,", (_title, afterMs, names, reason) => {
  it.each([true, false])(`is not started once more (${reason}, after a refresh: %s)`, async (isRefreshed) => {
    const { bench, made } = await openBlind(reason, names);
    const left = await change(bench, made, atRest);
    expect(left.state).toMatchObject({ status: "dimmed", settled: true });
    await bench.run(bench.client.restartCluster(left.id));
    await bench.clock.advance(afterMs);
    const held = isRefreshed ? await refresh(bench, left) : left;
    forget(bench);
    const ctx = bench.ctx({ timeoutMs: 60_000 });
    await bench.run(bench.cluster.update(ctx, held.id, held.state, asked).catch(() => undefined));
    expect(writes(bench.simulator)).toEqual([]);
  });
});

it("a service that says no state at all has its cluster stopped and started by what its replicas show", async () => {
  const bench: Bench = await openBench({
    dialect: { actionAnswer: "empty" },
    wire: bareStatus,
    client: (real) => ({
      getCluster: async (...args) => {
        const { status: _status, ...record } = await real.getCluster(...args);
        return record;
      },
    }),
  });
  const stopped = await settleStopped(bench);
  expect(running(bench, stopped).status).toBe("stopped");
  await expectAtGoal(bench, stopped, atRest);
  expect(running(bench, await reach(bench, stopped, asked)).status).toBe("running");
});

it("a word that is not known is shown while a stop is waited for, and its end is no failure but a timeout", async () => {
  const bench = await openBench({ client: renaming("stopping", "winding down"), deletionMs: 600_000 });
  const failed = await failingChange(bench, await settle(bench, asked), atRest, { timeoutMs: 60_000 });
  expect(bench.said).toContainEqual(expect.stringMatching(/^status: winding down, \d+s of 1m$/));
  expect(failed.text).toMatch(/timed out after 1m: winding down/);
});
