import { diffCluster } from "../../../../provider/cluster/diff/diff";
import type { Properties } from "../../../../provider/contract";
import type { ClusterChanges, Dialect, Fault } from "../../../../simulator";
import { type Fixture, failureOf, forget, initErrorOf, openFixture, openSettled, writes } from "../harness";
import { checked } from "../inputs";
import { change, type Held, patch, reach, redeploy, refresh, scale, toDo, warnings } from "../powerHarness";

const post = "POST /v1/clusters/:id";
const put = "PUT /v1/clusters/:id";
const env = { MODEL: "another-value" };
const container = "a/b:2";

function update(bench: Fixture, { id, state }: Held, news: Properties, overrides = {}) {
  return bench.cluster.update(bench.ctx(overrides), id, state, { ...checked, ...news });
}

describe("an update", () => {
  it.each<[string, string, Properties, string[]]>([
    ["of env and replicas sends two requests", "plain", { env, replicas: 4 }, [patch, scale]],
    ["of env and fewer replicas redeploys first", "minimal", { env, replicas: 1 }, [patch, redeploy, scale]],
  ])("%s, and ends as requested", async (_title, dialect, news, calls) => {
    const { bench, made } = await openSettled(checked, { dialect });
    const wanted: Properties = JSON.parse(JSON.stringify({ ...checked, ...news }));
    const state = await bench.run(bench.cluster.update(bench.ctx(), made.id, made.state, wanted));
    expect(writes(bench.simulator)).toEqual(calls);
    const cluster = bench.simulator.cluster(made.id);
    expect(cluster?.deployed).toEqual({ container: wanted["container"], env: wanted["env"] ?? {} });
    expect(cluster?.replicaStates.map(({ healthy }) => healthy)).toEqual(Array(wanted["replicas"]).fill(true));
    expect(state).toMatchObject({ ...wanted, settled: true, readyReplicas: wanted["replicas"], status: "running" });
    expect(diffCluster(state, wanted).changes).toEqual({});
    expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state);
  });
});

const lost = { method: "PATCH", path: "/v1/clusters/*" } as const;
const lostScale = { method: "POST", path: "/v1/clusters/*/scale" } as const;

describe("a lost answer", () => {
  it.each<[string, Properties, Fault, string[]]>([
    ["to env is repeated if the request was not applied", { env }, { ...lost, kind: "drop" }, [patch, patch]],
    [
      "to a scale is repeated if the request was not applied",
      { replicas: 4 },
      { ...lostScale, kind: "drop" },
      [scale, scale],
    ],
    [
      "to a scale is not repeated if the request was applied",
      { replicas: 4 },
      { ...lostScale, kind: "drop", when: "after" },
      [scale],
    ],
  ])("%s", async (_title, news, fault, calls) => {
    const { bench, made } = await openSettled(checked);
    bench.simulator.fault(fault);
    const state = await bench.run(update(bench, made, news));
    expect(state).toMatchObject({ ...checked, ...news, settled: true });
    expect(writes(bench.simulator)).toEqual(calls);
    expect(bench.simulator.cluster(made.id)?.generation).toBe("env" in news ? 2 : 1);
  });
});

it("a refused update leaves the cluster in the state, and the next one completes it", async () => {
  const { bench, made } = await openSettled(checked);
  bench.simulator.fault({ ...lost, kind: "status", status: 422, message: "no such image" });
  const error = await bench.run(initErrorOf(update(bench, made, { env })));
  expect(error.id).toBe(made.id);
  expect(error.reasons[0]).toContain(`cluster "web" (${made.id}) was not changed completely: `);
  expect(error.reasons[0]).toContain("no such image");
  expect(error.state).toMatchObject({ settled: false, endpoint: made.state["endpoint"] });
  const repeated = await bench.run(update(bench, { id: made.id, state: error.state }, { env }));
  expect(repeated).toMatchObject({ ...checked, env, settled: true });
  expect(bench.simulator.cluster(made.id)?.deployed.env).toEqual(env);
});

