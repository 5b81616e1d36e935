import type { Client } from "../../../provider/api/client";
import { awaitTogether, type Readiness } from "../../../provider/cluster/readiness";
import type { Ctx, Properties } from "../../../provider/core";
import { InterruptedError } from "../../../provider/errors";
import { type Bench, closeAll, forget, initErrorOf, openBench, requestLines, writes } from "./harness";
import { canary, checked } from "./inputs";
import { change, type Held, refresh, running, toDo } from "./powerHarness";

afterEach(closeAll);

const unawaited: Properties = { ...checked, desiredStatus: "running", skipAwait: true };
type Clusters = Record<string, Held>;

/** Clusters that were created without a wait, and nothing in the record of requests. */
async function created(bench: Bench, keys: readonly string[], more: Properties = {}): Promise<Clusters> {
  const made = await bench.run(
    Promise.all(keys.map((key) => bench.cluster.create(bench.ctx(), { ...unawaited, ...more, name: `web-${key}` }))),
  );
  forget(bench);
  return Object.fromEntries(keys.map((key, index) => [key, made[index] as Held]));
}

/** What the engine hands to the wait for these clusters. `own`: arguments of the program. */
function inputsOf(clusters: Clusters, own: Properties = {}): Properties {
  const members = Object.entries(clusters).map(([key, { id, state }]) => [
    key,
    { ...state, id, skipAwait: undefined, ...own },
  ]);
  return JSON.parse(JSON.stringify({ clusters: Object.fromEntries(members) }));
}

const wait = (bench: Bench, inputs: Properties, olds?: Properties, ctx: Partial<Ctx> = {}): Promise<Readiness> =>
  awaitTogether(() => bench.service, bench.ctx(ctx), inputs, olds);
const polls = ({ simulator }: Bench) => requestLines(simulator).length;

