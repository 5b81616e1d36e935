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

type Judge = (found: Found) => Condition;

/** Creates clusters without the core, which are still pending. */
async function begin(bench: Fixture, count = 1, replicas = 1): Promise<string[]> {
  const make = (index: number) =>
    bench.client.createCluster({ name: `web-${index}`, gpuType: "h100", replicas, container: "a/b:1", env: {} });
  const made = await bench.run(Promise.all(Array.from({ length: count }, (_, index) => make(index))));
  forget(bench);
  return made.map(({ id }) => id);
}

const judgeOne: Judge = (found) => readyCondition(found, goalOf({ replicas: 1 }));

/** Waits for an hour at most by default. */
function watch(bench: Fixture, id: string, { judge = judgeOne, ...ctx }: Partial<Ctx> & { judge?: Judge } = {}) {
  const status = (summary: string) => bench.messages.push(summary);
  const subject = { id, inputs: { name: "web" } };
  const operation = new Operation(bench.ctx({ timeoutMs: hourMs, status, ...ctx }), bench.service, "create", subject);
  return bench.service.poller.wait({ operation, judge });
}

describe("many waits", () => {
  it("share their lists: 20 waits list as often as one, and read each status once", async () => {
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

  it("detect once that the service has no /status", async () => {
    const bench = await openFixture({ dialect: "client", provisioningMs: 10_000 });
    const ids = await begin(bench, 10);
    await bench.run(Promise.all(ids.map((id) => watch(bench, id))));
    expect(bench.simulator.requests.filter(({ path }) => path.endsWith("/status"))).toHaveLength(1);
  });

  it.each<[string, Fault]>([
    ["if the list does not contain the cluster", { ...listing, kind: "body", body: '{"clusters":[]}' }],
    ["if the key is not allowed to list", { ...listing, kind: "status", status: 403 }],
  ])("read clusters by id %s", async (_title, fault) => {
    const bench = await openFixture({ provisioningMs: 10_000 });
    const ids = await begin(bench, 6);
    bench.simulator.fault(fault);
    const outcomes = await bench.run(Promise.all(ids.map((id) => watch(bench, id))));
    expect(outcomes.every((condition) => condition?.status === "ready")).toBe(true);
  });
});

it("a long wait polls more and more rarely, and at least every 15 s", async () => {
  const bench = await openFixture({ provisioningMs: 30 * 60_000 });
  const [id = ""] = await begin(bench);
  await bench.run(watch(bench, id));
  const pollsMs = [...new Set(bench.simulator.requests.map(({ at }) => at))];
  const pauses = pollsMs.slice(1).map((at, index) => at - (pollsMs[index] ?? 0));
  expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
  expect(pauses[0]).toBe(2_000);
  expect(pauses.at(-1)).toBeGreaterThan(5_000);
  expect(pauses.at(-1)).toBeLessThanOrEqual(15_000);
  expect(pollsMs.length).toBeLessThan(800);
});

describe("a wait", () => {
  it("ends after three refusals of its key in a row", async () => {
    const bench = await openFixture({ provisioningMs: hourMs });
    const [id = ""] = await begin(bench);
    bench.simulator.fault({ kind: "status", status: 401, times: 1_000, after: 2 });
    const error = await bench.run(failureOf(watch(bench, id)));
    expect(error).toMatchObject({ name: "ApiError", status: 401 });
    expect(requestLines(bench.simulator)).toHaveLength(2 + 3);
  });

  it("ends after three polls if the cluster disappears", async () => {
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

  it("succeeds if the cluster gets ready exactly at its deadline", async () => {
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
    ["takes half of a fresh window, beyond one request for each wait", { count: 67 }, 4_310],
    ["takes less of a window that other processes use too", { rateLimit: { ...free, left: 51 } }, 4_706],
    ["leaves room for queued requests", { rateLimit: { ...free, queued: 75 } }, 6_250],
    ["waits for the next window if no request is left", { rateLimit: { ...free, left: 0, resetInMs: 9_000 } }, 9_000],
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

/** Creates clusters at once, and counts the requests. */
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

describe("creations at once", () => {
  it.each<[clusters: number, seconds: number, Dialect["runningWhen"], maxRequests: number]>([
    [1, 30, "all-healthy", 20],
    [1, 30, "always", 45],
    [1, 300, "all-healthy", 90],
    [10, 300, "all-healthy", 110],
  ])(
    "send few requests: %i clusters, %i s, running %s, at most %i requests",
    async (clusters, seconds, runningWhen, maxRequests) => {
      const { requests, refused } = await createFleet(clusters, seconds * 1_000, { dialect: { runningWhen } });
      expect(requests).toBeLessThanOrEqual(maxRequests);
      expect(refused).toBe(0);
    },
  );

  it.each([1, 3])("end within 2 s of readiness, or 3 %% of the time waited: %i clusters", async (clusters) => {
    for (const seconds of [1, 7, 31, 64, 65, 99, 187, 301, 599]) {
      const { tookMs } = await createFleet(clusters, seconds * 1_000, { rateLimit: 1_000_000 });
      expect(tookMs - seconds * 1_000).toBeLessThanOrEqual(Math.max(2_000, 0.03 * seconds * 1_000));
    }
  });
});
