import type { Client } from "../../../../provider/api/client";
import { goalOf } from "../../../../provider/cluster/compare/health";
import type { Properties } from "../../../../provider/contract";
import { type Bench, closeAll, initErrorOf, openBench, openSettled, settle, writes } from "../harness";
import * as power from "../powerHarness";

const { asked, atRest, change, expectAtGoal, failingChange, reach, refresh, running, settleStopped, toDo, warnings } =
  power;
const { noStatus, patch, redeploy, restart, scale, stop } = power;

afterEach(closeAll);

const env = { MODEL: "another" };

const create = (bench: Bench, inputs: Properties) => bench.run(bench.cluster.create(bench.ctx(), inputs));

describe("skipAwait", () => {
  const hasty: Properties = { ...asked, skipAwait: true };

  it.each<[string, Properties, Properties, string[]]>([
    ["a scale", hasty, { ...hasty, replicas: 4 }, [scale]],
    ["an env", hasty, { ...hasty, env }, [patch]],
    ["a stop", hasty, { ...hasty, desiredStatus: "stopped" }, [stop]],
    ["a start", { ...hasty, desiredStatus: "stopped" }, hasty, [restart]],
    ["a trigger", hasty, { ...hasty, redeployTriggers: ["b"] }, [redeploy]],
  ])("goes on as soon as %s is accepted, and leaves nothing to do", async (_title, before, wanted, calls) => {
    const { bench, made } = await openSettled(hasty, { provisioningMs: 600_000, deletionMs: 600_000 });
    const first = before === hasty ? made : await change(bench, made, { ...before, skipAwait: false });
    const startMs = bench.clock.now();
    await change(bench, first, wanted);
    expect(bench.clock.now() - startMs).toBeLessThan(15_000);
    expect(writes(bench.simulator)).toEqual(calls);
  });

  it("makes a creation end with the accepted cluster, which is no drift while it comes up", async () => {
    const bench = await openBench({ provisioningMs: 600_000 });
    const made = await create(bench, hasty);
    expect(made.state).toMatchObject({ settled: true, status: "provisioning" });
    expect(toDo(bench, made, hasty)).toEqual([]);
    expect(toDo(bench, await refresh(bench, made), hasty)).toEqual([]);
    await bench.clock.advance(600_000);
    await expectAtGoal(bench, await refresh(bench, made), hasty);
  });

  it("makes a stop end that is no drift while it is under way", async () => {
    const { bench, made } = await openSettled(hasty, { deletionMs: 600_000 });
    await bench.clock.advance(10_000);
    const stopped = { ...hasty, desiredStatus: "stopped" };
    expect(toDo(bench, await refresh(bench, await change(bench, made, stopped)), stopped)).toEqual([]);
  });

  it("waits until the service shows a new cluster at all, so that nothing takes it for gone later", async () => {
    const dialect = { injectedEnv: { GPU_HOST: "node-7" } };
    const bench = await openBench({ dialect, faults: [{ kind: "hidden", ms: 20_000 }] });
    const made = await create(bench, hasty);
    expect(made.state["unverifiedInputs"]).toEqual([]);
    await bench.clock.advance(60_000);
    await expectAtGoal(bench, await refresh(bench, made), hasty);
  });

  it("does not call a cluster settled that has failed, and the next update rolls it out", async () => {
    const bench = await openBench();
    const made = await create(bench, hasty);
    bench.simulator.change(made.id, { status: "failed", message: "node lost" });
    const found = await refresh(bench, made);
    expect(toDo(bench, found, hasty)).toEqual(["settled"]);
    expect((await change(bench, found, hasty)).state["settled"]).toBe(true);
    expect(writes(bench.simulator)).toEqual([patch, redeploy]);
  });

  it("waits for a deletion all the same", async () => {
    const bench = await openBench({ deletionMs: 60_000 });
    const { id, state } = await create(bench, hasty);
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect(bench.simulator.cluster(id)?.status).toBe("gone");
  });
});

