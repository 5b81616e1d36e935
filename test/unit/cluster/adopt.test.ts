import type { Properties } from "../../../provider/core";
import type { ClusterChanges, ForeignCluster } from "../../../simulator";
import { type Bench, closeAll, countOf, failureOf, forget, initErrorOf, openBench, writes } from "./harness";
import { urnOf } from "./inputs";
import {
  asked,
  change,
  expectAtGoal,
  patch,
  redeploy,
  refresh,
  restart,
  running,
  scale,
  stop,
  toDo,
  warnings,
} from "./powerHarness";

afterEach(closeAll);

const container = "team/server:1.0";
const env = { MODEL: "llama", MODE: "fast" };
const prod: ForeignCluster = { name: "prod", gpuType: "h100", replicas: 2, container, env };
/** Inputs of a program that gives no name, as check hands them out before it has looked. */
const wanted: Properties = { ...asked, container, env, name: "web-1234567", __generatedName: true };

/** A cluster that somebody made, and the inputs that take it over. */
async function find(bench: Bench, cluster: Partial<ForeignCluster> = {}, inputs: Properties = {}) {
  const { id } = bench.simulator.addCluster({ ...prod, ...cluster });
  return { id, inputs: { ...wanted, ...inputs, adopt: id } };
}

async function adopt(bench: Bench, inputs: Properties) {
  forget(bench);
  return bench.run(bench.cluster.create(bench.ctx(), inputs));
}

describe("a cluster that is taken over", () => {
  it("and is as the program says gets no change, keeps its name, endpoint and age, and has nothing to do", async () => {
    const bench = await openBench();
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
    ["fewer replicas", { replicas: 1 }, [scale]],
    ["more replicas", { replicas: 5 }, [scale]],
    ["another container", { container: "team/server:0.9" }, [patch]],
    ["another value", { env: { ...env, MODE: "slow" } }, [patch]],
    ["a variable too few", { env: { MODEL: "llama" } }, [patch]],
    ["no env, and more replicas", { env: {}, replicas: 4 }, [patch]],
    ["a container of the registry that is meant", { container: `docker.io/${container}` }, []],
    ["a variable of its own", { env: { ...env, OWN: "1" } }, []],
  ])("and has %s is put right by the fewest requests", async (_title, cluster, calls) => {
    const bench = await openBench();
    const { inputs } = await find(bench, cluster);
    const at = await adopt(bench, inputs);
    expect(writes(bench.simulator)).toEqual(calls);
    expect(running(bench, at)).toMatchObject({
      status: "running",
      restarts: 0,
      generation: calls.includes(patch) ? 2 : 1,
    });
    expect(bench.simulator.cluster(at.id)).toMatchObject({
      replicas: 2,
      env: calls.includes(patch) ? env : (cluster.env ?? env),
    });
    await expectAtGoal(bench, at, inputs);
    expect(warnings(bench)).toEqual([]);
  });

  it.each<[string, ClusterChanges, Properties, string[], string]>([
    ["stopped, and shall run, is started", { status: "stopped" }, wanted, [restart], "running"],
    [
      "stopped, and stays so, is left alone",
      { status: "stopped" },
      { ...wanted, desiredStatus: "stopped" },
      [],
      "stopped",
    ],
    ["running, and shall be stopped, is stopped", {}, { ...wanted, desiredStatus: "stopped" }, [stop], "stopped"],
    ["failed is rolled out again", { status: "failed" }, wanted, [patch, redeploy], "running"],
  ])("and is %s", async (_title, changes, inputs, calls, status) => {
    const bench = await openBench();
    const found = await find(bench, {}, inputs);
    bench.simulator.change(found.id, changes);
    const at = await adopt(bench, found.inputs);
    expect(writes(bench.simulator)).toEqual(calls);
    expect(running(bench, at).status).toBe(status);
    await expectAtGoal(bench, at, found.inputs);
  });

  it("and is provisioning is waited for", async () => {
    const bench = await openBench({ provisioningMs: 60_000 });
    const body = { name: "prod", gpuType: "h100", replicas: 2, container, env };
    const { id } = await bench.client.createCluster(body);
    const inputs = { ...wanted, adopt: id };
    const at = await adopt(bench, inputs);
    expect(writes(bench.simulator)).toEqual([]);
    await expectAtGoal(bench, at, inputs);
  });

  it("runs no trigger, neither then nor when `adopt` is removed", async () => {
    const bench = await openBench();
    const { inputs } = await find(bench, {}, { restartTriggers: ["a"], redeployTriggers: { v: 1 } });
    const at = await adopt(bench, inputs);
    const { adopt: _adopt, ...without } = inputs;
    expect(toDo(bench, at, without)).toEqual([]);
    expect(writes(bench.simulator)).toEqual([]);
    const next = await change(bench, at, { ...without, restartTriggers: ["b"] });
    expect(writes(bench.simulator)).toEqual([restart]);
    await expectAtGoal(bench, next, { ...without, restartTriggers: ["b"] });
  });

  it("goes on under its own name where the engine still has the made one, and is deleted like any other", async () => {
    const bench = await openBench();
    const { id, inputs } = await find(bench);
    const at = await change(bench, await adopt(bench, inputs), { ...inputs, replicas: 3 });
    expect(at.state["name"]).toBe("prod");
    await expectAtGoal(bench, at, { ...inputs, replicas: 3 });
    // Another run is another process.
    const next = bench.as("seen");
    await bench.run(next.delete(bench.ctx(), id, at.state));
    expect(bench.simulator.cluster(id)?.status).toBe("gone");
  });

  it("takes its name from the program in any case", async () => {
    const bench = await openBench();
    const { inputs } = await find(bench, {}, { name: "PROD", __generatedName: undefined });
    const plain: Properties = JSON.parse(JSON.stringify(inputs));
    const at = await adopt(bench, plain);
    expect(writes(bench.simulator)).toEqual([]);
    await expectAtGoal(bench, at, plain);
  });
});

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
    const bench = await openBench();
    const { id, inputs } = await find(bench, cluster, changes);
    const error = await bench.run(failureOf(bench.cluster.create(bench.ctx(), inputs)));
    expect(error.message).toMatch(/^cluster ".*" \(cl_\w+\) was not adopted: /);
    expect(error.message).toContain(id);
    expect(error.message).toMatch(text);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("where it is being deleted, is told so", async () => {
    const bench = await openBench({ deletionMs: 600_000 });
    const { id, inputs } = await find(bench);
    await bench.client.deleteCluster(id);
    forget(bench);
    const error = await bench.run(failureOf(bench.cluster.create(bench.ctx(), inputs)));
    expect(error.message).toContain(`was not adopted: \`adopt\` ${id} is terminating, so it cannot be adopted`);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("where the program takes it over twice, goes to one of the two", async () => {
    const bench = await openBench();
    const { inputs } = await find(bench);
    await adopt(bench, inputs);
    const second = bench.cluster.create(bench.ctx({ urn: urnOf("twin") }), inputs);
    const error = await bench.run(failureOf(second));
    expect(error.message).toContain(`was not adopted: ${urnOf("web")} already adopts it`);
  });

  it("where nobody can tell whether it exists, is an error, and nothing is sent", async () => {
    const bench = await openBench({ faults: [{ kind: "status", status: 500, method: "GET", times: 100 }] });
    const { inputs } = await find(bench);
    const error = await bench.run(failureOf(bench.cluster.create(bench.ctx(), inputs)));
    expect(error.message).toMatch(/HTTP 500/);
    expect(writes(bench.simulator)).toEqual([]);
  });
});

