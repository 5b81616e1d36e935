import type { Properties } from "../../../../provider/contract";
import type { ClusterChanges } from "../../../../simulator";
import { openBench, openSettled, settle } from "../harness";
import { asked, atRest, change, failingChange, reach, refresh, running, settleStopped, toDo } from "../powerHarness";

/** Settings that only this package reads. */
const settings: [string, Properties][] = [
  ["maxHourlyCost", { maxHourlyCost: 100 }],
  ["the removal of triggers", { restartTriggers: undefined }],
  ["all of them", { maxHourlyCost: 100, skipAwait: true, __timeouts: { create: "2h" } }],
];

const before = { ...asked, restartTriggers: ["a"] };

describe.each(settings)("an update of %s alone", (_title, changes) => {
  const wanted: Properties = JSON.parse(JSON.stringify({ ...before, ...changes }));

  it("sends no request, changes nothing else in the state, and leaves nothing to do", async () => {
    const { bench, made } = await openSettled(before);
    expect(toDo(bench, made, wanted)).not.toEqual([]);
    const { state } = await change(bench, made, wanted);
    expect(bench.simulator.requests).toEqual([]);
    expect(state).toEqual(JSON.parse(JSON.stringify({ ...made.state, ...changes })));
    expect(toDo(bench, { id: made.id, state }, wanted)).toEqual([]);
  });

  it("sends none for a stopped cluster, whose configuration goes on waiting for its start", async () => {
    const bench = await openBench({ dialect: { stoppedUpdate: "refused" } });
    const env = { MODEL: "another" };
    const rests = { ...before, ...atRest };
    const waiting = await change(bench, await settleStopped(bench, rests), { ...rests, env });
    const set = await change(bench, waiting, { ...wanted, ...atRest, env });
    expect(bench.simulator.requests).toEqual([]);
    const started = await reach(bench, set, { ...wanted, env, skipAwait: false });
    expect(running(bench, started)).toMatchObject({ status: "running", env });
  });

  it("is no end of what an update before it did not reach", async () => {
    const { bench, made } = await openSettled(before);
    bench.simulator.change(made.id, { sickReplica: { replica: 0, message: "no driver" } });
    const failed = await failingChange(bench, made, { ...before, replicas: 3 }, { timeoutMs: 30_000 });
    const more = { ...wanted, replicas: 3, skipAwait: false };
    const again = await failingChange(bench, failed, more, { timeoutMs: 30_000 });
    expect(again.state).toMatchObject({ settled: false });
    expect(again.text).toMatch(/replica rep_\S+: unhealthy, no driver/);
  });
});

describe("hourlyCost", () => {
  const priced: Properties = { ...asked, hourlyCost: 6 };
  const costAfter = async (changes: ClusterChanges, inputs = priced) => {
    const bench = await openBench();
    const made = await (inputs["desiredStatus"] === "stopped" ? settleStopped : settle)(bench, inputs);
    bench.simulator.change(made.id, changes);
    return { bench, made, found: (await refresh(bench, made)).state };
  };

  it.each([
    ["more replicas", { replicas: 5 }, 15],
    ["a stop", { status: "stopped" }, 0],
    ["a failure", { status: "failed" }, 6],
  ] as const)("follows %s that a refresh finds", async (_title, changes, cost) => {
    const { found } = await costAfter(changes);
    expect(found["hourlyCost"]).toBe(cost);
  });

  it("that was computed for no replicas is left out when there are some, never null", async () => {
    const { bench, made, found } = await costAfter({ replicas: 0 });
    expect(found).toMatchObject({ replicas: 0, hourlyCost: 0 });
    bench.simulator.change(made.id, { replicas: 3 });
    const again = await bench.run(bench.cluster.read(bench.ctx(), made.id, found));
    expect(again?.state).toMatchObject({ replicas: 3 });
    expect(again?.state).not.toHaveProperty("hourlyCost");
    expect(again?.inputs).not.toHaveProperty("hourlyCost");
  });

  it("alone is no difference", async () => {
    const { bench, made } = await costAfter({});
    expect(toDo(bench, made, { ...priced, hourlyCost: 8 })).toEqual([]);
  });

  it("that was saved is said by the deletion", async () => {
    const { bench, made } = await costAfter({});
    await bench.run(bench.cluster.delete(bench.ctx(), made.id, made.state));
    expect(bench.said).toContain("status: deleted; it cost 6.00 per hour");
  });
});
