import { InitError, type Properties } from "../../../../provider/contract";
import type { ClusterChanges, Dialect, ForeignCluster } from "../../../../simulator";
import { type Bench, countOf, failureOf, forget, initErrorOf, openBench, writes } from "../harness";
import { urnOf } from "../inputs";
import * as power from "../powerHarness";

const { asked, expectAtGoal, reach, running, toDo, warnings } = power;
const { patch, redeploy, restart, scale, stop } = power;

const container = "team/server:1.0";
const env = { MODEL: "llama-3-8b", MODE: "value-of-mode" };
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
    ["more replicas", { replicas: 5 }, [scale]],
    ["another container", { container: "team/server:0.9" }, [patch]],
    ["another value", { env: { ...env, MODE: "slow" } }, [patch]],
    ["a container of the registry that is meant", { container: `docker.io/${container}` }, []],
    ["a variable of its own", { env: { ...env, OWN: "1" } }, []],
  ])("and has %s is put right by the fewest requests", async (_title, cluster, calls) => {
    const bench = await openBench();
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
    ["stopped, and stays so, is left alone", { status: "stopped" }, [], "stopped"],
    ["running, and shall be stopped, is stopped", {}, [stop], "stopped"],
    ["failed is rolled out again", { status: "failed" }, [patch, redeploy], "running"],
  ])("and is %s", async (_title, changes, calls, status) => {
    const bench = await openBench();
    const found = await find(bench, {}, { desiredStatus: status });
    bench.simulator.change(found.id, changes);
    const at = await adopt(bench, found.inputs);
    expect(writes(bench.simulator)).toEqual(calls);
    expect(running(bench, at).status).toBe(status);
    await expectAtGoal(bench, at, found.inputs);
  });

  it("runs no trigger, neither then nor when `adopt` is removed", async () => {
    const bench = await openBench();
    const { inputs } = await find(bench, {}, { restartTriggers: ["a"], redeployTriggers: { v: 1 } });
    const at = await adopt(bench, inputs);
    const { adopt: _adopt, ...without } = inputs;
    expect(toDo(bench, at, without)).toEqual([]);
    expect(writes(bench.simulator)).toEqual([]);
    await reach(bench, at, { ...without, restartTriggers: ["b"] }, [restart]);
  });

  it("goes on under its own name where the engine still has the made one, and is deleted like any other", async () => {
    const bench = await openBench();
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
async function failingAdoption(bench: Bench, inputs: Properties, name = "web"): Promise<Error> {
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
    const bench = await openBench();
    const { id, inputs } = await find(bench, cluster, changes);
    const { message } = await failingAdoption(bench, inputs);
    expect(message).toMatch(/^cluster ".*" \(cl_\w+\) was not adopted: /);
    expect(message).toContain(id);
    expect(message).toMatch(text);
  });

  it("where the program takes it over twice, goes to one of the two", async () => {
    const bench = await openBench();
    const { inputs } = await find(bench);
    await adopt(bench, inputs);
    const { message } = await failingAdoption(bench, inputs, "twin");
    expect(message).toContain(`was not adopted: ${urnOf("web")} already adopts it`);
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
    await reach(bench, error, inputs, []);
  });
});

describe("the deletion of the old entry of a cluster", () => {
  const old = (bench: Bench) => bench.ctx({ urn: urnOf("old") });

  it.each(["this run", "an earlier run"])("that %s has taken over leaves it as it is, and says so", async (run) => {
    const bench = await openBench();
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
    const bench = await openBench();
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
  const other = { ...env, MODE: "slow" };

  it.each([0, 1])("is not taken over if only its refusal shows that (stopped before: %d)", async (stopped) => {
    const refused = (["PATCH", "PUT", "POST"] as const).map((method) => {
      return { kind: "status" as const, status: 405, method, path: "/v1/clusters/*", times: 99 };
    });
    const bench = await openBench({ faults: refused });
    const { id, inputs } = await find(bench, { env: other, ...(stopped ? { status: "stopped" } : {}) });
    const error = await failureOf(adopt(bench, inputs));
    expect(error).not.toBeInstanceOf(InitError);
    expect(error.message).toMatch(
      new RegExp(`\\(${id}\\) was not adopted: \`env\` cannot be changed in place: .*; set it to what ${id} has$`),
    );
    expect(bench.simulator.cluster(id)).toMatchObject({ env: other, status: stopped ? "stopped" : "running" });
    // The next attempt knows it before it sends anything.
    bench.simulator.requests.splice(0);
    expect((await failureOf(adopt(bench, inputs))).message).toContain(
      `was not adopted: \`env\` is not that of ${id} (env.MODE)`,
    );
    expect(writes(bench.simulator)).toEqual([]);
  });
});

/** Takes a cluster over that runs something else than the program says. */
async function adoptFrom(dialect: Partial<Dialect>, has: Partial<ForeignCluster>) {
  const bench = await openBench({ dialect });
  const { inputs } = await find(bench, has);
  return { bench, at: await adopt(bench, inputs), inputs };
}

/** What the service shows, what the cluster has otherwise, and what is said to be unverified: none of it is changed. */
const rows: [string, Partial<Dialect>, Partial<ForeignCluster>, string[]][] = [
  ["no container", { containerEcho: "none" }, { container: "other/image:9" }, ["container"]],
  ["no env", { envEcho: "none" }, { env: { OTHER: "1" } }, ["env"]],
  ["masked values", { envEcho: "masked" }, { env: { ...env, MODE: "another" } }, ["env.MODE", "env.MODEL"]],
  ["variables of its own", { injectedEnv: { GPU_HOST: "node-7" } }, {}, []],
];

describe.each(rows)("a cluster of which the service shows %s", (_title, dialect, has, unverified) => {
  it("is taken over as it is, without drift, and sent env and container only when they change", async () => {
    const { bench, at, inputs } = await adoptFrom(dialect, has);
    expect(writes(bench.simulator)).toEqual([]);
    expect(at.state["unverifiedInputs"]).toEqual(unverified);
    expect(running(bench, at).env).toEqual(has.env ?? env);
    await expectAtGoal(bench, at, inputs);
    expect(warnings(bench)).toEqual([]);
    const scaled = await reach(bench, at, { ...inputs, replicas: 3 }, [scale]);
    expect(running(bench, scaled).env).toEqual(has.env ?? env);
    const news = { ...inputs, replicas: 3, env: { ...env, MODE: "value-after" } };
    const next = await reach(bench, scaled, news, [patch]);
    expect(running(bench, next).env).toMatchObject(news.env);
    expect(bench.simulator.cluster(next.id)?.deployed.container).toBe(container);
  });
});