describe("a take-over that fails half-way", () => {
  it.each<[string, Partial<ForeignCluster>, string | RegExp, string[], string[]]>([
    ["the scale", { replicas: 5 }, "**/scale", [scale], [scale]],
    ["the update", { env: { ...env, MODE: "slow" }, replicas: 5 }, "/v1/clusters/*", [patch], [patch]],
    ["the start", { status: "stopped" }, /(restart|redeploy|scale)$/, [restart, redeploy, scale], [restart]],
  ])("by %s keeps id and state, and the next update completes it", async (_title, cluster, path, first, second) => {
    const bench = await openBench();
    const { id, inputs } = await find(bench, cluster);
    forget(bench);
    const refusal = { kind: "status", status: 422, message: "no such thing", path } as const;
    for (const method of ["PATCH", "POST"]) bench.simulator.fault({ ...refusal, method, times: first.length });
    const error = await bench.run(initErrorOf(bench.cluster.create(bench.ctx(), inputs)));
    expect(error.id).toBe(id);
    expect(error.reasons.join("\n")).toMatch(
      /^cluster "web-1234567" \(cl_\w+\) was adopted, but was not changed completely: /,
    );
    expect(error.reasons.join("\n")).toContain("run `pulumi up` again to continue from here");
    expect(error.state).toMatchObject({ name: "prod", settled: false });
    expect(writes(bench.simulator)).toEqual(first);
    const again = bench.as("seen");
    bench.simulator.requests.length = 0;
    const state = await bench.run(again.update(bench.ctx(), id, error.state, inputs));
    expect(writes(bench.simulator)).toEqual(second);
    expect(running(bench, { id, state })).toMatchObject({ status: "running", env });
    await expectAtGoal(bench, { id, state }, inputs);
  });

  it("in its wait keeps id and state, and the next update only waits", async () => {
    const bench = await openBench();
    const { id, inputs } = await find(bench);
    bench.simulator.change(id, { sickReplica: { replica: 0, message: "no driver" } });
    const error = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), inputs)));
    expect(error.reasons[0]).toMatch(
      /timed out after 1m: 1\/2 replicas healthy, running\n.*`pulumi up` again.*\n(.*\n)? +replica rep_\S+: unhealthy, no driver/,
    );
    bench.simulator.change(id, { sickReplica: undefined });
    const at = await change(bench, error, inputs);
    expect(writes(bench.simulator)).toEqual([]);
    await expectAtGoal(bench, at, inputs);
  });
});

