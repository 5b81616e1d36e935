import { InitError, type Properties } from "../../../../provider/contract";
import type { ForeignCluster } from "../../../../simulator";
import { type Fixture, failureOf, openFixture, patch, restart, scale, stop, toRun } from "../harness";
import { urnOf } from "../inputs";

const container = "team/server:1.0";
const env = { MODEL: "llama-3-8b", MODE: "value-of-mode" };
const prod: ForeignCluster = { name: "prod", gpuType: "h100", replicas: 2, container, env };
/** The checked inputs of a program that sets no name. */
const wanted: Properties = { ...toRun, container, env, name: "web-1234567", __generatedName: true };

/** An unmanaged cluster, and the inputs that adopt it. */
async function find(fixture: Fixture, cluster: Partial<ForeignCluster> = {}, inputs: Properties = {}) {
  const { id } = fixture.simulator.addCluster({ ...prod, ...cluster });
  return { id, inputs: { ...wanted, ...inputs, adopt: id } };
}

async function adopt(fixture: Fixture, inputs: Properties) {
  fixture.forget();
  return fixture.make(inputs);
}

describe("an adopted cluster", () => {
  it("is not changed if it is as the program says, keeps its name, endpoint and age, and is deleted like any other", async () => {
    const fixture = await openFixture();
    const { id, inputs } = await find(fixture, { createdAt: fixture.clock.now() - 86_400_000 });
    const at = await adopt(fixture, inputs);
    const { endpoint, createdAt } = fixture.simulator.cluster(id) ?? {};
    expect(fixture.writes()).toEqual([]);
    expect(fixture.countOf("POST /v1/clusters")).toBe(0);
    expect(at).toMatchObject({ id, state: { name: "prod", endpoint, createdAt, settled: true, unverifiedInputs: [] } });
    await fixture.expectAtGoal(at, inputs);
    // The engine has the generated name.
    expect((await fixture.reach(at, { ...inputs, replicas: 3 }, [scale])).state["name"]).toBe("prod");
    expect(fixture.warnings()).toEqual([]);
    // Another run is another process.
    await fixture.run(fixture.as("seen").delete(fixture.ctx(), id, at.state));
    expect(fixture.simulator.cluster(id)?.status).toBe("gone");
  });

  const other = { ...env, OTHER: "1" };
  it.each<[string, Partial<ForeignCluster>, Properties, string[], object]>([
    ["is scaled if it has more replicas", { replicas: 5 }, {}, [scale], { env }],
    ["is updated once if a variable differs", { env: { ...env, MODE: "slow" } }, {}, [patch], { env, generation: 2 }],
    ["keeps a variable that the program does not set", { env: other }, {}, [], { env: other }],
    ["is started if the program requests that", { status: "stopped" }, {}, [restart], { env, generation: 2 }],
    ["is stopped if the program requests that", {}, { desiredStatus: "stopped" }, [stop], { status: "stopped" }],
  ])("%s", async (_title, cluster, changes, calls, goal) => {
    const fixture = await openFixture();
    const { inputs } = await find(fixture, cluster, changes);
    const at = await adopt(fixture, inputs);
    expect(fixture.writes()).toEqual(calls);
    expect(fixture.running(at)).toMatchObject({ status: "running", restarts: 0, ...goal });
    expect(fixture.simulator.cluster(at.id)?.replicas).toBe(2);
    await fixture.expectAtGoal(at, inputs);
    expect(fixture.warnings()).toEqual([]);
  });

  it("runs no trigger, even when `adopt` is removed", async () => {
    const fixture = await openFixture();
    const { inputs } = await find(fixture, {}, { restartTriggers: ["a"], redeployTriggers: { v: 1 } });
    const at = await adopt(fixture, inputs);
    const { adopt: _adopt, ...without } = inputs;
    expect(fixture.toDo(at, without)).toEqual([]);
    expect(fixture.writes()).toEqual([]);
    await fixture.reach(at, { ...without, restartTriggers: ["b"] }, [restart]);
  });
});

/** An adoption that has to fail without a write. */
async function failingAdoption(fixture: Fixture, inputs: Properties, name = "web"): Promise<Error> {
  fixture.forget();
  const error = await failureOf(fixture.make(inputs, { urn: urnOf(name) }));
  expect(fixture.writes()).toEqual([]);
  return error;
}

