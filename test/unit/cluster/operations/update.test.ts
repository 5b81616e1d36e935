import type { Properties } from "../../../../provider/contract";
import type { Dialect } from "../../../../simulator";
import { openFixture, openSettled, patch, redeploy, scale } from "../harness";
import { checked } from "../inputs";

const put = "PUT /v1/clusters/:id";
const env = { MODEL: "another-value" };

it("an update of a cluster that is gone fails with the way out, and sends nothing", async () => {
  const { fixture, made } = await openSettled(checked);
  await fixture.clock.advance(120_000);
  fixture.simulator.change(made.id, { status: "gone" });
  const { text } = await fixture.failingChange(made, { ...checked, replicas: 4 });
  expect(text).toMatch(/no longer exists in the service\. Run `pulumi refresh`, then/);
  expect(fixture.writes()).toEqual([]);
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
