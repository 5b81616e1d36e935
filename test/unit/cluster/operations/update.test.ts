import { diffCluster } from "../../../../provider/cluster/diff/diff";
import type { Properties } from "../../../../provider/contract";
import type { ClusterChanges, Dialect } from "../../../../simulator";
import { failureOf, openFixture, openSettled, patch, redeploy, scale } from "../harness";
import { checked } from "../inputs";

const put = "PUT /v1/clusters/:id";
const env = { MODEL: "another-value" };
const container = "a/b:2";

it.each<[string, string, Properties, string[]]>([
  ["of env and replicas sends two requests", "plain", { env, replicas: 4 }, [patch, scale]],
  ["of env and fewer replicas redeploys first", "minimal", { env, replicas: 1 }, [patch, redeploy, scale]],
])("an update %s, and ends as requested", async (_title, dialect, news, calls) => {
  const { fixture, made } = await openSettled(checked, { dialect });
  const wanted: Properties = JSON.parse(JSON.stringify({ ...checked, ...news }));
  const { state } = await fixture.change(made, wanted);
  expect(fixture.writes()).toEqual(calls);
  const cluster = fixture.simulator.cluster(made.id);
  expect(cluster?.deployed).toEqual({ container: wanted["container"], env: wanted["env"] ?? {} });
  expect(cluster?.replicaStates.map(({ healthy }) => healthy)).toEqual(Array(wanted["replicas"]).fill(true));
  expect(state).toMatchObject({ ...wanted, settled: true, readyReplicas: wanted["replicas"], status: "running" });
  expect(diffCluster(state, wanted).changes).toEqual({});
  expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state);
});

it("an update of a cluster that is gone fails with the way out, and sends nothing", async () => {
  const { fixture, made } = await openSettled(checked);
  await fixture.clock.advance(120_000);
  fixture.simulator.change(made.id, { status: "gone" });
  const { message } = await failureOf(fixture.change(made, { ...checked, replicas: 4 }));
  expect(message).toMatch(/no longer exists in the service\. Run `pulumi refresh`, then/);
  expect(fixture.writes()).toEqual([]);
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
    const { fixture, made } = await openSettled(observed, { dialect: { envEcho: "same", containerEcho: "same" } });
    fixture.simulator.change(made.id, others);
    await fixture.run(fixture.clock.sleep(60_000));
    const wanted = { ...observed, ...changes };
    const next = await fixture.change(made, wanted);
    expect(fixture.simulator.cluster(made.id)).toMatchObject({ ...others, ...changes });
    expect(next.state).toMatchObject({ ...wanted, settled: true });
    // It is drift, which a refresh shows and the next update corrects.
    const found = await fixture.refresh(next);
    expect(fixture.toDo(found, wanted).map((path) => path.split(".")[0])).toContain(Object.keys(others)[0]);
    await fixture.change(found, wanted);
    expect(fixture.simulator.cluster(made.id)).toMatchObject({ ...wanted, gpuType: "h100" });
  });

  it("sends what the diff shows, and what an earlier update did not finish", async () => {
    const { fixture, id, state } = await openSettled(observed);
    fixture.simulator.change(id, { replicas: 6 });
    await fixture.change({ id, state }, { ...observed, replicas: 3 });
    expect(fixture.simulator.cluster(id)?.replicas).toBe(3);
    fixture.simulator.change(id, { replicas: 6 });
    const left = { ...state, settled: false, __unfinished: { kind: "update", paths: ["container"] } };
    await fixture.change({ id, state: left }, observed);
    expect(fixture.simulator.cluster(id)?.replicas).toBe(6);
    await fixture.change({ id, state: { ...left, __unfinished: { kind: "update", paths: ["replicas"] } } }, observed);
    expect(fixture.simulator.cluster(id)?.replicas).toBe(2);
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
      const ask = () => async () => ({ problem: "no replica" });
      const { fixture, made } = await openSettled(checked, { dialect, ask });
      fixture.simulator.change(made.id, { replicas: 0 });
      const held = isRefreshed ? await fixture.refresh(made) : made;
      fixture.forget();
      const kept = { ...checked, replicas: held.state["replicas"] };
      const { state } = await fixture.change(held, { ...kept, ...changes });
      expect(state).toMatchObject({ ...kept, ...changes, settled: true });
      expect(fixture.writes()).toEqual(calls);
      expect(fixture.simulator.requests.findLast(({ method }) => method !== "GET" && method !== "POST")?.body).toEqual(
        sent,
      );
      expect(fixture.simulator.cluster(made.id)).toMatchObject({ replicas: 0, deployed: { env } });
      expect(fixture.messages.filter((text) => waits.test(text))).toEqual([]);
    }
  });

  it.each<[string, Partial<Dialect>]>([
    ["adds the replicas that the program requests, and then waits for them", {}],
    [
      "redeploys replicas that the update itself adds, with the old configuration",
      { updateMethod: "POST", updateSemantics: "replace", updateRollsOut: false },
    ],
  ])("%s", async (_title, dialect) => {
    const { fixture, made } = await openSettled(checked, { dialect });
    fixture.simulator.change(made.id, { replicas: 0 });
    await fixture.reach(await fixture.refresh(made), { ...checked, env });
    expect(fixture.simulator.cluster(made.id)).toMatchObject({ replicas: 2, deployed: { env } });
  });
});

