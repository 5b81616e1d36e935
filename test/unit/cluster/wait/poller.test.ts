import fc from "fast-check";
import { type Condition, readyCondition } from "../../../../provider/cluster/health/conditions";
import { type Found, goalOf } from "../../../../provider/cluster/health/health";
import { Operation } from "../../../../provider/cluster/service/operation";
import { pollIntervalMs, type Waits } from "../../../../provider/cluster/wait/poller";
import type { Ctx } from "../../../../provider/contract";
import type { Dialect, Fault } from "../../../../simulator";
import { countOf, type Fixture, type FixtureOptions, failureOf, forget, openFixture, requestLines } from "../harness";
import { checked } from "../inputs";

const hourMs = 3_600_000;
const lists = "GET /v1/clusters";
const details = "GET /v1/clusters/:id/status";
const listing = { path: "/v1/clusters", method: "GET", times: 1_000 } as const;

type Judge = (look: Found) => Condition;

/** Makes clusters that are on their way, behind the core's back. */
async function begin(bench: Fixture, count = 1, replicas = 1): Promise<string[]> {
  const make = (index: number) =>
    bench.client.createCluster({ name: `web-${index}`, gpuType: "h100", replicas, container: "a/b:1", env: {} });
  const made = await bench.run(Promise.all(Array.from({ length: count }, (_, index) => make(index))));
  forget(bench);
  return made.map(({ id }) => id);
}

const judgeOne: Judge = (look) => readyCondition(look, goalOf({ replicas: 1 }));

/** Waits for an hour at most, unless something else is said. */
function watch(bench: Fixture, id: string, { judge = judgeOne, ...ctx }: Partial<Ctx> & { judge?: Judge } = {}) {
  const status = (summary: string) => bench.said.push(summary);
  const subject = { id, inputs: { name: "web" } };
  const operation = new Operation(bench.ctx({ timeoutMs: hourMs, status, ...ctx }), bench.service, "create", subject);
  return bench.service.poller.wait({ operation, judge });
}

describe("many waits", () => {
  it("share their list calls: 20 waits list as often as one, and look at each status once", async () => {
    const bench = await openFixture({ provisioningMs: 60_000 });
    const ids = await begin(bench, 20);
    const startMs = bench.clock.now();
    const outcomes = await bench.run(Promise.all(ids.map((id) => watch(bench, id))));
    expect(new Set(outcomes.map((condition) => condition?.status))).toEqual(new Set(["ready"]));
    expect(countOf(bench.simulator, lists)).toBeLessThanOrEqual(62);
    expect(countOf(bench.simulator, details)).toBeLessThanOrEqual(20 + 3);
    expect(bench.simulator.requests.length).toBeLessThanOrEqual(62 + 20 + 2 * 3);
    expect(bench.clock.now() - startMs).toBeLessThanOrEqual(66_000 + 2_000);
  });

  it("find out once that the service has no /status", async () => {
    const bench = await openFixture({ dialect: "client", provisioningMs: 10_000 });
    const ids = await begin(bench, 10);
    await bench.run(Promise.all(ids.map((id) => watch(bench, id))));
    expect(bench.simulator.requests.filter(({ path }) => path.endsWith("/status"))).toHaveLength(1);
  });

  it.each<[string, Fault]>([
    ["ask by its id for what the list does not hold", { ...listing, kind: "body", body: '{"clusters":[]}' }],
    ["go on by id where the key may not list", { ...listing, kind: "status", status: 403 }],
  ])("%s", async (_title, fault) => {
    const bench = await openFixture({ provisioningMs: 10_000 });
    const ids = await begin(bench, 6);
    bench.simulator.fault(fault);
    const outcomes = await bench.run(Promise.all(ids.map((id) => watch(bench, id))));
    expect(outcomes.every((condition) => condition?.status === "ready")).toBe(true);
  });
});

it("a cluster that calls itself running too early is ready when its replicas are healthy", async () => {
  const bench = await openFixture({ dialect: { runningWhen: "placed" }, provisioningMs: 6_000 });
  const [id = ""] = await begin(bench);
  const startMs = bench.clock.now();
  expect((await bench.run(watch(bench, id)))?.status).toBe("ready");
  expect(bench.simulator.cluster(id)?.replicaStates.map(({ healthy }) => healthy)).toEqual([true]);
  expect(bench.clock.now() - startMs).toBeLessThanOrEqual(6_000 + 2_000);
});

it("a long wait looks more and more rarely, and at least every 15 s", async () => {
  const bench = await openFixture({ provisioningMs: 30 * 60_000 });
  const [id = ""] = await begin(bench);
  await bench.run(watch(bench, id));
  const looks = [...new Set(bench.simulator.requests.map(({ at }) => at))];
  const pauses = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
  expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
  expect(pauses[0]).toBe(2_000);
  expect(pauses.at(-1)).toBeGreaterThan(5_000);
  expect(pauses.at(-1)).toBeLessThanOrEqual(15_000);
  expect(looks.length).toBeLessThan(800);
});

