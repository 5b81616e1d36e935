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

/** A change, its request, and the cluster after it. */
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

describe.each(changes)("a conflict: %s", (_title, change, line, reached) => {
  it("is sent again until it works while the cluster is provisioning", async () => {
    const bench = await openFixture({ dialect: { busyWhen: "changing" }, provisioningMs: 300_000 });
    const made = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 10_000 }), checked)));
    await bench.run(change(bench, made));
    expect(bench.simulator.cluster(made.id)).toMatchObject(reached);
    expect(countOf(bench.simulator, line)).toBeGreaterThan(5);
  });

  it.each<[string, object, number]>([
    ["by the status 423", { status: 423, times: 2 }, 3],
    ["by the code cluster_busy, although the cluster runs", { code: "cluster_busy", times: 9 }, 10],
  ])("is sent again %s", async (_kind, fault, count) => {
    const { bench, made } = await openConflicting(line, fault);
    await bench.run(change(bench, made));
    expect(bench.simulator.cluster(made.id)).toMatchObject(reached);
    expect(countOf(bench.simulator, line)).toBe(count);
  });

  it("fails after a few requests with the service's message if it never ends", async () => {
    const { bench, made, tookMs } = await openConflicting(line, { times: 1_000 });
    const error = await bench.run(failureOf(change(bench, made)));
    expect(error.message).toContain("not now");
    expect(countOf(bench.simulator, line)).toBe(5);
    expect(tookMs()).toBeLessThan(60_000);
  });
});

it("a deletion that has already begun is waited for, and not sent again", async () => {
  const { bench, made } = await openSettled(checked, { dialect: { busyWhen: "changing" }, deletionMs: 60_000 });
  await bench.run(bench.client.deleteCluster(made.id));
  await bench.run(remove(bench, made));
  expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
  expect(countOf(bench.simulator, "DELETE /v1/clusters/:id")).toBe(2);
});

const redeploy = "POST /v1/clusters/:id/redeploy";
it.each<[string, object, number]>([
  ["not again because the rollout has begun", { when: "after" }, 1],
  ["again because nothing was done", { times: 2 }, 3],
])("a redeploy that is answered with 409 is sent %s", async (_title, fault, count) => {
  const { bench, made } = await openSettled(checked, { dialect: { updateRollsOut: false } });
  bench.simulator.fault(conflict(redeploy, fault));
  expect(await bench.run(update({ env })(bench, made))).toMatchObject({ env, settled: true });
  expect(countOf(bench.simulator, redeploy)).toBe(count);
  expect(bench.simulator.cluster(made.id)).toMatchObject({ generation: 2, deployed: { env } });
});
