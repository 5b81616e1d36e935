import * as conditions from "../../../../provider/cluster/compare/health";
import { Operation } from "../../../../provider/cluster/shared/operation";
import type { Ctx } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type Bench, closeAll, countOf, failureOf, forget, openBench, requestLines } from "../harness";
import { checked } from "../inputs";

afterEach(closeAll);

const { goalOf, judgeReady } = conditions;

const hourMs = 3_600_000;
const lists = "GET /v1/clusters";
const details = "GET /v1/clusters/:id/status";
const listing = { path: "/v1/clusters", method: "GET", times: 1_000 } as const;

type Judge = (look: conditions.Found) => conditions.Verdict;

/** Makes clusters that are on their way, behind the core's back. */
async function begin(bench: Bench, count = 1, replicas = 1): Promise<string[]> {
  const make = (index: number) =>
    bench.client.createCluster({ name: `web-${index}`, gpuType: "h100", replicas, container: "a/b:1", env: {} });
  const made = await bench.run(Promise.all(Array.from({ length: count }, (_, index) => make(index))));
  forget(bench);
  return made.map(({ id }) => id);
}

const judgeOne: Judge = (look) => judgeReady(look, goalOf({ replicas: 1 }));

/** Waits for an hour at most, unless something else is said. */
function watch(bench: Bench, id: string, { judge = judgeOne, ...ctx }: Partial<Ctx> & { judge?: Judge } = {}) {
  const status = (summary: string) => bench.said.push(summary);
  const subject = { id, inputs: { name: "web" } };
  const operation = new Operation(bench.ctx({ timeoutMs: hourMs, status, ...ctx }), bench.service, "create", subject);
  return bench.service.poller.poll({ operation, judge });
}

describe("many waits", () => {
  it("share their list calls: 20 waits list as often as one, and look at each status once", async () => {
    const bench = await openBench({ provisioningMs: 60_000 });
    const ids = await begin(bench, 20);
    const startMs = bench.clock.now();
    const outcomes = await bench.run(Promise.all(ids.map((id) => watch(bench, id))));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["ready"]));
    expect(countOf(bench.simulator, lists)).toBeLessThanOrEqual(62);
    expect(countOf(bench.simulator, details)).toBeLessThanOrEqual(20 + 3);
    expect(bench.simulator.requests.length).toBeLessThanOrEqual(62 + 20 + 2 * 3);
    expect(bench.clock.now() - startMs).toBeLessThanOrEqual(66_000 + 2_000);
  });

  it("end soon after each other if their clusters were created together", async () => {
    const bench = await openBench({ provisioningMs: 30_000 });
    const make = async (index: number) => {
      await bench.clock.sleep(index * 100);
      await bench.cluster.create(bench.ctx(), { ...checked, name: `web-${index}` });
      return bench.clock.now();
    };
    const startMs = bench.clock.now();
    const ends = await bench.run(Promise.all(Array.from({ length: 10 }, (_, index) => make(index))));
    const lags = ends.map((endMs, index) => endMs - startMs - index * 100 - 30_000);
    expect(Math.max(...lags.slice(1))).toBeLessThanOrEqual(700);
    expect(countOf(bench.simulator, lists)).toBeLessThanOrEqual(35);
  });

  it("need no more list calls when they are more", async () => {
    const listsOf = async (count: number) => {
      const bench = await openBench({ provisioningMs: 30_000 });
      const ids = await begin(bench, count);
      await bench.run(Promise.all(ids.map((id) => watch(bench, id))));
      return countOf(bench.simulator, lists);
    };
    expect(await listsOf(40)).toBeLessThanOrEqual((await listsOf(10)) + 3);
  });

  it.each<[string, Fault]>([
    ["ask by its id for what the list does not hold", { ...listing, kind: "body", body: '{"clusters":[]}' }],
    ["go on by id where the key may not list", { ...listing, kind: "status", status: 403 }],
  ])("%s", async (_title, fault) => {
    const bench = await openBench({ provisioningMs: 10_000 });
    const ids = await begin(bench, 6);
    bench.simulator.fault(fault);
    const outcomes = await bench.run(Promise.all(ids.map((id) => watch(bench, id))));
    expect(outcomes.every(({ kind }) => kind === "ready")).toBe(true);
  });

  it("end one by one: a sick cluster does not hold up the others", async () => {
    const bench = await openBench({ provisioningMs: 20_000 });
    bench.simulator.fault({ kind: "sick-replica", replica: 0, message: "no image", name: "web-0" });
    const [first = "", ...others] = await begin(bench, 8);
    const waits = [first, ...others].map((id) => watch(bench, id, { timeoutMs: 120_000 }));
    const results = await bench.run(Promise.allSettled(waits));
    expect(results.map(({ status }) => status)).toEqual(["rejected", ...others.map(() => "fulfilled")]);
  });
});

describe("one wait", () => {
  it("looks at each replica each time, and lists nothing", async () => {
    const bench = await openBench({ provisioningMs: 30_000 });
    const [id = ""] = await begin(bench, 1, 3);
    await bench.run(watch(bench, id, { judge: (look) => judgeReady(look, goalOf({ replicas: 3 })) }));
    expect(countOf(bench.simulator, lists)).toBe(0);
    const lines = bench.said.filter((text) => /^[012]\/3 replicas healthy, provisioning, /.test(text));
    expect(lines.length).toBeGreaterThanOrEqual(3);
  });
});