describe("a wait ends", () => {
  it("after three refusals of its key in a row", async () => {
    const bench = await openFixture({ provisioningMs: hourMs });
    const [id = ""] = await begin(bench);
    bench.simulator.fault({ kind: "status", status: 401, times: 1_000, after: 2 });
    const error = await bench.run(failureOf(watch(bench, id)));
    expect(error).toMatchObject({ name: "ApiError", status: 401 });
    expect(requestLines(bench.simulator)).toHaveLength(2 + 3);
  });

  it("when the cluster vanishes, after three looks", async () => {
    const bench = await openFixture({ provisioningMs: hourMs });
    const [id = ""] = await begin(bench);
    const wait = watch(bench, id);
    // Before that, reads may lag behind the creation.
    await bench.clock.advance(120_000);
    bench.simulator.change(id, { status: "gone" });
    forget(bench);
    expect((await bench.run(failureOf(wait))).message).toMatch(/disappeared/);
    expect(countOf(bench.simulator, "GET /v1/clusters/:id")).toBe(3);
  });

  it("in success when it is ready just at its deadline", async () => {
    const bench = await openFixture({ provisioningMs: 77_000 });
    const [id = ""] = await begin(bench);
    expect((await bench.run(watch(bench, id, { timeoutMs: 77_000 })))?.status).toBe("ready");
  });
});

const free = { limit: 100, left: 96, resetInMs: 60_000, queued: 0 };
const one: Waits = { youngestMs: 0, count: 1, rateLimit: free };

describe("the interval between two polls", () => {
  it.each<[string, Partial<Waits>, number]>([
    ["is 2 s at first", {}, 2_000],
    ["grows to 3 % of the time waited", { youngestMs: 300_000 }, 9_000],
    ["is never longer than 15 s", { youngestMs: 3_600_000 }, 15_000],
    ["takes half of a fresh window", { youngestMs: 0, count: 67 }, 4_310],
    ["takes less of a window that others use up too", { rateLimit: { ...free, left: 51 } }, 4_706],
    ["leaves room for requests that wait", { rateLimit: { ...free, queued: 75 } }, 6_250],
    ["leaves a request to each wait", { count: 80 }, 7_813],
    ["is as long as it can be if no request is left", { count: 100 }, 15_000],
    ["waits for the next window if none is left", { rateLimit: { ...free, left: 0, resetInMs: 9_000 } }, 9_000],
    ["is 2 s before the first answer", { count: 500, rateLimit: { limit: 100, queued: 0 } }, 2_000],
  ])("%s", (_title, waiting, ms) => {
    expect(Math.round(pollIntervalMs({ ...one, ...waiting }))).toBe(ms);
  });

  it("never uses up a window before its end, and never stops", () => {
    const limits = fc.record({
      limit: fc.constant(100),
      left: fc.integer({ min: 0, max: 100 }),
      queued: fc.constant(0),
      resetInMs: fc.integer({ min: 1, max: 60_000 }),
    });
    fc.assert(
      fc.property(
        limits,
        fc.integer({ min: 0, max: 4e6 }),
        fc.integer({ min: 1, max: 500 }),
        (rateLimit, age, count) => {
          const interval = pollIntervalMs({ youngestMs: age, count, rateLimit });
          expect(interval).toBeGreaterThanOrEqual(2_000);
          expect(interval).toBeLessThanOrEqual(15_000);
          const polls = Math.floor(rateLimit.resetInMs / interval);
          if (interval > 2_000 && interval < 15_000) expect(polls).toBeLessThanOrEqual(Math.max(1, rateLimit.left / 2));
        },
      ),
    );
  });
});

/** The requests of creations at once, and how late each was seen to be ready. */
async function createFleet(count: number, provisioningMs: number, options: FixtureOptions = {}) {
  const bench = await openFixture({ rateLimit: 100, provisioningMs, ...options });
  const startMs = bench.clock.now();
  const names = Array.from({ length: count }, (_, index) => `web-${index}`);
  const made = names.map((name) => bench.cluster.create(bench.ctx(), { ...checked, name, replicas: 1 }));
  const states = (await bench.run(Promise.all(made))).map(({ state }) => state);
  expect(states.every(({ settled, readyReplicas }) => settled === true && readyReplicas === 1)).toBe(true);
  const refused = bench.simulator.requests.filter(({ status }) => status === 429).length;
  return { requests: bench.simulator.requests.length, refused, tookMs: bench.clock.now() - startMs };
}

describe("the requests of creations", () => {
  it.each<[clusters: number, seconds: number, Dialect["runningWhen"], most: number]>([
    [1, 30, "all-healthy", 20],
    [1, 30, "always", 45],
    [1, 300, "all-healthy", 90],
    [10, 300, "all-healthy", 110],
  ])(
    "of %i that take %i s, and are called running %s, are at most %4$i",
    async (clusters, seconds, runningWhen, most) => {
      const { requests, refused } = await createFleet(clusters, seconds * 1_000, { dialect: { runningWhen } });
      expect(requests).toBeLessThanOrEqual(most);
      expect(refused).toBe(0);
    },
  );

  it.each([1, 3])("of %i: a ready cluster is seen within 2 s, or 3 %% of its age", async (clusters) => {
    for (const seconds of [1, 7, 31, 64, 65, 99, 187, 301, 599]) {
      const { tookMs } = await createFleet(clusters, seconds * 1_000, { rateLimit: 1_000_000 });
      expect(tookMs - seconds * 1_000).toBeLessThanOrEqual(Math.max(2_000, 0.03 * seconds * 1_000));
    }
  });
});