it("an update of a cluster that is gone fails with the way out, and sends nothing", async () => {
  const { bench, made } = await openSettled(checked);
  await bench.clock.advance(120_000);
  bench.simulator.change(made.id, { status: "gone" });
  const { message } = await bench.run(failureOf(update(bench, made, { replicas: 4 })));
  expect(message).toMatch(/no longer exists in the service\. Run `pulumi refresh`, then/);
  expect(writes(bench.simulator)).toEqual([]);
});

it("an empty status does not prevent the redeploy", async () => {
  const { bench, id, state } = await openSettled(checked, { dialect: { updateRollsOut: false } });
  bench.simulator.fault({ kind: "body", body: "[]", path: "/v1/clusters/*/status", after: 1 });
  await bench.run(bench.cluster.update(bench.ctx(), id, state, { ...checked, env }));
  expect(writes(bench.simulator)).toEqual([patch, redeploy]);
  expect(bench.simulator.cluster(id)).toMatchObject({ deployed: { env } });
});

const observed: Properties = {
  ...checked,
  container: "team/server:1.0",
  env: { MODEL: "model-one", MODE: "mode-one" },
};

const more = { env: { MODEL: "model-nine", MODE: "mode-one", MORE: "more-of-it" } };

// It holds for the option `ignoreChanges` too, of which an update knows nothing.
describe("an update after a change by another user", () => {
  it.each<[string, ClusterChanges, Properties]>([
    ["keeps the number of replicas if only env changes", { replicas: 6 }, { env }],
    ["keeps variables if only the container changes", more, { container }],
  ])("%s", async (_title, others, changes) => {
    const { bench, made } = await openSettled(observed, { dialect: { envEcho: "same", containerEcho: "same" } });
    bench.simulator.change(made.id, others);
    await bench.run(bench.clock.sleep(60_000));
    const wanted = { ...observed, ...changes };
    const next = await change(bench, made, wanted);
    expect(bench.simulator.cluster(made.id)).toMatchObject({ ...others, ...changes });
    expect(next.state).toMatchObject({ ...wanted, settled: true });
    // It is drift, which a refresh shows and the next update corrects.
    const found = await refresh(bench, next);
    expect(toDo(bench, found, wanted).map((path) => path.split(".")[0])).toContain(Object.keys(others)[0]);
    await change(bench, found, wanted);
    expect(bench.simulator.cluster(made.id)).toMatchObject({ ...wanted, gpuType: "h100" });
  });

  it("sends what the diff shows, and what an earlier update did not finish", async () => {
    const { bench, id, state } = await openSettled(observed);
    bench.simulator.change(id, { replicas: 6 });
    await change(bench, { id, state }, { ...observed, replicas: 3 });
    expect(bench.simulator.cluster(id)?.replicas).toBe(3);
    bench.simulator.change(id, { replicas: 6 });
    await change(bench, { id, state: { ...state, settled: false, __unfinished: "rollout" } }, observed);
    expect(bench.simulator.cluster(id)?.replicas).toBe(2);
  });
});