describe("a wait for all clusters of a fleet", () => {
  it("ends when the last one is ready, polls with one list, and sends no write", async () => {
    const bench = await openBench({ provisioningMs: 60_000 });
    const keys = Array.from({ length: 20 }, (_, index) => String(index));
    const clusters = await created(bench, keys);
    expect(bench.simulator.clusters().map(({ status }) => status)).not.toContain("running");
    const { settled, ready } = await bench.run(wait(bench, inputsOf(clusters)));
    expect(settled).toBe(true);
    expect(Object.keys(ready)).toEqual(keys);
    for (const { replicaStates } of bench.simulator.clusters())
      expect(replicaStates.map(({ healthy }) => healthy)).toEqual([true, true]);
    expect(writes(bench.simulator)).toEqual([]);
    const lists = requestLines(bench.simulator).filter((line) => line === "GET /v1/clusters").length;
    expect(lists).toBeLessThan(65);
    expect(polls(bench)).toBeLessThan(lists + 3 * keys.length);
    expect(bench.said.join("\n")).toMatch(/status: 19\/20 clusters ready; \d+: 2\/2 replicas healthy/);
  });

  it("names each cluster that fails, still waits for the others, and keeps who is ready", async () => {
    const sick = { kind: "sick-replica" as const, replica: 1, message: "CUDA out of memory", name: "web-b" };
    const bench = await openBench({ provisioningMs: 20_000, faults: [sick] });
    const clusters = await created(bench, ["a", "b", "c"]);
    bench.simulator.change(clusters["a"]?.id ?? "", { status: "failed" });
    const error = await bench.run(initErrorOf(wait(bench, inputsOf(clusters), undefined, { timeoutMs: 120_000 })));
    expect(error.reasons[0]).toBe(
      "1 of 3 clusters are ready: run `pulumi up` again to wait for the others, with `--refresh` to start failed ones again",
    );
    expect(error.reasons[1]).toMatch(/^cluster "web-a" \(cl_\w+\) is not ready: it is failed/);
    expect(error.reasons[2]).toMatch(/^cluster "web-b" \(cl_\w+\) is not ready: timed out after 2m: 1\/2 replicas/);
    expect(error.reasons[2]).toMatch(/\n {6}replica \S+: .*CUDA out of memory/);
    expect(error.state).toEqual({ settled: false, ready: { c: expect.stringMatching(/^cl_/) } });
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("goes on with those that were not ready, and polls no other again", async () => {
    const bench = await openBench({ provisioningMs: 60_000 });
    const clusters = await created(bench, ["a", "b"]);
    const inputs = inputsOf(clusters);
    bench.simulator.change(clusters["a"]?.id ?? "", { status: "running" });
    const { state } = await bench.run(initErrorOf(wait(bench, inputs, undefined, { timeoutMs: 10_000 })));
    expect(Object.keys(Object(state["ready"]))).toEqual(["a"]);
    forget(bench);
    const { settled, ready } = await bench.run(wait(bench, inputs, state));
    expect({ settled, keys: Object.keys(ready) }).toEqual({ settled: true, keys: ["a", "b"] });
    expect(bench.simulator.requests.map(({ path }) => path).join()).not.toContain(clusters["a"]?.id);
    forget(bench);
    await bench.run(wait(bench, inputs, { settled, ready }));
    expect(polls(bench)).toBe(0);
  });

  it("succeeds once a refresh has made the next update start a failed cluster again", async () => {
    const bench = await openBench();
    const a = (await created(bench, ["a"]))["a"] as Held;
    bench.simulator.change(a.id, { status: "failed" });
    const { state } = await bench.run(initErrorOf(wait(bench, inputsOf({ a }))));
    const started = await change(bench, await refresh(bench, a), { ...unawaited, name: "web-a" });
    expect(await bench.run(wait(bench, inputsOf({ a: started }), state))).toMatchObject({ settled: true });
    expect(running(bench, a)).toMatchObject({ status: "running" });
  });

  it("explains five clusters, and counts the others", async () => {
    const bench = await openBench({ provisioningMs: 60_000 });
    const clusters = await created(bench, [..."abcdefgh"]);
    const error = await bench.run(initErrorOf(wait(bench, inputsOf(clusters), undefined, { timeoutMs: 5_000 })));
    expect(error.reasons).toHaveLength(7);
    expect(error.reasons.at(-1)).toBe("and 3 more");
  });

  it("ends at once with an interrupt, and keeps who is ready", async () => {
    const bench = await openBench({ provisioningMs: 60_000 });
    const clusters = await created(bench, ["a", "b"]);
    bench.simulator.change(clusters["a"]?.id ?? "", { status: "running" });
    const interrupt = new AbortController();
    const work = initErrorOf(wait(bench, inputsOf(clusters), undefined, { signal: interrupt.signal }));
    await bench.clock.advance(10_000);
    const atMs = bench.clock.now();
    interrupt.abort(new InterruptedError("interrupted"));
    const error = await work;
    expect(error.reasons[1]).toMatch(/is not ready: interrupted/);
    expect(Object.keys(Object(error.state["ready"]))).toEqual(["a"]);
    expect(bench.clock.now()).toBe(atMs);
  });

  it("does not concern stopped clusters, those with `skipAwait` of the program, and empty fleets", async () => {
    const bench = await openBench({ provisioningMs: 60_000 });
    const clusters = await created(bench, ["a"]);
    const stopped = wait(bench, inputsOf(clusters, { desiredStatus: "stopped" }));
    for (const work of [stopped, wait(bench, inputsOf(clusters, { skipAwait: true })), wait(bench, inputsOf({}))])
      expect(await bench.run(work)).toMatchObject({ settled: true });
    expect(polls(bench)).toBe(0);
  });

  it("hides the values of env that the service quotes", async () => {
    const sick = { kind: "sick-replica" as const, replica: 0, message: `bad model ${canary}` };
    const bench = await openBench({ faults: [sick] });
    const clusters = await created(bench, ["a"]);
    // Another process: it has seen no secret yet.
    const other = {
      ...bench.service,
      known: new (bench.service.known.constructor as new () => typeof bench.service.known)(),
    };
    const ctx = bench.ctx({ timeoutMs: 30_000 });
    const error = await bench.run(initErrorOf(awaitTogether(() => other, ctx, inputsOf(clusters))));
    expect(error.message).toContain("bad model");
    expect(JSON.stringify([error.reasons, error.state, bench.said])).not.toContain(canary);
  });
});

describe("a cluster that joins a fleet that waits together", () => {
  const each = { ...checked, desiredStatus: "running", name: "web-a" };
  const env = { MODEL: "another-value" };

  it.each<[string, Properties, Properties]>([
    ["beside nothing else", {}, {}],
    ["with a new container", {}, { container: "acme/model:2" }],
    ["with a new env", {}, { env }],
    ["with a new container, after an operation without a wait", { skipAwait: true }, { container: "acme/model:2" }],
    ["as an adopted one with a new env", { adopt: "cl_1" }, { env }],
    ["in order to stop", {}, { desiredStatus: "stopped" }],
    ["while it is stopped", { desiredStatus: "stopped" }, { desiredStatus: "stopped" }],
  ])("causes no warning, and its state has a wait: %s", async (_title, before, more) => {
    const { adopt, ...own } = before;
    const bench = await openBench();
    const made = await bench.run(bench.cluster.create(bench.ctx(), { ...each, ...own }));
    forget(bench);
    const news = { ...each, ...own, ...more, skipAwait: true };
    const adopted = () => bench.run(bench.cluster.create(bench.ctx(), { ...news, adopt: made.id }));
    const held = adopt ? await adopted() : await change(bench, made, news);
    expect(bench.said.filter((text) => text.startsWith("warning"))).toEqual([]);
    // A preview takes an output without a value for unknown, and would show another wait.
    expect(held.state["__unawaited"]).toMatchObject({ atMs: expect.any(Number) });
  });

  it("is warned of if reads still show the old container", async () => {
    const old = (real: Client): Partial<Client> => ({
      getCluster: async (...args) => ({ ...(await real.getCluster(...args)), container: "vllm/vllm-openai:v0.6.3" }),
    });
    const bench = await openBench({ client: old });
    const made = await bench.run(bench.cluster.create(bench.ctx(), each));
    await change(bench, made, { ...each, container: "acme/model:2", skipAwait: true });
    expect(bench.said.join("\n")).toMatch(/warning: .* still shows container as before/);
  });
});

describe("the wait for a cluster that others have scaled", () => {
  const inputs = (more: Properties = {}) => ({ ...unawaited, name: "web-a", ...more });

  /** A cluster that others have scaled, after an operation without a refresh. */
  async function changed(replicas: unknown, shown: number, more: Properties) {
    const bench = await openBench();
    const own = inputs({ replicas });
    const made = await bench.run(bench.cluster.create(bench.ctx(), own));
    bench.simulator.change(made.id, { replicas: shown });
    await bench.run(bench.clock.sleep(60_000));
    const held = await change(bench, made, { ...own, ...more });
    return { bench, clusters: { a: held } };
  }

  it.each<[string, unknown, number, Properties]>([
    ["a roll-out", 2, 4, { env: { MODEL: "two" } }],
    ["a restart", 2, 1, { restartTriggers: { on: 1 } }],
    ["a change of settings", 2, 4, { minHealthyReplicas: 2 }],
    ["a roll-out within a range", { min: 2, max: 8 }, 6, { env: { MODEL: "two" } }],
    ["a roll-out beyond a range", { min: 2, max: 3 }, 6, { env: { MODEL: "two" } }],
    ["a change of settings beyond a range", { min: 2, max: 3 }, 6, { minHealthyReplicas: 2 }],
  ])("is for their number after %s", async (_title, replicas, shown, more) => {
    const { bench, clusters } = await changed(replicas, shown, more);
    // As a program has them, whatever the state shows.
    const { settled } = await bench.run(wait(bench, inputsOf(clusters, { replicas }), {}, { timeoutMs: 120_000 }));
    expect(settled).toBe(true);
    expect(bench.simulator.clusters()[0]).toMatchObject({ replicas: shown });
    expect(bench.said.join("\n")).toContain(`/${shown} replicas healthy`);
  });

  it("is for the requested number after a scale", async () => {
    const { bench, clusters } = await changed(2, 5, { replicas: 3 });
    await bench.run(wait(bench, inputsOf(clusters, { replicas: 3 })));
    expect(bench.said.join("\n")).toContain("3/3 replicas healthy");
  });
});

describe("the wait after a roll-out", () => {
  const env = { MODEL: "another-value" };
  const news = { ...unawaited, name: "web-a", env };

  /** A ready cluster whose service begins to roll out this long after the redeploy. */
  async function openLate(delayMs: number) {
    const late = (real: Client): Partial<Client> => ({
      redeployCluster: async (id) => {
        void bench.clock.sleep(delayMs).then(() => real.redeployCluster(id));
        return undefined;
      },
    });
    const bench: Bench = await openBench({ dialect: { updateRollsOut: false }, provisioningMs: 20_000, client: late });
    const clusters = await created(bench, ["a"]);
    const { ready } = await bench.run(wait(bench, inputsOf(clusters)));
    return { bench, made: clusters["a"] as Held, ready };
  }

  const toDoAfterRefresh = async (bench: Bench, held: Held, inputs: Properties) =>
    toDo(bench, await refresh(bench, held), inputs);
  const renewed = { generation: 2, status: "running" };

  it.each([0, 1_000, 5_000, 25_000])(
    "that begins %d ms after the redeploy takes no old replica for a new one",
    async (delayMs) => {
      const { bench, made, ready } = await openLate(delayMs);
      const updated = await change(bench, made, news);
      const inputs = inputsOf({ a: updated });
      const seen = wait(bench, inputs, { ready }).then(() => running(bench, made));
      expect(await bench.run(seen)).toMatchObject({ ...renewed, env });
      expect(await toDoAfterRefresh(bench, updated, news)).toEqual([]);
    },
  );

  it("holds after a failure of the wait, and after a change of settings", async () => {
    const { bench, made, ready } = await openLate(20_000);
    const updated = await change(bench, made, news);
    const failed = await bench.run(initErrorOf(wait(bench, inputsOf({ a: updated }), { ready }, { timeoutMs: 2_000 })));
    const probed = { ...news, minHealthyReplicas: 2 };
    const again = await change(bench, updated, probed);
    expect(bench.simulator.requests).toEqual([]);
    const seen = wait(bench, inputsOf({ a: again }), failed.state).then(() => running(bench, made));
    expect(await bench.run(seen)).toMatchObject({ ...renewed, env });
  });

  it("waits again after each operation, whatever it has sent", async () => {
    const { bench, made, ready } = await openLate(0);
    const scaled = await change(bench, made, { ...unawaited, name: "web-a", replicas: 3 });
    const seen = wait(bench, inputsOf({ a: scaled }), { ready }).then(() => bench.simulator.cluster(made.id));
    const { replicaStates = [] } = (await bench.run(seen)) ?? {};
    expect(replicaStates.map(({ healthy }) => healthy)).toEqual([true, true, true]);
  });

  it("keeps nothing of a wait in the state of a cluster that waits by itself, and a refresh keeps it", async () => {
    const { bench, made } = await openLate(0);
    const read = await bench.run(bench.cluster.read(bench.ctx(), made.id, made.state));
    expect(read?.state["__unawaited"]).toEqual(made.state["__unawaited"]);
    expect(made.state["__unawaited"]).toEqual({ atMs: expect.any(Number), replicas: 2 });
    const each = await change(bench, made, { ...news, skipAwait: false });
    expect(each.state).not.toHaveProperty("__unawaited");
    expect(each.state).toMatchObject({ settled: true });
  });
});
