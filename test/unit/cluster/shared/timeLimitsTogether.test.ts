import { getEventListeners } from "node:events";
import type { Send } from "../../../../provider/api/http/send";
import { ConnectionError } from "../../../../provider/base/errors";
import type { Fault } from "../../../../simulator";
import type { VirtualClock } from "../../../support/virtualClock";
import { type Bench, closeAll, countOf, failureOf, initErrorOf, living, openBench, settle } from "../harness";
import { checked } from "../inputs";

afterEach(closeAll);

const limitMs = 60_000;

/** A wire on which requests of a kind take so long, and arrive then. */
const slow =
  (takesMs: number, method: string, path: RegExp) =>
  (real: Send, clock: VirtualClock): Send =>
  async (request) => {
    if (request.method === method && path.test(request.path)) await clock.sleep(takesMs);
    return real(request);
  };

const create = (bench: Bench, timeoutMs = limitMs) => bench.cluster.create(bench.ctx({ timeoutMs }), checked);
const createPath = /^\/v1\/clusters$/;
const listPath = /^\/v1\/clusters(\?|$)/;

test("the wait for a new cluster has only the time that its create request has left", async () => {
  const bench = await openBench({ provisioningMs: 3_600_000, wire: slow(40_000, "POST", createPath) });
  const startMs = bench.clock.now();
  const { reasons } = await bench.run(initErrorOf(create(bench)));
  expect(bench.clock.now() - startMs).toBe(limitMs);
  expect(reasons.join()).toContain("timed out after 1m");
});

test("an answer to the create request that comes just before the limit is not lost", async () => {
  const bench = await openBench({ wire: slow(limitMs - 1, "POST", createPath) });
  const { id } = await bench.run(initErrorOf(create(bench)));
  expect(living(bench.simulator).map((cluster) => cluster.id)).toEqual([id]);
});

/** What becomes of a create request without an answer, and what the service has then. */
const lost: [string, Fault, number][] = [
  ["that made nothing", { kind: "drop" }, 0],
  ["that made a cluster which no list shows yet", { kind: "drop", when: "after" }, 1],
  ["of a gateway that waited in vain", { kind: "html", status: 504, when: "after" }, 1],
];

test.each(lost)(
  "a create request %s is not sent again at the limit, nor by the next try",
  async (_title, fault, made) => {
    const bench = await openBench({
      listLagMs: 3_600_000,
      faults: [{ ...fault, method: "POST", path: "/v1/clusters" }],
    });
    const startMs = bench.clock.now();
    const first = await bench.run(failureOf(create(bench, 10_000)));
    expect(bench.clock.now() - startMs).toBeLessThanOrEqual(12_000);
    expect(first.message).toMatch(
      /cluster "web" may have been created.*time limit.*check the service for the name "web".*adopt/s,
    );
    const second = await bench.run(failureOf(create(bench)));
    expect(second.message).toMatch(/cluster "web" may have been created/);
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(1);
    expect(living(bench.simulator)).toHaveLength(made);
  },
);

test("a create request that its limit has cut is looked for once, and found", async () => {
  const bench = await openBench({
    provisioningMs: 3_600_000,
    wire: (real, clock) => async (request) => {
      const answer = await real(request);
      if (request.method !== "POST" || !createPath.test(request.path)) return answer;
      await clock.sleep(request.attemptTimeoutMs ?? limitMs);
      throw new ConnectionError("no answer", { ...request, outcome: "ambiguous", isLate: true });
    },
  });
  const startMs = bench.clock.now();
  const { id } = await bench.run(initErrorOf(create(bench)));
  expect(living(bench.simulator).map((cluster) => cluster.id)).toEqual([id]);
  expect(bench.clock.now() - startMs).toBeLessThanOrEqual(limitMs + 2_000);
});

test("a deletion that is busy to its limit looks once more there, and may be over", async () => {
  const bench = await openBench();
  const { id, state } = await settle(bench, checked);
  // A younger cluster is polled again before it counts as gone, for which no time is left then.
  await bench.clock.advance(120_000);
  const busy = { kind: "status", status: 409, code: "cluster_busy", times: 1_000 } as const;
  bench.simulator.fault({ ...busy, method: "DELETE", path: "/v1/clusters/*" });
  const startMs = bench.clock.now();
  const work = bench.cluster.delete(bench.ctx({ timeoutMs: limitMs }), id, state);
  await bench.clock.advance(limitMs - 1);
  bench.simulator.change(id, { status: "gone" });
  await bench.run(work);
  expect(bench.clock.now() - startMs).toBeLessThanOrEqual(limitMs + 2_000);
});

describe("a list of clusters without an end", () => {
  /** Each page has a cluster that no page before had, and takes a second. */
  async function endless(what: "before" | "after") {
    let pages = 0;
    const state = { isOn: what === "before" };
    const bench = await openBench({
      wire: (real, clock) => async (request) => {
        if (request.method === "POST") state.isOn = true;
        if (!state.isOn || request.method !== "GET" || !listPath.test(request.path)) return real(request);
        pages += 1;
        await clock.sleep(1_000, request.signal);
        const clusters = [{ id: `cl_${pages}`, name: `other-${pages}`, status: "running" }];
        return { status: 200, headers: {}, body: JSON.stringify({ clusters, next_cursor: `c${pages}` }) };
      },
    });
    return { bench, pages: () => pages };
  }

  it("ends with the creation that reads it, before anything is created", async () => {
    const { bench, pages } = await endless("before");
    const startMs = bench.clock.now();
    const { message } = await bench.run(failureOf(create(bench)));
    expect(bench.clock.now() - startMs).toBeLessThanOrEqual(limitMs + 2_000);
    expect(message).toMatch(/^cluster "web" was not created: GET \/v1\/clusters.*time limit/);
    expect(living(bench.simulator)).toEqual([]);
    const read = pages();
    await bench.clock.advance(600_000);
    expect(pages()).toBe(read);
  });

  it("ends with the preview that reads it, after 5 s", async () => {
    const { bench, pages } = await endless("before");
    const startMs = bench.clock.now();
    const { failures } = await bench.run(bench.cluster.check(bench.ctx(), { ...checked, gpuType: "h100" }));
    expect(failures).toEqual([]);
    expect(bench.clock.now() - startMs).toBeLessThanOrEqual(5_000);
    const read = pages();
    await bench.clock.advance(600_000);
    expect([read, pages()]).toEqual([5, 5]);
  });
});

test("a cost limit whose price does not come fails the check, which waits for it a minute at most", async () => {
  const gpus = /^\/v1\/gpus/;
  const bench = await openBench({
    settings: { maxHourlyCost: 100 },
    wire: (real, clock) => async (request) => {
      if (gpus.test(request.path)) await clock.sleep(request.attemptTimeoutMs ?? limitMs, request.signal);
      return real(request);
    },
  });
  const startMs = bench.clock.now();
  const { failures } = await bench.run(bench.cluster.check(bench.ctx(), checked));
  expect(failures).toEqual([
    {
      property: "",
      reason: expect.stringMatching(/^gpucluster:maxHourlyCost cannot be checked: no answer within 60 s/),
    },
  ]);
  expect(bench.clock.now() - startMs).toBeLessThanOrEqual(60_000);
});

test("an operation that has ended leaves no timer and no listener", async () => {
  const bench = await openBench();
  const { signal } = new AbortController();
  await bench.run(bench.cluster.create(bench.ctx({ signal }), checked));
  expect(bench.clock.sleeping).toBe(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
