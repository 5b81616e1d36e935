import { InitError, type Properties } from "../../../../provider/contract";
import type { ClusterChanges, ForeignCluster } from "../../../../simulator";
import { countOf, type Fixture, failureOf, forget, initErrorOf, openFixture, writes } from "../harness";
import { urnOf } from "../inputs";
import * as power from "../powerHarness";

const { asked, expectAtGoal, reach, running, toDo, warnings } = power;
const { patch, restart, scale, stop } = power;

const container = "team/server:1.0";
const env = { MODEL: "llama-3-8b", MODE: "value-of-mode" };
const prod: ForeignCluster = { name: "prod", gpuType: "h100", replicas: 2, container, env };
/** Inputs of a program that gives no name, as check hands them out before it has looked. */
const wanted: Properties = { ...asked, container, env, name: "web-1234567", __generatedName: true };

/** A cluster that somebody made, and the inputs that take it over. */
async function find(bench: Fixture, cluster: Partial<ForeignCluster> = {}, inputs: Properties = {}) {
  const { id } = bench.simulator.addCluster({ ...prod, ...cluster });
  return { id, inputs: { ...wanted, ...inputs, adopt: id } };
}

async function adopt(bench: Fixture, inputs: Properties) {
  forget(bench);
  return bench.run(bench.cluster.create(bench.ctx(), inputs));
}

describe("a cluster that is taken over", () => {
  it("and is as the program says gets no change, keeps its name, endpoint and age, and has nothing to do", async () => {
    const bench = await openFixture();
    const { id, inputs } = await find(bench, { createdAt: bench.clock.now() - 86_400_000 });
    const at = await adopt(bench, inputs);
    const { endpoint, createdAt } = bench.simulator.cluster(id) ?? {};
    expect(writes(bench.simulator)).toEqual([]);
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(0);
    expect(at).toMatchObject({ id, state: { name: "prod", endpoint, createdAt, settled: true, unverifiedInputs: [] } });
    await expectAtGoal(bench, at, inputs);
    expect(warnings(bench)).toEqual([]);
  });

  it.each<[string, Partial<ForeignCluster>, string[]]>([
    ["more replicas", { replicas: 5 }, [scale]],
    ["another value", { env: { ...env, MODE: "slow" } }, [patch]],
    ["a variable of its own", { env: { ...env, OWN: "1" } }, []],
  ])("and has %s is put right by the fewest requests", async (_title, cluster, calls) => {
    const bench = await openFixture();
    const { inputs } = await find(bench, cluster);
    const at = await adopt(bench, inputs);
    expect(writes(bench.simulator)).toEqual(calls);
    const isPatched = calls.includes(patch);
    expect(running(bench, at)).toMatchObject({ status: "running", restarts: 0, generation: isPatched ? 2 : 1 });
    const has = isPatched ? env : (cluster.env ?? env);
    expect(bench.simulator.cluster(at.id)).toMatchObject({ replicas: 2, env: has });
    await expectAtGoal(bench, at, inputs);
    expect(warnings(bench)).toEqual([]);
  });

  it.each<[string, ClusterChanges, string[], string]>([
    ["stopped, and shall run, is started", { status: "stopped" }, [restart], "running"],
    ["running, and shall be stopped, is stopped", {}, [stop], "stopped"],
  ])("and is %s", async (_title, changes, calls, status) => {
    const bench = await openFixture();
    const found = await find(bench, {}, { desiredStatus: status });
    bench.simulator.change(found.id, changes);
    const at = await adopt(bench, found.inputs);
    expect(writes(bench.simulator)).toEqual(calls);
    expect(running(bench, at).status).toBe(status);
    await expectAtGoal(bench, at, found.inputs);
  });

  it("runs no trigger, neither then nor when `adopt` is removed", async () => {
    const bench = await openFixture();
    const { inputs } = await find(bench, {}, { restartTriggers: ["a"], redeployTriggers: { v: 1 } });
    const at = await adopt(bench, inputs);
    const { adopt: _adopt, ...without } = inputs;
    expect(toDo(bench, at, without)).toEqual([]);
    expect(writes(bench.simulator)).toEqual([]);
    await reach(bench, at, { ...without, restartTriggers: ["b"] }, [restart]);
  });

  it("goes on under its own name where the engine still has the made one, and is deleted like any other", async () => {
    const bench = await openFixture();
    const { id, inputs } = await find(bench);
    const at = await reach(bench, await adopt(bench, inputs), { ...inputs, replicas: 3 });
    expect(at.state["name"]).toBe("prod");
    // Another run is another process.
    const next = bench.as("seen");
    await bench.run(next.delete(bench.ctx(), id, at.state));
    expect(bench.simulator.cluster(id)?.status).toBe("gone");
  });
});

/** An adoption that has to fail, and sends nothing that changes something. */
async function failingAdoption(bench: Fixture, inputs: Properties, name = "web"): Promise<Error> {
  forget(bench);
  const error = await bench.run(failureOf(bench.cluster.create(bench.ctx({ urn: urnOf(name) }), inputs)));
  expect(writes(bench.simulator)).toEqual([]);
  return error;
}

