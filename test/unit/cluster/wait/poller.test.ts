import fc from "fast-check";
import { type Found, goalOf, judgeReady, type Verdict } from "../../../../provider/cluster/compare/health";
import { Operation } from "../../../../provider/cluster/shared/operation";
import { pollPauseMs, type Waiting } from "../../../../provider/cluster/wait/pollInterval";
import type { Ctx } from "../../../../provider/contract";
import type { Dialect, Fault } from "../../../../simulator";
import { type Bench, countOf, failureOf, forget, openBench, requestLines } from "../harness";
import { checked } from "../inputs";

const hourMs = 3_600_000;
const lists = "GET /v1/clusters";
const details = "GET /v1/clusters/:id/status";
const listing = { path: "/v1/clusters", method: "GET", times: 1_000 } as const;

type Judge = (look: Found) => Verdict;

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
});

it("a cluster that calls itself running too early is looked at twice when it is healthy, at least 2 s apart", async () => {
  const bench = await openBench({ dialect: { runningWhen: "placed" }, provisioningMs: 6_000 });
  const [id = ""] = await begin(bench);
  const healthyAtMs: number[] = [];
  const judge: Judge = (look) => {
    if (look.status?.replicas.some((replica) => replica.healthy)) healthyAtMs.push(bench.clock.now());
    return judgeOne(look);
  };
  await bench.run(watch(bench, id, { judge }));
  const [first = 0, second = 0, ...others] = healthyAtMs;
  expect(others).toEqual([]);
  expect(second - first).toBeGreaterThanOrEqual(2_000);
});

it("a long wait looks more and more rarely, and at least every 15 s", async () => {
  const bench = await openBench({ provisioningMs: 30 * 60_000 });
  const [id = ""] = await begin(bench);
  await bench.run(watch(bench, id));
  const looks = bench.simulator.requests.filter(({ path }) => !path.endsWith("/status")).map(({ at }) => at);
  const pauses = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
  expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
  expect(pauses[0]).toBe(2_000);
  expect(pauses.at(-1)).toBeGreaterThan(5_000);
  expect(pauses.at(-1)).toBeLessThanOrEqual(15_000);
  expect(looks.length).toBeLessThan(800);
});

describe("a wait ends", () => {
  it("after three refusals of its key in a row", async () => {
    const bench = await openBench({ provisioningMs: hourMs });
    const [id = ""] = await begin(bench);
    bench.simulator.fault({ kind: "status", status: 401, times: 1_000, after: 2 });
    const error = await bench.run(failureOf(watch(bench, id)));
    expect(error).toMatchObject({ name: "ApiError", status: 401 });
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

  it("in success when it is ready just at its deadline", async () => {
    const bench = await openBench({ provisioningMs: 77_000 });
    const [id = ""] = await begin(bench);
    expect((await bench.run(watch(bench, id, { timeoutMs: 77_000 }))).kind).toBe("ready");
  });
});

const free = { limit: 100, left: 100, spare: 96, resetInMs: 60_000, queued: 0, share: 1 };
const nearEnd = { ...free, resetInMs: 1_900 };
const due = { agesMs: [30_500, 30_500], fastestMs: 30_000, dueMs: 29_900, budget: { ...free, limit: 600, spare: 596 } };
const two: Waiting = { agesMs: [0, 0], sinceMs: 0, requests: 1, confirmations: 0, areDeletions: false, budget: free };

describe("the pause before the next look", () => {
  it.each<[string, Partial<Waiting>, number]>([
    ["is short at first", {}, 1_250],
    ["takes half of what is left where a look is two requests", { requests: 2 }, 2_500],
    ["is 2 s at least where many wait for deletions", { areDeletions: true }, 2_000],
    ["of a single wait grows to 2.5 % of it", { agesMs: [300_000] }, 7_500],
    ["is never longer than 60 s if others use the key", { budget: { ...free, spare: 0, share: 0.1 } }, 60_000],
    ["spreads the few permits that are left over the rest of the window", { budget: { ...free, spare: 8 } }, 7_500],
    ["waits for the next window where none is left", { budget: { ...free, spare: 0, resetInMs: 9_000 } }, 9_000],
    ["reaches to the end of a window that ends soon after it", { budget: nearEnd }, 1_900],
    ["heeds no end of a window if others use the key", { budget: { ...nearEnd, share: 0.9 } }, 1_000],
    ["reaches to the moment at which the first may be ready", { agesMs: [0, 230_000], fastestMs: 300_000 }, 10_000],
    ["is 0.6 s while all are about as old as the first that looked ready", { ...due, agesMs: [29_000, 30_800] }, 600],
    [
      "is as before if one is younger, as always in a fleet whose creations are spread",
      { ...due, agesMs: [28_000, 30_000] },
      1_000,
    ],
    ["is as before if they wait for deletions", { ...due, areDeletions: true }, 2_000],
    ["is at least half of it, however long the last look took", { sinceMs: 1_200 }, 625],
  ])("%s", (_title, waiting, ms) => {
    expect(pollPauseMs({ ...two, ...waiting })).toBe(ms);
  });

  it("never uses up a window before its end, and never stops looking", () => {
    const left = { spare: fc.integer({ min: 1, max: 100 }), resetInMs: fc.integer({ min: 1, max: 60_000 }) };
    const budgets = fc.record({ limit: fc.constant(100), queued: fc.constant(0), share: fc.constant(1), ...left });
    fc.assert(
      fc.property(budgets, fc.integer({ min: 0, max: 4e6 }), fc.constantFrom(1, 2), (budget, age, requests) => {
        const pause = pollPauseMs({ ...two, agesMs: [age, age], requests, budget });
        expect(pause).toBeGreaterThanOrEqual(1_000);
        expect(pause).toBeLessThanOrEqual(15_000);
        const looks = Math.floor(budget.resetInMs / pause);
        if (pause < 15_000 && pause > 1_000)
          expect(looks * requests).toBeLessThanOrEqual(Math.max(budget.spare, requests));
      }),
    );
  });
});

/** By whether its state is `running` when all replicas are healthy, or before. */
it.each<[number, Dialect["runningWhen"], number]>([
  [30, "always", 45],
  [300, "all-healthy", 120],
])("one creation of %i s, whose state is running when %s, takes at most %i requests", async (seconds, when, most) => {
  const provisioningMs = seconds * 1_000;
  const bench = await openBench({ rateLimit: 100, provisioningMs, dialect: { runningWhen: when } });
  const startMs = bench.clock.now();
  const { state } = await bench.run(bench.cluster.create(bench.ctx(), checked));
  expect(state).toMatchObject({ settled: true, readyReplicas: 2 });
  expect(bench.simulator.requests.length).toBeLessThanOrEqual(most);
  expect((bench.clock.now() - startMs) / provisioningMs).toBeLessThanOrEqual(1.07);
});
