import { InitError, type Properties } from "../../../../provider/contract";
import type { ForeignCluster } from "../../../../simulator";
import {
  countOf,
  type Fixture,
  failureOf,
  forget,
  openFixture,
  patch,
  restart,
  scale,
  stop,
  toRun,
  writes,
} from "../harness";
import { urnOf } from "../inputs";

const container = "team/server:1.0";
const env = { MODEL: "llama-3-8b", MODE: "value-of-mode" };
const prod: ForeignCluster = { name: "prod", gpuType: "h100", replicas: 2, container, env };
/** The checked inputs of a program that sets no name. */
const wanted: Properties = { ...toRun, container, env, name: "web-1234567", __generatedName: true };

/** An unmanaged cluster, and the inputs that adopt it. */
async function find(bench: Fixture, cluster: Partial<ForeignCluster> = {}, inputs: Properties = {}) {
  const { id } = bench.simulator.addCluster({ ...prod, ...cluster });
  return { id, inputs: { ...wanted, ...inputs, adopt: id } };
}

async function adopt(bench: Fixture, inputs: Properties) {
  forget(bench);
  return bench.run(bench.cluster.create(bench.ctx(), inputs));
}

describe("an adopted cluster", () => {
  it("is not changed if it is as the program says, and keeps its name, endpoint and age", async () => {
    const bench = await openFixture();
    const { id, inputs } = await find(bench, { createdAt: bench.clock.now() - 86_400_000 });
    const at = await adopt(bench, inputs);
    const { endpoint, createdAt } = bench.simulator.cluster(id) ?? {};
    expect(writes(bench.simulator)).toEqual([]);
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(0);
    expect(at).toMatchObject({ id, state: { name: "prod", endpoint, createdAt, settled: true, unverifiedInputs: [] } });
    await bench.expectAtGoal(at, inputs);
    expect(bench.warnings()).toEqual([]);
  });

  const other = { ...env, OTHER: "1" };
  it.each<[string, Partial<ForeignCluster>, Properties, string[], object]>([
    ["is scaled if it has more replicas", { replicas: 5 }, {}, [scale], { env }],
    ["is updated once if a variable differs", { env: { ...env, MODE: "slow" } }, {}, [patch], { env, generation: 2 }],
    ["keeps a variable that the program does not set", { env: other }, {}, [], { env: other }],
    ["is started if the program requests that", { status: "stopped" }, {}, [restart], { env, generation: 2 }],
    ["is stopped if the program requests that", {}, { desiredStatus: "stopped" }, [stop], { status: "stopped" }],
  ])("%s", async (_title, cluster, changes, calls, goal) => {
    const bench = await openFixture();
    const { inputs } = await find(bench, cluster, changes);
    const at = await adopt(bench, inputs);
    expect(writes(bench.simulator)).toEqual(calls);
    expect(bench.running(at)).toMatchObject({ status: "running", restarts: 0, ...goal });
    expect(bench.simulator.cluster(at.id)?.replicas).toBe(2);
    await bench.expectAtGoal(at, inputs);
    expect(bench.warnings()).toEqual([]);
  });

  it("runs no trigger, even when `adopt` is removed", async () => {
    const bench = await openFixture();
    const { inputs } = await find(bench, {}, { restartTriggers: ["a"], redeployTriggers: { v: 1 } });
    const at = await adopt(bench, inputs);
    const { adopt: _adopt, ...without } = inputs;
    expect(bench.toDo(at, without)).toEqual([]);
    expect(writes(bench.simulator)).toEqual([]);
    await bench.reach(at, { ...without, restartTriggers: ["b"] }, [restart]);
  });

  it("keeps its name although the engine has the generated one, and is deleted like any other", async () => {
    const bench = await openFixture();
    const { id, inputs } = await find(bench);
    const at = await bench.reach(await adopt(bench, inputs), { ...inputs, replicas: 3 });
    expect(at.state["name"]).toBe("prod");
    // Another run is another process.
    const next = bench.as("seen");
    await bench.run(next.delete(bench.ctx(), id, at.state));
    expect(bench.simulator.cluster(id)?.status).toBe("gone");
  });
});

