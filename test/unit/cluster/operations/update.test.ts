import { InterruptedError } from "../../../../provider/base/errors";
import { rollsOut } from "../../../../provider/cluster/compare/rollout";
import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type Bench, closeAll, failureOf, initErrorOf, openBench, settle, writes } from "../harness";
import { checked } from "../inputs";
import { type Held, patch, redeploy, scale } from "../powerHarness";

afterEach(closeAll);

const env = { MODEL: "another-value" };

function update(bench: Bench, { id, state }: Held, news: Properties, overrides = {}) {
  return bench.cluster.update(bench.ctx(overrides), id, state, { ...checked, ...news });
}

describe("an update", () => {
  it.each<[string, string, Properties, string[]]>([
    ["of the replicas", "plain", { replicas: 4 }, [scale]],
    ["of the replicas", "terse", { replicas: 4 }, [scale]],
    ["to fewer replicas", "plain", { replicas: 1 }, [scale]],
    ["to fewer replicas", "terse", { replicas: 1 }, [scale]],
    ["of the env", "plain", { env }, [patch]],
    ["of the env", "terse", { env }, [patch, redeploy]],
    ["of the container", "plain", { container: "a/b:2" }, [patch]],
    ["of the container", "terse", { container: "a/b:2" }, [patch, redeploy]],
    ["of env and container", "plain", { env, container: "a/b:2" }, [patch]],
    ["of env and replicas", "plain", { env, replicas: 4 }, [patch]],
    ["of env and fewer replicas", "plain", { env, replicas: 1 }, [patch]],
    ["of env and replicas", "terse", { env, replicas: 4 }, [patch, redeploy]],
    ["of env and fewer replicas", "terse", { env, replicas: 1 }, [patch, redeploy]],
    ["that takes the env away", "plain", { env: undefined }, [patch]],
  ])("%s (%s, %j) sends the fewest calls and reaches it", async (_title, dialect, news, calls) => {
    const bench = await openBench({ dialect });
    const made = await settle(bench, checked);
    const wanted: Properties = JSON.parse(JSON.stringify({ ...checked, ...news }));
    const state = await bench.run(bench.cluster.update(bench.ctx(), made.id, made.state, wanted));
    expect(writes(bench.simulator)).toEqual(calls);
    const cluster = bench.simulator.cluster(made.id);
    expect(cluster?.deployed).toEqual({ container: wanted["container"], env: wanted["env"] ?? {} });
    expect(cluster?.replicaStates.map(({ healthy }) => healthy)).toEqual(Array(wanted["replicas"]).fill(true));
    expect(state).toMatchObject({ ...wanted, settled: true, readyReplicas: wanted["replicas"], status: "running" });
    expect(bench.cluster.diff(state, wanted).changes).toEqual({});
    expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state);
  });

  it("that takes the timeouts away leaves none in the state, and sends no request", async () => {
    const bench = await openBench();
    const made = await settle(bench, { ...checked, __timeouts: { create: "2h" } });
    const state = await bench.run(update(bench, made, {}));
    expect(bench.cluster.diff(state, checked).changes).toEqual({});
    expect(bench.simulator.requests).toEqual([]);
  });

  it("of replicas that the service has already sends nothing", async () => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.change(made.id, { replicas: 5 });
    expect(await bench.run(update(bench, made, { replicas: 5 }))).toMatchObject({ replicas: 5, readyReplicas: 5 });
    expect(writes(bench.simulator)).toEqual([]);
  });
});

const lost = { method: "PATCH", path: "/v1/clusters/*" } as const;
const lostScale = { method: "POST", path: "/v1/clusters/*/scale" } as const;

describe("a lost answer to an update", () => {
  it.each<[string, Properties, Fault, string[]]>([
    ["env, broken before", { env }, { ...lost, kind: "drop" }, [patch, patch]],
    ["env, broken after", { env }, { ...lost, kind: "drop", when: "after" }, [patch]],
    ["env, 502 before", { env }, { ...lost, kind: "status", status: 502 }, [patch, patch]],
    ["env, 502 after", { env }, { ...lost, kind: "status", status: 502, when: "after" }, [patch]],
    ["env, truncated", { env }, { ...lost, kind: "truncate" }, [patch]],
    ["env, web page after", { env }, { ...lost, kind: "html", status: 200, when: "after" }, [patch]],
    ["scale, broken before", { replicas: 4 }, { ...lostScale, kind: "drop" }, [scale, scale]],
    ["scale, broken after", { replicas: 4 }, { ...lostScale, kind: "drop", when: "after" }, [scale]],
    ["scale, truncated", { replicas: 4 }, { ...lostScale, kind: "truncate" }, [scale]],
  ])("applies it once: %s", async (_title, news, fault, calls) => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.fault(fault);
    const state = await bench.run(update(bench, made, news));
    expect(state).toMatchObject({ ...checked, ...news, settled: true });
    expect(writes(bench.simulator)).toEqual(calls);
    expect(bench.simulator.cluster(made.id)?.generation).toBe("env" in news ? 2 : 1);
  });

  it("of a redeploy that was done sends no second one", async () => {
    const bench = await openBench({ dialect: "terse" });
    const made = await settle(bench, checked);
    bench.simulator.fault({ kind: "drop", when: "after", path: "/v1/clusters/*/redeploy" });
    expect(await bench.run(update(bench, made, { env }))).toMatchObject({ settled: true });
    expect(writes(bench.simulator)).toEqual([patch, redeploy]);
    expect(bench.simulator.cluster(made.id)?.generation).toBe(2);
  });

  it("of a redeploy that was not done keeps the cluster, and the next update does it", async () => {
    const bench = await openBench({ dialect: "terse" });
    const made = await settle(bench, checked);
    bench.simulator.fault({ kind: "drop", path: "/v1/clusters/*/redeploy" });
    const error = await bench.run(initErrorOf(update(bench, made, { env })));
    expect(error.state).toMatchObject({ env: checked["env"], settled: false });
    const next = { id: made.id, state: error.state };
    expect(await bench.run(update(bench, next, { env }))).toMatchObject({ env, settled: true });
    expect(bench.simulator.cluster(made.id)?.deployed.env).toEqual(env);
  });
});

