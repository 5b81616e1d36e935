import {
  type Bench,
  countOf,
  failureOf,
  interruptAfter,
  living,
  openBench,
  openSettled,
  settle,
  writes,
} from "../harness";
import { checked } from "../inputs";
import type { Held } from "../powerHarness";

const line = "DELETE /v1/clusters/:id";

const remove = (bench: Bench, { id, state }: Held, overrides = {}) =>
  bench.cluster.delete(bench.ctx(overrides), id, state);

describe("a deletion", () => {
  it.each(["plain", "terse"])("waits until the cluster is gone (%s)", async (dialect) => {
    const { bench, made } = await openSettled(checked, { dialect, deletionMs: 90_000 });
    const startMs = bench.clock.now();
    await bench.run(remove(bench, made));
    expect(bench.clock.now() - startMs).toBeGreaterThanOrEqual(90_000);
    expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
    expect(writes(bench.simulator)).toEqual([line]);
    expect(bench.said[0]).toBe("status: deleting");
    expect(bench.said.at(-1)).toBe("status: deleted");
  });

  it("of many reads only the last one by its id", async () => {
    const bench = await openBench({ deletionMs: 1_000 });
    const names = Array.from({ length: 15 }, (_, index) => `web-${index}`);
    const made = await Promise.all(names.map((name) => settle(bench, { ...checked, name })));
    bench.simulator.requests.splice(0);
    await bench.run(Promise.all(made.slice(0, 4).map((each) => remove(bench, each))));
    const reads = bench.simulator.requests.filter(({ method, path }) => method === "GET" && path !== "/v1/clusters");
    expect(living(bench.simulator)).toHaveLength(11);
    expect(reads.length).toBeLessThanOrEqual(1);
  });

  it("of many beside a list that may be the first page of a longer one reads each by its id, and lists a few times", async () => {
    const bench = await openBench({ deletionMs: 1_000 });
    const names = Array.from({ length: 16 }, (_, index) => `web-${index}`);
    const made = await Promise.all(names.map((name) => settle(bench, { ...checked, name })));
    bench.simulator.requests.splice(0);
    await bench.run(Promise.all(made.slice(0, 6).map((each) => remove(bench, each))));
    const gets = bench.simulator.requests.filter(({ method }) => method === "GET");
    const lists = gets.filter(({ path }) => path === "/v1/clusters").length;
    expect(living(bench.simulator)).toHaveLength(10);
    expect([lists <= 4, gets.length - lists]).toEqual([true, 6]);
  });

  it("frees the name for this process, although a list may lag behind", async () => {
    const { bench, made } = await openSettled(checked);
    await bench.run(bench.service.lists.recent(0));
    await bench.run(remove(bench, made));
    const { id } = await bench.run(bench.cluster.create(bench.ctx(), { ...checked, gpuType: "l4" }));
    expect(living(bench.simulator).map((cluster) => cluster.id)).toEqual([id]);
  });

  it("whose answer is lost after its effect goes on to its end", async () => {
    const { bench, made } = await openSettled(checked, { deletionMs: 5_000 });
    bench.simulator.fault({ method: "DELETE", kind: "drop", when: "after" });
    await bench.run(remove(bench, made));
    expect(bench.simulator.cluster(made.id)?.status).toBe("gone");
    expect(countOf(bench.simulator, line)).toBe(2);
  });
});

describe("a deletion fails, and the cluster stays in the state,", () => {
  it("when it never goes, after the time that it may take", async () => {
    const { bench, made } = await openSettled(checked, { deletionMs: 24 * 3_600_000 });
    const { message } = await bench.run(failureOf(remove(bench, made, { timeoutMs: 300_000 })));
    expect(message).toMatch(/was not deleted: timed out after 5m: terminating/);
  });

  it("when it is interrupted, at once", async () => {
    const { bench, made } = await openSettled(checked, { deletionMs: 24 * 3_600_000 });
    const { end, lastedMs } = await interruptAfter(bench, 20_000, (ctx) => failureOf(remove(bench, made, ctx)));
    expect(end.message).toMatch(/was not deleted: interrupted/);
    expect(lastedMs).toBe(0);
  });

  it("when another key or address than the last one gets the 404", async () => {
    const { bench, made } = await openSettled(checked);
    bench.simulator.change(made.id, { status: "gone" });
    const work = bench.as("another").delete(bench.ctx({ urn: "urn:web" }), made.id, made.state);
    expect((await bench.run(failureOf(work))).message).toMatch(/others saw it last.*pulumi state delete 'urn:web'/);
  });
});