describe("minHealthyReplicas", () => {
  // Rows of [replicas, minHealthyReplicas, enough].
  const counts = [
    [4, undefined, 4],
    [4, 3, 3],
    [10, 1, 1],
    [2, 4, 2],
  ] as const;
  it.each(counts)("of %d replicas: %j means %d", (replicas, minHealthyReplicas, enough) => {
    expect(goalOf({ replicas, minHealthyReplicas })).toMatchObject({ replicas, enough });
  });

  const sick = { kind: "sick-replica", replica: 3, message: "no driver" } as const;

  it("of 3 is reached although the last of four replicas is sick for ever", async () => {
    const bench = await openBench({ faults: [sick], provisioningMs: 20_000 });
    const inputs = { ...asked, replicas: 4, minHealthyReplicas: 3 };
    const made = await create(bench, inputs);
    expect(made.state).toMatchObject({ settled: true, readyReplicas: 3 });
    expect(bench.clock.now() % 86_400_000).toBeGreaterThanOrEqual(15_000);
    await expectAtGoal(bench, made, inputs);
    expect(bench.said).toContain("status: 3/4 replicas healthy");
  });

  it("is not reached with one replica less, and the sick one is named", async () => {
    const bench = await openBench({ faults: [sick] });
    const inputs = { ...asked, replicas: 4, minHealthyReplicas: 4 };
    const error = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), inputs)));
    expect(error.reasons[0]).toMatch(/timed out after 1m: 3\/4 replicas healthy/);
    expect(error.reasons[0]).toMatch(/\n +replica rep_\S+: unhealthy, no driver$/);
  });

  it.each([
    ["an env", { env }],
    ["a restart", { restartTriggers: ["b"] }],
    ["a redeploy", { redeployTriggers: ["b"] }],
  ])("after %s counts renewed replicas, not old ones that are still healthy", async (_title, news) => {
    const bench = await openBench({ provisioningMs: 120_000 });
    const inputs: Properties = { ...asked, replicas: 4, minHealthyReplicas: 2 };
    const made = await settle(bench, inputs);
    await bench.clock.advance(120_000);
    const startMs = bench.clock.now();
    const at = await change(bench, await refresh(bench, made), { ...inputs, ...news });
    const tookMs = bench.clock.now() - startMs;
    expect([tookMs >= 60_000, tookMs < 80_000]).toEqual([true, true]);
    expect(at.state).toMatchObject({ settled: true, readyReplicas: 2 });
    expect(warnings(bench)).toEqual([]);
  });

  it("waits for renewed replicas where a service replaces one after the other", async () => {
    let asks = 0;
    const bench = await openBench({
      dialect: { actionAnswer: "empty" },
      client: (real) => oneByOne(real, () => asks++),
    });
    const inputs: Properties = { ...asked, replicas: 4, minHealthyReplicas: 2 };
    const made = await settle(bench, inputs);
    await bench.clock.advance(60_000);
    asks = 0;
    await change(bench, made, { ...inputs, redeployTriggers: ["b"] });
    expect(asks).toBe(5);
    expect(bench.said).toContainEqual(expect.stringMatching(/^status: 1\/4 replicas healthy and renewed, /));
  });

  it("is capped by a scale-down, and the replicas that go are not waited for", async () => {
    const bench = await openBench();
    const inputs: Properties = { ...asked, replicas: 4, minHealthyReplicas: 3 };
    const made = await settle(bench, inputs);
    const at = await reach(bench, made, { ...inputs, replicas: 3 });
    expect(at.state["readyReplicas"]).toBe(3);
    const { minHealthyReplicas: _least, ...all } = inputs;
    await reach(bench, at, { ...all, replicas: 2 });
  });
});

/** Shows the replicas of a redeployed cluster as if they were replaced one by one, one in each look. */
function oneByOne(real: Client, count: () => number): Partial<Client> {
  let isRolling = false;
  return {
    redeployCluster: async () => {
      isRolling = true;
      return undefined;
    },
    getClusterStatus: async (...args) => {
      const { replicas, ...status } = await real.getClusterStatus(...args);
      const renewed = isRolling ? count() - 2 : 0;
      return {
        ...status,
        replicas: replicas.map((one, index) => ({ ...one, id: index < renewed ? `new-${index}` : one.id })),
      };
    },
  };
}

describe("a key that may not read /status", () => {
  it("ends the wait with what to do", async () => {
    const forbidden = { kind: "status", status: 403, path: "/v1/clusters/*/status", times: 1_000 } as const;
    const bench = await openBench({ faults: [forbidden] });
    const error = await bench.run(initErrorOf(bench.cluster.create(bench.ctx(), asked)));
    expect(error.reasons[0]).toMatch(/HTTP 403\). The API key is not allowed to do this/);
    expect(bench.clock.now() % 86_400_000).toBeLessThan(60_000);
  });
});

describe("a service without /status, whose records show no replicas,", () => {
  it.each<[string, Properties, Properties, string[]]>([
    ["an update of the env", asked, { ...asked, env }, [patch]],
    ["a scale", asked, { ...asked, replicas: 4 }, [scale]],
    ["a restart", asked, { ...asked, restartTriggers: ["b"] }, [restart]],
    ["a stop", asked, atRest, [stop]],
    ["a start", atRest, asked, [restart]],
    ["a start with an env", atRest, { ...asked, env }, [patch, redeploy]],
  ])("has %s end when the word says so", async (_title, before, wanted, calls) => {
    const bench = await openBench({ faults: [noStatus], provisioningMs: 20_000 });
    const made = before === asked ? await settle(bench, asked) : await settleStopped(bench, before);
    const at = await reach(bench, made, wanted, calls);
    expect(running(bench, at).status).toBe(wanted["desiredStatus"]);
    expect(warnings(bench)).toEqual([]);
    await bench.run(bench.cluster.delete(bench.ctx(), at.id, at.state));
  });

  it("has a refusal with 409 of a cluster that runs not waited out to the deadline", async () => {
    const { bench, made } = await openSettled(asked, { faults: [noStatus] });
    bench.simulator.setGpuType("h100", { stock: 2 });
    const startMs = bench.clock.now();
    const failed = await failingChange(bench, made, { ...asked, replicas: 9 });
    expect(failed.text).toMatch(/GPUs of type "h100" are wanted/);
    expect(bench.clock.now() - startMs).toBeLessThan(60_000);
  });
});
