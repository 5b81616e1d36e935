import { getEventListeners } from "node:events";
import { ConnectionError } from "../../../../provider/base/errors";
import type { Fault } from "../../../../simulator";
import { type Fixture, type FixtureOptions, failureOf, openFixture, post, toRun, toStop } from "../harness";
import { checked } from "../inputs";

const timeoutMs = 40_000;
const latenessMs = 2_000;

type What = "create" | "update" | "delete" | "start";

interface Trouble {
  readonly options?: FixtureOptions;
  /** Requests that never get an answer. */
  readonly hangs?: RegExp;
  readonly fault?: Fault;
}

const always = { kind: "status", times: 100_000 } as const;
const rateLimited: Fault = { ...always, ...post, status: 429, code: "rate_limited", headers: { "Retry-After": "35" } };
const page: Fault = { ...post, kind: "html", status: 504, when: "after" };
const busy: Fault = { ...always, status: 409, code: "cluster_busy", message: "not now", method: "PATCH" };
const lost: Trouble = { options: { listLagMs: 3_600_000 }, fault: page };
const unpolled: Trouble = { options: { deletionMs: 3_600_000 }, hangs: /^GET .*clusters\/\w+$/ };
const polled = /timed out after 4\ds.*seen|timed out after 4\ds.*the last poll that failed/s;

/** What does not end by itself, in which operation, and what the error says besides the name of the cluster. */
const phases: [title: string, what: What, says: RegExp, trouble: Trouble][] = [
  ["a wait for the rate limit", "create", /POST .*clusters.*rate_limited.*asks to wait 35s/, { fault: rateLimited }],
  ["a creation without an answer", "create", /may have been created.*time limit/s, { hangs: /^POST .*clusters$/ }],
  ["a lost create request, and the search for it", "create", /may have been created.*the time limit ended the/s, lost],
  ["the list before a creation", "create", /GET \/v1\/clusters.*time limit/s, { hangs: /^GET .*clusters$/ }],
  ["polls of /status without an answer", "create", polled, { hangs: /^GET .*status$/ }],
  ["an update without an answer", "update", /PATCH .*time limit/, { hangs: /^PATCH/ }],
  ["an update that is busy", "update", /after 40s: .*busy.*not now/, { fault: busy }],
  ["a deletion without an answer", "delete", /not deleted.*DELETE .*time limit/, { hangs: /^DELETE/ }],
  ["polls after a deletion without an answer", "delete", /timed out after 4\ds/, unpolled],
  ["a start without an answer", "start", /restart: .*time limit/, { hangs: /^POST .*(restart|redeploy|scale)$/ }],
];

/** The operation, with the name of the cluster in it. */
async function begin({ cluster, ctx, ...fixture }: Fixture, what: What): Promise<() => Promise<unknown>> {
  const limited = () => ctx({ timeoutMs });
  if (what === "create") return () => cluster.create(limited(), checked);
  const { id, state } = await fixture.run(cluster.create(ctx(), checked));
  // A list from before its creation is too old by now.
  await fixture.clock.advance(60_000);
  if (what === "delete") return () => cluster.delete(limited(), id, state);
  if (what === "update") return () => cluster.update(limited(), id, state, { ...checked, env: { MODEL: "other" } });
  const stopped = await fixture.run(cluster.update(ctx(), id, state, toStop));
  return () => cluster.update(limited(), id, stopped, toRun);
}

test.each(phases)(
  "work without an end ends with its operation: %s",
  async (_title, what, says, { options, hangs, fault }) => {
    let hasBegun = false;
    const wire: FixtureOptions["wire"] = (real, clock) => async (request) => {
      if (!hasBegun || !hangs?.test(`${request.method} ${request.path}`)) return real(request);
      await clock.sleep(request.attemptTimeoutMs ?? 60_000, request.method === "GET" ? request.signal : undefined);
      throw new ConnectionError("no answer", { ...request, outcome: "ambiguous", isLate: true, attempts: 1 });
    };
    const provisioningMs = what === "create" ? 3_600_000 : 1_000;
    const fixture = await openFixture({ provisioningMs, ...options, wire });
    const work = await begin(fixture, what);
    hasBegun = true;
    if (fault) fixture.simulator.fault(fault);
    const { end: error, tookMs } = await fixture.timed(failureOf(work()));
    expect(error.message).toContain('"web"');
    expect(error.message).toMatch(says);
    expect(tookMs).toBeLessThanOrEqual(timeoutMs + latenessMs);
    // Nothing continues in the background.
    const sent = fixture.simulator.requests.length;
    await fixture.clock.advance(600_000);
    expect(fixture.simulator.requests.length).toBe(sent);
    if (what === "create") expect(fixture.countOf("POST /v1/clusters")).toBeLessThanOrEqual(2);
    expect(fixture.living().length).toBeLessThanOrEqual(1);
  },
);

test("a cluster whose create request was cut by the time limit is found", async () => {
  const fixture = await openFixture({
    provisioningMs: 3_600_000,
    wire: (real, clock) => async (request) => {
      const answer = await real(request);
      if (request.method !== "POST" || request.path !== post.path) return answer;
      await clock.sleep(request.attemptTimeoutMs ?? 60_000);
      throw new ConnectionError("no answer", { ...request, outcome: "ambiguous", isLate: true });
    },
  });
  const { end, tookMs } = await fixture.timed(fixture.failingCreate(checked));
  expect(fixture.living().map(({ id }) => id)).toEqual([end.id]);
  expect(tookMs).toBeLessThanOrEqual(60_000 + latenessMs);
});

test("an operation that has ended leaves no timer and no listener", async () => {
  const fixture = await openFixture();
  const { signal } = new AbortController();
  await fixture.make(checked, { signal });
  expect(fixture.clock.sleeping).toBe(0);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