it("an update whose redeploy is refused keeps the configuration that the replicas run, and the next one rolls the new one out", async () => {
  const { fixture, made } = await openSettled(checked, { dialect: { updateRollsOut: false } });
  fixture.simulator.fault({ kind: "status", status: 403, method: "POST", path: "/v1/clusters/*/redeploy" });
  const left = await fixture.failingChange(made, { ...checked, env });
  // The service has the new values by then, and shows them; the replicas still run the old ones.
  expect(fixture.simulator.cluster(made.id)).toMatchObject({ env, deployed: { env: checked["env"] } });
  const found = await fixture.refresh(left);
  for (const { state } of [left, found]) expect(state).toMatchObject({ env: checked["env"], settled: false });
  expect(fixture.toDo(found, { ...checked, env })).toEqual(["env.MODEL", "settled"]);
  const { state } = await fixture.reach(found, { ...checked, env }, [patch, redeploy]);
  expect(state).not.toHaveProperty("__unfinished");
  expect(fixture.simulator.cluster(left.id)?.deployed).toMatchObject({ env });
});

it("a failed creation is finished by an update that sends nothing, and variables that the service adds are no drift", async () => {
  const fixture = await openFixture({ dialect: { injectedEnv: { REGION: "eu-north" } }, provisioningMs: 300_000 });
  const left = await fixture.failingCreate(checked);
  await fixture.clock.advance(300_000);
  const late = await fixture.refresh(left);
  expect(late.state).toMatchObject({ ...checked, status: "running", readyReplicas: 2, settled: false });
  for (const found of [left, late]) expect(fixture.toDo(found, checked)).toEqual(["settled"]);
  fixture.forget();
  const { state } = await fixture.reach(late, checked, []);
  expect(state["env"]).toEqual(checked["env"]);
  expect(fixture.warnings()).toEqual([]);
});

it("a refused update of the replicas leaves the number that another user has set, and takes no drift into the state", async () => {
  const { fixture, made } = await openSettled(checked);
  fixture.simulator.change(made.id, { replicas: 5 });
  fixture.simulator.fault({ kind: "status", status: 409, method: "POST", path: "/v1/clusters/*/scale", times: 5 });
  const left = await fixture.failingChange(made, { ...checked, replicas: 4 });
  expect(fixture.simulator.cluster(made.id)?.replicas).toBe(5);
  expect(left.state).toMatchObject({ ...checked, replicas: 2, settled: false });
  expect(fixture.toDo(left, { ...checked, replicas: 4 })).toEqual(["replicas", "settled"]);
  await fixture.reach(left, { ...checked, replicas: 4 }, [scale]);
});

it("an update of inputs that only this package reads sends no request, and changes nothing else in the state", async () => {
  const before = { ...checked, restartTriggers: ["a"] };
  const changes = { maxHourlyCost: 100, restartTriggers: undefined, skipAwait: true, __timeouts: { create: "2h" } };
  const wanted: Properties = JSON.parse(JSON.stringify({ ...before, ...changes }));
  const { fixture, made } = await openSettled(before);
  expect(fixture.toDo(made, wanted)).not.toEqual([]);
  const { id, state } = await fixture.change(made, wanted);
  expect(fixture.simulator.requests).toEqual([]);
  expect(state).toEqual(JSON.parse(JSON.stringify({ ...made.state, ...changes })));
  expect(fixture.toDo({ id, state }, wanted)).toEqual([]);
});
