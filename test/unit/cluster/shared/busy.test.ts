import { busyCode } from "../../../../provider/api/records";
import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type Bench, countOf, failureOf, initErrorOf, interruptAfter, openBench, openSettled } from "../harness";
import { checked } from "../inputs";
import type { Held } from "../powerHarness";

type Change = (bench: Bench, made: Held, overrides?: object) => Promise<unknown>;

const env = { MODEL: "another-value" };
const update =
  (news: Properties): Change =>
  (bench, { id, state }, overrides) =>
    bench.cluster.update(bench.ctx(overrides), id, state, { ...checked, ...news });
const remove: Change = (bench, { id, state }, overrides) => bench.cluster.delete(bench.ctx(overrides), id, state);

test.each([
  ["cluster_busy", true],
  ["operation_in_progress", true],
  ["InTransition", true],
  ["resource_locked", true],
  ["invalid_state_transition", false],
  ["transition_not_allowed", false],
])("the code %s says that the cluster is changing: %s", (code, isChanging) => {
  expect(busyCode.test(code)).toBe(isChanging);
});

/** What is done, its request, and what the cluster is then. */
const changes: [string, Change, string, object][] = [
  ["a deletion", remove, "DELETE /v1/clusters/:id", { status: "gone" }],
  ["a scaling", update({ replicas: 4 }), "POST /v1/clusters/:id/scale", { status: "running", replicas: 4 }],
  ["an update", update({ env }), "PATCH /v1/clusters/:id", { status: "running", deployed: { env } }],
];

/** An answer of 409 to a request of that method. */
const conflict = (line: string, fault: object): Fault => {
  const [method = "", path = ""] = line.split(" ");
  return { kind: "status", status: 409, message: "not now", method, path: path.replace(":id", "*"), ...fault };
};

/** A settled cluster, the next requests to which are conflicts. */
async function openConflicting(line: string, fault: object) {
  const { bench, made } = await openSettled(checked);
  bench.simulator.fault(conflict(line, fault));
  const startMs = bench.clock.now();
  return { bench, made, tookMs: () => bench.clock.now() - startMs };
}

describe.each(changes)("%s that the service calls a conflict", (_title, change, line, reached) => {
  it("while the cluster is provisioning is sent again until it works", async () => {
    const bench = await openBench({ dialect: { busyWhen: "changing" }, provisioningMs: 300_000 });
    const made = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 10_000 }), checked)));
    await bench.run(change(bench, made));
    expect(bench.simulator.cluster(made.id)).toMatchObject(reached);
    expect(countOf(bench.simulator, line)).toBeGreaterThan(5);
  });

  it.each<[string, object, number]>([
    ["by the status 423 is sent again", { status: 423, times: 2 }, 3],
    ["with the code cluster_busy is waited for, although the cluster runs", { code: "cluster_busy", times: 9 }, 10],
  ])("%s", async (_kind, fault, count) => {
    const { bench, made } = await openConflicting(line, fault);
    await bench.run(change(bench, made));
    expect(bench.simulator.cluster(made.id)).toMatchObject(reached);
    expect(countOf(bench.simulator, line)).toBe(count);
  });

  it("for ever, on a cluster that runs, fails after a few tries with the API's text", async () => {
    const { bench, made, tookMs } = await openConflicting(line, { times: 1_000 });
    const error = await bench.run(failureOf(change(bench, made)));
    expect(error.message).toContain("not now");
    expect(countOf(bench.simulator, line)).toBe(5);
    expect(tookMs()).toBeLessThan(60_000);
  });

  it("ends with an interrupt at once", async () => {
    const { bench, made } = await openConflicting(line, { code: "cluster_busy", times: 1_000 });
    const { end, lastedMs } = await interruptAfter(bench, 50_000, (ctx) => failureOf(change(bench, made, ctx)));
    expect(end.message).toContain("interrupted");
    expect(lastedMs).toBe(0);
    expect(countOf(bench.simulator, line)).toBeGreaterThan(2);
  });
});

describe("a deletion that is answered with 409", () => {
  it("because it has begun already is waited for to its end, and not sent again", async () => {
    const { bench, made } = await openSettled(checked, { dialect: { busyWhen: "changing" }, deletionMs: 60_000 });
    await bench.run(bench.client.deleteCluster(made.id));
    await bench.run(remove(bench, made));
    expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
    expect(countOf(bench.simulator, "DELETE /v1/clusters/:id")).toBe(2);
  });
});

describe("a redeploy that is answered with 409", () => {
  const redeploy = "POST /v1/clusters/:id/redeploy";

  it.each<[string, object, number]>([
    ["because the roll-out runs already is not sent again", { when: "after" }, 1],
    ["before anything was done is sent again", { times: 2 }, 3],
  ])("%s", async (_title, fault, count) => {
    const { bench, made } = await openSettled(checked, { dialect: { updateRollsOut: false } });
    bench.simulator.fault(conflict(redeploy, fault));
    expect(await bench.run(update({ env })(bench, made))).toMatchObject({ env, settled: true });
    expect(countOf(bench.simulator, redeploy)).toBe(count);
    expect(bench.simulator.cluster(made.id)).toMatchObject({ generation: 2, deployed: { env } });
  });
});