describe("a cluster that is not taken over", () => {
  it.each<[string, Partial<ForeignCluster>, Properties, RegExp]>([
    ["another GPU type", { gpuType: "l4" }, {}, /`gpuType` is "h100", but cl_\w+ has "l4"; set `gpuType` to that$/],
    [
      "another name than is given",
      {},
      { name: "web", __generatedName: false },
      /`name` is "web", but cl_\w+ is "prod"; remove `name`, or set it to that$/,
    ],
    ["been deleted", { status: "gone" }, {}, /it is not a cluster that this API key can see; getClusters\(\) lists/],
  ])("where it has %s, is not touched, and no other is made", async (_title, cluster, changes, text) => {
    const bench = await openFixture();
    const { id, inputs } = await find(bench, cluster, changes);
    const { message } = await failingAdoption(bench, inputs);
    expect(message).toMatch(/^cluster ".*" \(cl_\w+\) was not adopted: /);
    expect(message).toContain(id);
    expect(message).toMatch(text);
  });

  it("where the program takes it over twice, goes to one of the two", async () => {
    const bench = await openFixture();
    const { inputs } = await find(bench);
    await adopt(bench, inputs);
    const { message } = await failingAdoption(bench, inputs, "twin");
    expect(message).toContain(`was not adopted: ${urnOf("web")} already adopts it`);
  });
});

it("a take-over that fails half-way keeps id and state, and the next update completes it", async () => {
  const bench = await openFixture();
  const { id, inputs } = await find(bench, { replicas: 5 });
  bench.simulator.fault({ kind: "status", status: 422, message: "no such thing", method: "POST", path: "**/scale" });
  const error = await bench.run(initErrorOf(bench.cluster.create(bench.ctx(), inputs)));
  expect(error.id).toBe(id);
  expect(error.reasons.join("\n")).toMatch(
    /^cluster "web-1234567" \(cl_\w+\) was adopted, but was not changed completely: .*no such thing.*\n.*`pulumi up` again/,
  );
  expect(error.state).toMatchObject({ name: "prod", settled: false });
  await reach(bench, error, inputs, [scale]);
});

describe("the deletion of the old entry of a cluster", () => {
  const old = (bench: Fixture) => bench.ctx({ urn: urnOf("old") });

  it.each(["this run", "an earlier run"])("that %s has taken over leaves it as it is, and says so", async (run) => {
    const bench = await openFixture();
    const { id, inputs } = await find(bench);
    const at = await adopt(bench, inputs);
    const cluster = run === "this run" ? bench.cluster : bench.as("seen");
    forget(bench);
    if (run === "an earlier run") await bench.run(cluster.check(bench.ctx(), inputs, at.state));
    await bench.run(cluster.delete(old(bench), id, at.state));
    expect(writes(bench.simulator)).toEqual([]);
    expect(running(bench, at).status).toBe("running");
    const text = `cluster "prod" (${id}): not deleted, because another resource of this program has adopted it`;
    expect(warnings(bench)).toEqual([expect.stringContaining(text)]);
  });

  it("that was to be taken over, and was not, is an error, and the entry stays", async () => {
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

describe("a cluster with another env, in a service that cannot update clusters,", () => {
  it("is not stopped before that is known, if the program has it stopped", async () => {
    const refused = (["PATCH", "PUT", "POST"] as const).map((method) => {
      return { kind: "status" as const, status: 405, method, path: "/v1/clusters/*", times: 99 };
    });
    const bench = await openFixture({ faults: refused });
    const { id, inputs } = await find(bench, { env: { ...env, MODE: "slow" } }, { desiredStatus: "stopped" });
    const error = await failureOf(adopt(bench, inputs));
    expect(error.message).toContain(`(${id}) was not adopted: \`env\` cannot be changed in place`);
    expect(writes(bench.simulator)).not.toContain(stop);
    expect(bench.simulator.cluster(id)?.status).toBe("running");
  });

  it("is not taken over if only its refusal shows that; the next attempt sends nothing", async () => {
    const refused = (["PATCH", "PUT", "POST"] as const).map((method) => {
      return { kind: "status" as const, status: 405, method, path: "/v1/clusters/*", times: 99 };
    });
    const bench = await openFixture({ faults: refused });
    const { id, inputs } = await find(bench, { env: { ...env, MODE: "slow" } });
    const error = await failureOf(adopt(bench, inputs));
    expect(error).not.toBeInstanceOf(InitError);
    expect(error.message).toMatch(
      new RegExp(`\\(${id}\\) was not adopted: \`env\` cannot be changed in place: .*; set it to what ${id} has$`),
    );
    const again = await failingAdoption(bench, inputs);
    expect(again.message).toContain(`was not adopted: \`env\` is not that of ${id} (env.MODE)`);
  });
});