describe("an adoption", () => {
  it.each<[string, Partial<ForeignCluster>, Properties, RegExp]>([
    ["the GPU type differs", { gpuType: "l4" }, {}, /`gpuType` is "h100", but cl_\w+ has "l4"; set `gpuType` to that$/],
    [
      "the name differs",
      {},
      { name: "web", __generatedName: false },
      /`name` is "web", but cl_\w+ is "prod"; remove `name`, or set it to that$/,
    ],
    ["the cluster was deleted", { status: "gone" }, {}, /not a cluster that this API key can see; getClusters/],
  ])("fails without a write: %s", async (_title, cluster, changes, text) => {
    const fixture = await openFixture();
    const { id, inputs } = await find(fixture, cluster, changes);
    const { message } = await failingAdoption(fixture, inputs);
    expect(message).toMatch(/^cluster ".*" \(cl_\w+\) was not adopted: /);
    expect(message).toContain(id);
    expect(message).toMatch(text);
  });

  it("fails for the second of two resources", async () => {
    const fixture = await openFixture();
    const { inputs } = await find(fixture);
    await adopt(fixture, inputs);
    const { message } = await failingAdoption(fixture, inputs, "twin");
    expect(message).toContain(`was not adopted: ${urnOf("web")} already adopts it`);
  });

  it("keeps id and state if a change fails, and the next update completes it", async () => {
    const fixture = await openFixture();
    const { id, inputs } = await find(fixture, { replicas: 5 });
    fixture.simulator.fault({ kind: "status", status: 422, message: "no such thing", path: "**/scale" });
    const error = await fixture.failingCreate(inputs, {});
    expect(error.id).toBe(id);
    expect(error.reasons.join("\n")).toMatch(
      /^cluster "web-1234567" \(cl_\w+\) was adopted, but was not changed completely: .*no such thing.*\n.*`pulumi up` again/,
    );
    expect(error.state).toMatchObject({ name: "prod", settled: false });
    await fixture.reach(error, inputs, [scale]);
  });
});

describe("the deletion of the old state entry of a cluster", () => {
  const old = (fixture: Fixture) => fixture.ctx({ urn: urnOf("old") });

  it.each([
    ["keeps a cluster that this run has adopted", false],
    ["keeps a cluster that an earlier run has adopted", true],
  ])("%s, with a warning", async (_title, isEarlier) => {
    const fixture = await openFixture();
    const { id, inputs } = await find(fixture);
    const at = await adopt(fixture, inputs);
    const cluster = isEarlier ? fixture.as("seen") : fixture.cluster;
    fixture.forget();
    if (isEarlier) await fixture.run(cluster.check(fixture.ctx(), inputs, at.state));
    await fixture.run(cluster.delete(old(fixture), id, at.state));
    expect(fixture.writes()).toEqual([]);
    expect(fixture.running(at).status).toBe("running");
    const text = `cluster "prod" (${id}): not deleted, because another resource of this program has adopted it`;
    expect(fixture.warnings()).toEqual([expect.stringContaining(text)]);
  });

  it("fails if the adoption failed", async () => {
    const fixture = await openFixture();
    const { id, inputs } = await find(fixture);
    const found = await fixture.run(fixture.cluster.read(old(fixture), id));
    fixture.simulator.fault({ kind: "status", status: 403, path: "/v1/clusters/*", times: 9 });
    await fixture.run(fixture.cluster.check(fixture.ctx(), { ...inputs, name: undefined }));
    await failingAdoption(fixture, inputs);
    const { message } = await fixture.run(failureOf(fixture.cluster.delete(old(fixture), id, found?.state ?? {})));
    expect(message).toContain(`(${id}) was not deleted: another resource adopts it, and failed`);
    expect(fixture.writes()).toEqual([]);
  });
});

it("an adoption with another env, in a service without updates, fails without an id, and stops nothing before that", async () => {
  const faults = (["PATCH", "PUT", "POST"] as const).map((method) => {
    return { kind: "status" as const, status: 405, method, path: "/v1/clusters/*", times: 99 };
  });
  const fixture = await openFixture({ faults });
  const { id, inputs } = await find(fixture, { env: { ...env, MODE: "slow" } }, { desiredStatus: "stopped" });
  const error = await failureOf(adopt(fixture, inputs));
  expect(error).not.toBeInstanceOf(InitError);
  expect(error.message).toMatch(
    new RegExp(`\\(${id}\\) was not adopted: \`env\` cannot be changed in place: .*; set it to what ${id} has$`),
  );
  expect(fixture.writes()).not.toContain(stop);
  const again = await failingAdoption(fixture, inputs);
  expect(again.message).toContain(`was not adopted: \`env\` is not that of ${id} (env.MODE)`);
});
