import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { countOf, type Fixture, failureOf, initErrorOf, openFixture, openSettled } from "../harness";
import { checked } from "../inputs";
import type { Held } from "../powerHarness";

type Change = (bench: Fixture, made: Held) => Promise<unknown>;

const env = { MODEL: "another-value" };
const update =
  (news: Properties): Change =>
  (bench, { id, state }) =>
    bench.cluster.update(bench.ctx(), id, state, { ...checked, ...news });
const remove: Change = (bench, { id, state }) => bench.cluster.delete(bench.ctx(), id, state);

/** What is done, its request, and what the cluster is then. */
const changes: [string, Change, string, object][] = [
  ["a deletion", remove, "DELETE /v1/clusters/:id", { status: "gone" }],
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
    const bench = await openFixture({ dialect: { busyWhen: "changing" }, provisioningMs: 300_000 });
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
});

it("a deletion that has begun already is waited for to its end, and not sent again", async () => {
  const { bench, made } = await openSettled(checked, { dialect: { busyWhen: "changing" }, deletionMs: 60_000 });
  await bench.run(bench.client.deleteCluster(made.id));
  await bench.run(remove(bench, made));
  expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
  expect(countOf(bench.simulator, "DELETE /v1/clusters/:id")).toBe(2);
});

const redeploy = "POST /v1/clusters/:id/redeploy";
it.each<[string, object, number]>([
  ["because the roll-out runs already is not sent again", { when: "after" }, 1],
  ["before anything was done is sent again", { times: 2 }, 3],
])("a redeploy that is answered with 409 %s", async (_title, fault, count) => {
  const { bench, made } = await openSettled(checked, { dialect: { updateRollsOut: false } });
  bench.simulator.fault(conflict(redeploy, fault));
  expect(await bench.run(update({ env })(bench, made))).toMatchObject({ env, settled: true });
  expect(countOf(bench.simulator, redeploy)).toBe(count);
  expect(bench.simulator.cluster(made.id)).toMatchObject({ generation: 2, deployed: { env } });
});