describe("an update of a cluster that an autoscaler has reduced to no replicas", () => {
  const body = { container: checked["container"], env };
  const probed = { env, readinessProbe: { path: "/health" } };
  const waits = /0\/\d replicas|waiting|GET \/health/;

  it.each<[string, Partial<Dialect>, Properties, string[], object]>([
    ["sends a PATCH without replicas", {}, { env }, [patch, redeploy], { env }],
    ["sends a PUT without replicas", { updateMethod: "PUT" }, { env }, [patch, put, redeploy], body],
    ["does not probe the endpoint", {}, probed, [patch, redeploy], { env }],
  ])("%s, scales nothing and waits for nothing", async (_title, dialect, changes, calls, sent) => {
    for (const isRefreshed of [true, false]) {
      const { bench, made } = await openSettled(checked, {
        dialect,
        ask: () => async () => ({ problem: "no replica" }),
      });
      bench.simulator.change(made.id, { replicas: 0 });
      const held = isRefreshed ? await refresh(bench, made) : made;
      forget(bench);
      const kept = { ...checked, replicas: held.state["replicas"] };
      const { state } = await change(bench, held, { ...kept, ...changes });
      expect(state).toMatchObject({ ...kept, ...changes, settled: true });
      expect(writes(bench.simulator)).toEqual(calls);
      expect(bench.simulator.requests.findLast(({ method }) => method !== "GET" && method !== "POST")?.body).toEqual(
        sent,
      );
      expect(bench.simulator.cluster(made.id)).toMatchObject({ replicas: 0, deployed: { env } });
      expect(bench.messages.filter((text) => waits.test(text))).toEqual([]);
    }
  });

  const whole = { updateMethod: "POST", updateSemantics: "replace", updateRollsOut: false } as const;

  /** Each body is offered by every method until the service accepts one. */
  const attempts = [patch, put, post, patch, put, post, redeploy, scale];

  it.each<[string, Partial<Dialect>, string[]]>([
    ["adds the replicas that the program requests, and then waits for them", {}, [patch, redeploy, scale]],
    ["redeploys replicas that the update itself adds, with the old configuration", whole, attempts],
  ])("%s", async (_title, dialect, calls) => {
    const { bench, made } = await openSettled(checked, { dialect });
    bench.simulator.change(made.id, { replicas: 0 });
    const wanted = { ...checked, env };
    await reach(bench, await refresh(bench, made), wanted, calls);
    expect(bench.simulator.cluster(made.id)).toMatchObject({ replicas: 2, deployed: { env } });
  });
});

const changesOf = (bench: Fixture, held: Held, news: Properties) => toDo(bench, held, { ...checked, ...news });

it("an update whose redeploy is refused keeps the configuration that the replicas run, and the next one rolls the new one out", async () => {
  const { bench, made } = await openSettled(checked, { dialect: { updateRollsOut: false } });
  bench.simulator.fault({ kind: "status", status: 403, method: "POST", path: "/v1/clusters/*/redeploy" });
  const left = await bench.run(initErrorOf(update(bench, made, { env })));
  // The service has the new values by then, and shows them; the replicas still run the old ones.
  expect(bench.simulator.cluster(made.id)).toMatchObject({ env, deployed: { env: checked["env"] } });
  const found = await refresh(bench, left);
  for (const { state } of [left, found]) expect(state).toMatchObject({ env: checked["env"], settled: false });
  expect(changesOf(bench, found, { env })).toEqual(["env.MODEL", "settled"]);
  const { state } = await reach(bench, found, { ...checked, env }, [patch, redeploy]);
  expect(state).not.toHaveProperty("__unfinished");
  expect(bench.simulator.cluster(left.id)?.deployed).toMatchObject({ env });
});

it("a failed creation is finished by an update that sends nothing, and variables that the service adds are no drift", async () => {
  const bench = await openFixture({ dialect: { injectedEnv: { REGION: "eu-north" } }, provisioningMs: 300_000 });
  const left = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), checked)));
  await bench.clock.advance(300_000);
  const late = await refresh(bench, left);
  expect(late.state).toMatchObject({ ...checked, status: "running", readyReplicas: 2, settled: false });
  for (const found of [left, late]) expect(changesOf(bench, found, {})).toEqual(["settled"]);
  forget(bench);
  const { state } = await reach(bench, late, checked, []);
  expect(state["env"]).toEqual(checked["env"]);
  expect(warnings(bench)).toEqual([]);
});

it("a refused update of the replicas keeps the number that another user has set", async () => {
  const { bench, made } = await openSettled(checked);
  bench.simulator.change(made.id, { replicas: 5 });
  bench.simulator.fault({ kind: "status", status: 409, method: "POST", path: "/v1/clusters/*/scale", times: 5 });
  const left = await bench.run(initErrorOf(update(bench, made, { replicas: 4 })));
  expect(left.state).toMatchObject({ ...checked, replicas: 5, settled: false });
  expect(changesOf(bench, left, { replicas: 4 })).toEqual(["replicas", "settled"]);
  await reach(bench, left, { ...checked, replicas: 4 }, [scale]);
});