describe("the deletion of the old entry of a cluster that was taken over", () => {
  it("by another resource of the program leaves the cluster as it is, and says so", async () => {
    const bench = await openBench();
    const { id, inputs } = await find(bench);
    const old = await adopt(bench, inputs);
    forget(bench);
    await bench.run(bench.cluster.delete(bench.ctx({ urn: urnOf("old") }), id, old.state));
    expect(writes(bench.simulator)).toEqual([]);
    expect(running(bench, old).status).toBe("running");
    expect(warnings(bench)).toEqual([
      expect.stringContaining(
        `cluster "prod" (${id}): not deleted, because another resource of this program has adopted it`,
      ),
    ]);
  });
});

describe("the old entry of a cluster that an earlier run has taken over", () => {
  it("goes, and leaves the cluster as it is", async () => {
    const first = await openBench();
    const { id, inputs } = await find(first);
    const at = await adopt(first, inputs);
    const next = first.as("seen");
    forget(first);
    await first.run(next.check(first.ctx(), inputs, at.state));
    await first.run(next.delete(first.ctx({ urn: urnOf("old") }), id, at.state));
    expect(writes(first.simulator)).toEqual([]);
    expect(warnings(first)).toEqual([expect.stringContaining("another resource of this program has adopted it")]);
  });
});

describe("the old entry of a cluster that was to be taken over, and was not,", () => {
  it("is not deleted, and stays", async () => {
    const bench = await openBench();
    const { id, inputs } = await find(bench);
    const old = await bench.run(bench.cluster.read(bench.ctx({ urn: urnOf("old") }), id));
    bench.simulator.fault({ kind: "status", status: 403, path: "/v1/clusters/*", times: 9 });
    await bench.run(bench.cluster.check(bench.ctx(), { ...inputs, name: undefined }));
    await bench.run(failureOf(bench.cluster.create(bench.ctx(), inputs)));
    const { message } = await bench.run(
      failureOf(bench.cluster.delete(bench.ctx({ urn: urnOf("old") }), id, old?.state ?? {})),
    );
    expect(message).toContain(`(${id}) was not deleted: another resource adopts it, and failed`);
    expect(writes(bench.simulator)).toEqual([]);
  });
});

describe("a stopped cluster that is taken over as stopped", () => {
  it("gets another number of replicas at its start", async () => {
    const bench = await openBench();
    const { id, inputs } = await find(bench, { replicas: 5, status: "stopped" }, { desiredStatus: "stopped" });
    const at = await adopt(bench, inputs);
    expect(writes(bench.simulator)).toEqual([]);
    await expectAtGoal(bench, at, inputs);
    const up = await change(bench, await refresh(bench, at), { ...inputs, desiredStatus: "running" });
    expect(bench.simulator.cluster(id)).toMatchObject({ replicas: 2, status: "running" });
    await expectAtGoal(bench, up, { ...inputs, desiredStatus: "running" });
  });

  it("keeps an env that was put right for its start", async () => {
    const bench = await openBench({ dialect: { stoppedUpdate: "refused" } });
    const other = { ...env, MODE: "slow" };
    const { inputs } = await find(bench, { env: other, status: "stopped" }, { desiredStatus: "stopped" });
    const at = await adopt(bench, inputs);
    await expectAtGoal(bench, at, inputs);
    const up = await change(bench, at, { ...inputs, desiredStatus: "running" });
    expect(running(bench, up)).toMatchObject({ status: "running", env });
    await expectAtGoal(bench, up, { ...inputs, desiredStatus: "running" });
  });
});