/** An adoption that has to fail without a write. */
async function failingAdoption(bench: Fixture, inputs: Properties, name = "web"): Promise<Error> {
  forget(bench);
  const error = await bench.run(failureOf(bench.cluster.create(bench.ctx({ urn: urnOf(name) }), inputs)));
  expect(writes(bench.simulator)).toEqual([]);
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
    const bench = await openFixture();
    const { id, inputs } = await find(bench, cluster, changes);
    const { message } = await failingAdoption(bench, inputs);
    expect(message).toMatch(/^cluster ".*" \(cl_\w+\) was not adopted: /);
    expect(message).toContain(id);
    expect(message).toMatch(text);
  });

  it("fails for the second of two resources", async () => {
    const bench = await openFixture();
    const { inputs } = await find(bench);
    await adopt(bench, inputs);
    const { message } = await failingAdoption(bench, inputs, "twin");
    expect(message).toContain(`was not adopted: ${urnOf("web")} already adopts it`);
  });

  it("keeps id and state if a change fails, and the next update completes it", async () => {
    const bench = await openFixture();
    const { id, inputs } = await find(bench, { replicas: 5 });
    bench.simulator.fault({ kind: "status", status: 422, message: "no such thing", method: "POST", path: "**/scale" });
    const error = await bench.failingCreate(inputs, {});
    expect(error.id).toBe(id);
    expect(error.reasons.join("\n")).toMatch(
      /^cluster "web-1234567" \(cl_\w+\) was adopted, but was not changed completely: .*no such thing.*\n.*`pulumi up` again/,
    );
    expect(error.state).toMatchObject({ name: "prod", settled: false });
    await bench.reach(error, inputs, [scale]);
  });
});

describe("the deletion of the old state entry of a cluster", () => {
  const old = (bench: Fixture) => bench.ctx({ urn: urnOf("old") });

  it.each([
    ["keeps a cluster that this run has adopted", false],
    ["keeps a cluster that an earlier run has adopted", true],
  ])("%s, with a warning", async (_title, isEarlier) => {
    const bench = await openFixture();
    const { id, inputs } = await find(bench);
    const at = await adopt(bench, inputs);
    const cluster = isEarlier ? bench.as("seen") : bench.cluster;
    forget(bench);
    if (isEarlier) await bench.run(cluster.check(bench.ctx(), inputs, at.state));
    await bench.run(cluster.delete(old(bench), id, at.state));
    expect(writes(bench.simulator)).toEqual([]);
    expect(bench.running(at).status).toBe("running");
    const text = `cluster "prod" (${id}): not deleted, because another resource of this program has adopted it`;
    expect(bench.warnings()).toEqual([expect.stringContaining(text)]);
  });

  it("fails if the adoption failed", async () => {
    const bench = await openFixture();
    const { id, inputs } = await find(bench);
    const found = await bench.run(bench.cluster.read(old(bench), id));
    bench.simulator.fault({ kind: "status", status: 403, path: "/v1/clusters/*", times: 9 });
    await bench.run(bench.cluster.check(bench.ctx(), { ...inputs, name: undefined }));
    await failingAdoption(bench, inputs);
    const { message } = await bench.run(failureOf(bench.cluster.delete(old(bench), id, found?.state ?? {})));
    expect(message).toContain(`(${id}) was not deleted: another resource adopts it, and failed`);
    expect(writes(bench.simulator)).toEqual([]);
  });
});

describe("an adoption with another env, in a service that cannot update clusters,", () => {
  const faults = (["PATCH", "PUT", "POST"] as const).map((method) => {
    return { kind: "status" as const, status: 405, method, path: "/v1/clusters/*", times: 99 };
  });
  const slow = { env: { ...env, MODE: "slow" } };

  it("does not stop the cluster before that is known", async () => {
    const bench = await openFixture({ faults });
    const { id, inputs } = await find(bench, slow, { desiredStatus: "stopped" });
    const error = await failureOf(adopt(bench, inputs));
    expect(error.message).toContain(`(${id}) was not adopted: \`env\` cannot be changed in place`);
    expect(writes(bench.simulator)).not.toContain(stop);
    expect(bench.simulator.cluster(id)?.status).toBe("running");
  });

  it("fails without an id for the state, and sends nothing at the next attempt", async () => {
    const bench = await openFixture({ faults });
    const { id, inputs } = await find(bench, slow);
    const error = await failureOf(adopt(bench, inputs));
    expect(error).not.toBeInstanceOf(InitError);
    expect(error.message).toMatch(
      new RegExp(`\\(${id}\\) was not adopted: \`env\` cannot be changed in place: .*; set it to what ${id} has$`),
    );
    const again = await failingAdoption(bench, inputs);
    expect(again.message).toContain(`was not adopted: \`env\` is not that of ${id} (env.MODE)`);
  });
});
