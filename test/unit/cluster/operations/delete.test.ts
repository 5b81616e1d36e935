import { ConnectionError } from "../../../../provider/base/errors";
import {
  countOf,
  type FixtureOptions,
  failureOf,
  interruptAfter,
  living,
  openFixture,
  openSettled,
  settle,
  writes,
} from "../harness";
import { checked } from "../inputs";

const line = "DELETE /v1/clusters/:id";

describe("a deletion", () => {
  it.each(["none", "readable"] as const)("waits until the cluster is gone: tombstone %s", async (tombstone) => {
    const { bench, made } = await openSettled(checked, { deletionMs: 90_000, dialect: { tombstone } });
    const { tookMs } = await bench.timed(bench.remove(made));
    expect(tookMs).toBeGreaterThanOrEqual(90_000);
    expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
    expect(writes(bench.simulator)).toEqual([line]);
    expect(bench.messages[0]).toBe("status: deleting");
    expect(bench.messages.at(-1)).toBe("status: deleted");
  });

  it.each([
    ["shares a few lists with others, and only the last one is read by its id", 15, 4, 1],
    ["is read by its id if the list can be the first page of a longer one", 16, 6, 6],
  ])("%s", async (_title, count, deleted, maxReads) => {
    const bench = await openFixture({ deletionMs: 1_000 });
    const made = await bench.settleFleet(count);
    await Promise.all(made.slice(0, deleted).map((each) => bench.remove(each)));
    const gets = bench.simulator.requests.filter(({ method }) => method === "GET");
    const lists = gets.filter(({ path }) => path === "/v1/clusters").length;
    expect(living(bench.simulator)).toHaveLength(count - deleted);
    expect(lists).toBeLessThanOrEqual(4);
    expect(gets.length - lists).toBeLessThanOrEqual(maxReads);
  });

  it("needs only the id", async () => {
    const { bench, id } = await openSettled(checked);
    await bench.remove({ id, state: {} });
    expect(bench.simulator.cluster(id)?.status).toBe("gone");
  });

  it("frees the name for this process even if a list lags behind", async () => {
    const { bench, made } = await openSettled(checked);
    await bench.run(bench.service.lists.recent(0));
    await bench.remove(made);
    const { id } = await bench.run(bench.cluster.create(bench.ctx(), { ...checked, gpuType: "l4" }));
    expect(living(bench.simulator).map((cluster) => cluster.id)).toEqual([id]);
  });

  it("of a new cluster ends at once if its answer is lost, and the list confirms the 404 of its repetition", async () => {
    const { bench, made } = await openSettled(checked, { deletionMs: 0 });
    bench.simulator.fault({ method: "DELETE", kind: "drop", when: "after" });
    const { tookMs } = await bench.timed(bench.remove(made));
    expect(tookMs).toBeLessThan(5_000);
    expect(countOf(bench.simulator, line)).toBe(2);
    expect(bench.messages.at(-1)).toBe("status: deleted");
  });

  it("of a new cluster waits if its repetition can be the first request that the service gets", async () => {
    let failures = 0;
    const wire: FixtureOptions["wire"] = (real) => async (request) => {
      if (request.method !== "DELETE" || failures > 0) return real(request);
      failures += 1;
      throw new ConnectionError("the connection was refused", { ...request, outcome: "not-sent" });
    };
    const { bench, made } = await openSettled(checked, { wire });
    bench.simulator.change(made.id, { hiddenMs: 60_000 });
    bench.simulator.fault({ method: "DELETE", kind: "status", status: 404, code: "not_found" });
    expect((await failureOf(bench.remove(made))).message).toMatch(/was not deleted: .*still shows it/);
    expect(living(bench.simulator)).toHaveLength(1);
  });
});

describe("a failed deletion", () => {
  it("ends at once at an interrupt", async () => {
    const { bench, made } = await openSettled(checked, { deletionMs: 24 * 3_600_000 });
    const { end, lastedMs } = await interruptAfter(bench, 20_000, (ctx) =>
      failureOf(bench.cluster.delete(bench.ctx(ctx), made.id, made.state)),
    );
    expect(end.message).toMatch(/was not deleted: interrupted/);
    expect(lastedMs).toBe(0);
  });

  it.each([
    ["names the other key that saw the cluster last, at a 404", 0],
    ["names the other key that saw the cluster last, at a 404 after a lost answer", 1],
  ])("%s", async (_title, times) => {
    const { bench, made } = await openSettled(checked);
    bench.simulator.change(made.id, { status: "gone" });
    if (times > 0) bench.simulator.fault({ method: "DELETE", kind: "drop", times });
    const work = bench.as("another").delete(bench.ctx({ urn: "urn:web" }), made.id, made.state);
    expect((await bench.run(failureOf(work))).message).toMatch(
      /another service or key saw it last.*pulumi state delete 'urn:web'/,
    );
  });
});

it.each([
  ["a cluster of another name than that of the state is not deleted, by the list", false],
  ["a cluster of another name than that of the state is not deleted, by its record if the list cannot be read", true],
])("%s", async (_title, isAlone) => {
  const { bench, made: ours } = await openSettled(checked);
  const other = await settle(bench, { ...checked, name: "other" });
  if (isAlone) bench.simulator.fault({ kind: "status", status: 403, method: "GET", path: "/v1/clusters", times: 99 });
  const error = await failureOf(bench.run(bench.cluster.delete(bench.ctx(), other.id, ours.state)));
  expect(error.message).toMatch(/"web".*"other"/);
  expect(living(bench.simulator)).toHaveLength(2);
  await bench.remove(ours);
  expect(living(bench.simulator).map(({ id }) => id)).toEqual([other.id]);
});