const failures: [string, Properties, Fault, RegExp][] = [
  ["is refused", { env }, { ...lost, kind: "status", status: 422, message: "no such image" }, /no such image/],
  ["may not be done", { env }, { ...lost, kind: "status", status: 403 }, /HTTP 403/],
  ["is refused in a scale", { replicas: 4 }, { ...lostScale, kind: "status", status: 409, times: 9 }, /HTTP 409/],
  ["never gets an answer", { env }, { ...lost, kind: "drop", times: 3 }, /the connection broke/],
];

describe("an update that", () => {
  it.each(failures)("%s keeps the cluster in the state", async (_title, news, fault, reason) => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.fault(fault);
    const error = await bench.run(initErrorOf(update(bench, made, news)));
    expect(error.id).toBe(made.id);
    expect(error.reasons[0]).toMatch(reason);
    expect(error.reasons[0]).toContain(`cluster "web" (${made.id}) was not changed completely: `);
    expect(error.state).toMatchObject({ settled: false, endpoint: made.state["endpoint"] });
    const repeated = await bench.run(update(bench, { id: made.id, state: error.state }, news));
    expect(repeated).toMatchObject({ ...checked, ...news, settled: true });
    expect(bench.simulator.cluster(made.id)?.deployed.env).toEqual(news["env"] ?? checked["env"]);
  });

  it("is interrupted keeps the cluster, at once", async () => {
    const bench = await openBench({ provisioningMs: 600_000 });
    const made = await settle(bench, checked);
    const controller = new AbortController();
    const failed = initErrorOf(update(bench, made, { replicas: 4 }, { signal: controller.signal }));
    await bench.clock.advance(30_000);
    controller.abort(new InterruptedError("interrupted"));
    const error = await bench.run(failed);
    expect(error.state).toMatchObject({ replicas: 4, settled: false, readyReplicas: 2 });
    expect(error.reasons[0]).toMatch(/interrupted/);
  });

  it("has its new replicas sick says why, and takes 20 minutes at most", async () => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    const failed = initErrorOf(update(bench, made, { replicas: 4 }));
    const startMs = bench.clock.now();
    await bench.clock.advance(1_000);
    bench.simulator.change(made.id, { sickReplica: { replica: 3, message: "out of memory" } });
    const error = await bench.run(failed);
    expect(bench.clock.now() - startMs).toBe(20 * 60_000);
    expect(error.reasons[0]).toMatch(/timed out after 20m: 3\/4 replicas healthy.*\n.*out of memory/s);
  });
});

describe("an update of a cluster that", () => {
  it("is gone says how to go on, and changes nothing", async () => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.change(made.id, { status: "gone" });
    const { message } = await bench.run(failureOf(update(bench, made, { replicas: 4 })));
    expect(message).toMatch(/no longer exists in the service\. Run `pulumi refresh`, then/);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("another key saw last is not called gone", async () => {
    const bench = await openBench();
    const made = await settle(bench, checked);
    bench.simulator.change(made.id, { status: "gone" });
    const work = bench.as("another").update(bench.ctx(), made.id, made.state, { ...checked, replicas: 4 });
    const { message } = await bench.run(failureOf(work));
    expect(message).toMatch(/others saw it last/);
    expect(writes(bench.simulator)).toEqual([]);
  });
});

describe("an update of the env of a service that rolls out only when it is asked to", () => {
  it("asks for it also while the replicas are still coming up", async () => {
    const bench = await openBench({ dialect: "terse", provisioningMs: 62_000 });
    const work = bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), checked);
    const { id, state } = await bench.run(initErrorOf(work));
    expect(await bench.run(update(bench, { id, state }, { env }))).toMatchObject({ settled: true });
    expect(bench.simulator.cluster(id)?.deployed.env).toEqual(env);
  });
});

describe("a status that is empty for a moment", () => {
  it("proves no roll-out", () => {
    const before = { status: "running", replicas: [{ id: "a", status: "healthy", healthy: true }] };
    expect(rollsOut({ before, keepsSize: true }, { replicas: [] })).toBe(false);
    expect(rollsOut({ before: { replicas: [] }, keepsSize: true }, before)).toBe(false);
  });

  it("does not keep the redeploy from being sent", async () => {
    const bench = await openBench({ dialect: { updateRollsOut: false } });
    const { id, state } = await settle(bench, checked);
    bench.simulator.fault({ kind: "body", body: "[]", path: "/v1/clusters/*/status", after: 1 });
    await bench.run(bench.cluster.update(bench.ctx(), id, state, { ...checked, env }));
    expect(writes(bench.simulator)).toEqual([patch, redeploy]);
    expect(bench.simulator.cluster(id)).toMatchObject({ deployed: { env } });
  });
});
