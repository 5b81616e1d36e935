import { InterruptedError } from "../../../../provider/base/errors";
import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type Bench, closeAll, forget, initErrorOf, openBench, openSettled, writes } from "../harness";
import { checked } from "../inputs";
import { change, type Held, patch, reach, redeploy, refresh, scale, toDo } from "../powerHarness";

afterEach(closeAll);

const env = { MODEL: "another-value" };
const container = "a/b:2";
const noRedeploy: Fault = { kind: "status", status: 403, method: "POST", path: "/v1/clusters/*/redeploy" };
const manual = { dialect: { updateRollsOut: false } };

function update(bench: Bench, { id, state }: Held, news: Properties, overrides = {}) {
  return bench.cluster.update(bench.ctx(overrides), id, state, { ...checked, ...news });
}

const changesOf = (bench: Bench, held: Held, news: Properties) => toDo(bench, held, { ...checked, ...news });

describe.each<[string, Properties, string[]]>([
  ["the env", { env }, ["env.MODEL", "settled"]],
  ["the container", { container }, ["container", "settled"]],
  ["both", { env, container }, ["container", "env.MODEL", "settled"]],
])("an update of %s whose redeploy is refused", (_title, news, paths) => {
  /** The service has the new values by then, and shows them; the replicas still run the old ones. */
  async function fail(): Promise<{ bench: Bench; left: Held }> {
    const { bench, made } = await openSettled(checked, manual);
    bench.simulator.fault(noRedeploy);
    const left = await bench.run(initErrorOf(update(bench, made, news)));
    expect(bench.simulator.cluster(made.id)).toMatchObject({ ...news, deployed: { env: checked["env"] } });
    forget(bench);
    return { bench, left };
  }

  it("keeps what the replicas run in the state through reads of healthy replicas, and the diff says what is to do", async () => {
    const { bench, left } = await fail();
    const once = await refresh(bench, left);
    const twice = await refresh(bench, once);
    const kept = { env: checked["env"], container: checked["container"], settled: false };
    for (const { state } of [left, once, twice]) expect(state).toMatchObject(kept);
    expect(twice.state).toMatchObject({ status: "running", readyReplicas: 2 });
    for (const held of [once, twice]) expect(changesOf(bench, held, news)).toEqual(paths);
  });

  it.each([0, 2])("is done again by the next update, after %d reads", async (reads) => {
    const { bench, left } = await fail();
    let last = left;
    for (let time = 0; time < reads; time += 1) last = await refresh(bench, last);
    const { state } = await reach(bench, last, { ...checked, ...news }, [patch, redeploy]);
    expect(state).toMatchObject({ ...checked, ...news, settled: true });
    expect(state).not.toHaveProperty("__unfinished");
    expect(bench.simulator.cluster(left.id)?.deployed).toMatchObject(news);
  });
});

describe("an update that is interrupted", () => {
  async function interruptAfter(ms: number): Promise<{ bench: Bench; left: Held }> {
    const { bench, made } = await openSettled(checked, { ...manual, provisioningMs: 60_000 });
    const controller = new AbortController();
    const failed = initErrorOf(update(bench, made, { env, replicas: 3 }, { signal: controller.signal }));
    await bench.clock.advance(ms);
    controller.abort(new InterruptedError("interrupted"));
    return { bench, left: await bench.run(failed) };
  }

  it.each<[string, number, Properties]>([
    ["before its roll-out keeps the old env, and is done again", 2_000, { env: checked["env"] }],
    ["while it rolls out keeps the new env, and only waits the next time", 20_000, { env, replicas: 3 }],
  ])("%s", async (_title, ms, kept) => {
    const { bench, left } = await interruptAfter(ms);
    expect(left.state).toMatchObject({ ...kept, settled: false });
    const news = { env, replicas: 3 };
    const { state } = await change(bench, left, { ...checked, ...news });
    expect(state).toMatchObject({ ...news, settled: true });
    expect(bench.simulator.cluster(left.id)?.deployed).toMatchObject({ env });
    if (kept["replicas"]) expect(writes(bench.simulator)).toEqual([]);
  });
});

describe("a creation that failed before the cluster was ready", () => {
  const injected = { dialect: { injectedEnv: { REGION: "eu-north" } }, provisioningMs: 300_000 };

  async function fail(): Promise<{ bench: Bench; left: Held }> {
    const bench = await openBench(injected);
    const left = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 60_000 }), checked)));
    forget(bench);
    return { bench, left };
  }

  it("is read as unfinished, and finished by an update that sends nothing; what the service adds is no drift then", async () => {
    const { bench, left } = await fail();
    const early = await refresh(bench, left);
    await bench.clock.advance(300_000);
    const late = await refresh(bench, early);
    expect(late.state).toMatchObject({ ...checked, status: "running", readyReplicas: 2, settled: false });
    for (const found of [early, late]) expect(changesOf(bench, found, {})).toEqual(["settled"]);
    const { state } = await reach(bench, late, checked, []);
    expect(state["env"]).toEqual(checked["env"]);
    expect(bench.said.filter((text) => text.startsWith("warning"))).toEqual([]);
  });

  it("keeps what a refresh sees of the replicas, and the next update scales", async () => {
    const { bench, left } = await fail();
    await bench.clock.advance(300_000);
    bench.simulator.change(left.id, { replicas: 1 });
    const found = await refresh(bench, left);
    expect(changesOf(bench, found, {})).toEqual(["replicas", "settled"]);
    await reach(bench, found, checked, [scale]);
  });
});

describe("an update of the replicas alone that is refused", () => {
  const conflict: Fault = { kind: "status", status: 409, method: "POST", path: "/v1/clusters/*/scale", times: 5 };

  it.each<[string, number, string]>([
    ["as they are in the state", 2, "plain"],
    ["as they are in the state", 2, "terse"],
    ["where somebody else has changed them", 5, "plain"],
  ])("keeps the service's number of replicas, %s: %d (%s)", async (_title, replicas, dialect) => {
    const { bench, made } = await openSettled(checked, { dialect });
    bench.simulator.change(made.id, { replicas });
    bench.simulator.fault(conflict);
    const left = await bench.run(initErrorOf(update(bench, made, { replicas: 4 })));
    expect(left.state).toMatchObject({ ...checked, replicas, settled: false });
    expect(changesOf(bench, left, { replicas: 4 })).toEqual(["replicas", "settled"]);
    await reach(bench, left, { ...checked, replicas: 4 }, [scale]);
  });
});