describe("a cluster that calls itself running too early", () => {
  it("is looked at twice when it is healthy, at least 2 s apart", async () => {
    const bench = await openBench({ dialect: { runningWhen: "placed" }, provisioningMs: 6_000 });
    const [id = ""] = await begin(bench);
    const looks: { atMs: number; healthy: number }[] = [];
    const judge: Judge = (look) => {
      const healthy = look.status?.replicas.filter((replica) => replica.healthy).length ?? 0;
      looks.push({ atMs: bench.clock.now(), healthy });
      return judgeOne(look);
    };
    await bench.run(watch(bench, id, { judge }));
    const healthy = looks.filter((look) => look.healthy === 1).map(({ atMs }) => atMs);
    expect(healthy).toHaveLength(2);
    expect((healthy[1] ?? 0) - (healthy[0] ?? 0)).toBeGreaterThanOrEqual(2_000);
  });
});

describe("a long wait", () => {
  /** When requests of a path were sent, and the pauses between them. */
  function looksOf({ simulator }: Bench, isMeant: (path: string) => boolean) {
    const looks = simulator.requests.filter(({ path }) => isMeant(path)).map(({ at }) => at);
    return { looks, pauses: looks.slice(1).map((at, index) => at - (looks[index] ?? 0)) };
  }

  it("looks more and more rarely, and at least every 15 s", async () => {
    const bench = await openBench({ provisioningMs: 30 * 60_000 });
    const [id = ""] = await begin(bench);
    await bench.run(watch(bench, id));
    const { looks, pauses } = looksOf(bench, (path) => !path.endsWith("/status"));
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses[0]).toBe(2_000);
    expect(pauses.at(-1)).toBeGreaterThan(5_000);
    expect(pauses.at(-1)).toBeLessThanOrEqual(15_000);
    expect(looks.length).toBeLessThan(800);
  });

  it("for a new cluster looks at its replicas ever more rarely, and asks in between for its word alone", async () => {
    const bench = await openBench({ provisioningMs: 5 * 60_000 });
    const startMs = bench.clock.now();
    await bench.run(bench.cluster.create(bench.ctx(), checked));
    const { looks, pauses } = looksOf(bench, (path) => path.endsWith("/status"));
    // A fifth of the time waited, and the interval of up to 7.5 s until the next look.
    for (const [index, pause] of pauses.entries())
      expect(pause).toBeLessThan(0.2 * ((looks[index] ?? 0) + pause - startMs) + 8_000);
    expect(looks.length).toBeLessThan(countOf(bench.simulator, "GET /v1/clusters/:id") / 2);
  });
});

describe("a wait ends", () => {
  it.each([401, 403])("after three refusals of its key in a row: %d", async (status) => {
    const bench = await openBench({ provisioningMs: hourMs });
    const [id = ""] = await begin(bench);
    bench.simulator.fault({ kind: "status", status, times: 1_000, after: 2 });
    const error = await bench.run(failureOf(watch(bench, id)));
    expect(error).toMatchObject({ name: "ApiError", status });
    expect(requestLines(bench.simulator)).toHaveLength(2 + 3);
  });

  it("when the cluster vanishes, after three looks", async () => {
    const bench = await openBench({ provisioningMs: hourMs });
    const [id = ""] = await begin(bench);
    const wait = watch(bench, id);
    await bench.clock.advance(10_000);
    bench.simulator.change(id, { status: "gone" });
    forget(bench);
    expect((await bench.run(wait)).kind).toBe("gone");
    expect(countOf(bench.simulator, "GET /v1/clusters/:id")).toBe(3);
  });

  it("at its deadline, with a last look there", async () => {
    const bench = await openBench({ provisioningMs: hourMs });
    const [id = ""] = await begin(bench);
    const deadlineMs = bench.clock.now() + 77_000;
    const error = await bench.run(failureOf(watch(bench, id, { timeoutMs: 77_000 })));
    expect(error.name).toBe("TimeoutError");
    expect(bench.clock.now()).toBe(deadlineMs);
    expect(bench.simulator.requests.at(-1)?.at).toBe(deadlineMs);
  });

  it("in success when it is ready just at its deadline", async () => {
    const bench = await openBench({ provisioningMs: 77_000 });
    const [id = ""] = await begin(bench);
    expect((await bench.run(watch(bench, id, { timeoutMs: 77_000 }))).kind).toBe("ready");
  });
});

describe("many deletions", () => {
  it("are verified through the list: one request each, and the lists", async () => {
    const bench = await openBench({ provisioningMs: 0, deletionMs: 5_000 });
    const make = (index: number) => bench.cluster.create(bench.ctx(), { ...checked, name: `web-${index}` });
    const fleet = await bench.run(Promise.all(Array.from({ length: 30 }, (_, index) => make(index))));
    bench.simulator.requests.length = 0;
    await bench.run(Promise.all(fleet.map(({ id, state }) => bench.cluster.delete(bench.ctx(), id, state))));
    expect(bench.simulator.clusters().every(({ status }) => status === "gone")).toBe(true);
    expect(bench.simulator.requests.length).toBeLessThanOrEqual(30 + 15);
  });
});
