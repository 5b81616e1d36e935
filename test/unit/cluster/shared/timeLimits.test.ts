import { type HttpRequest, type Send, titleOf } from "../../../../provider/api/http/send";
import { ConnectionError } from "../../../../provider/base/errors";
import type { Fault } from "../../../../simulator";
import type { VirtualClock } from "../../../support/virtualClock";
import { type Bench, type BenchOptions, closeAll, countOf, failureOf, living, openBench, settle } from "../harness";
import { checked } from "../inputs";

afterEach(closeAll);

const timeoutMs = 45_000;
const latenessMs = 2_000;

type Matches = (request: HttpRequest) => boolean;

/** Requests that never get an answer, from the moment on at which `begin` is called. */
function hanging(matches: Matches) {
  const state = { isOn: false };
  const wire =
    (real: Send, clock: VirtualClock): Send =>
    async (request) => {
      if (!state.isOn || !matches(request)) return real(request);
      await clock.sleep(request.attemptTimeoutMs ?? 60_000, request.method === "GET" ? request.signal : undefined);
      const { method, path } = request;
      throw new ConnectionError(`${titleOf(request)}: no answer`, { method, path, outcome: "ambiguous", isLate: true });
    };
  const begin = () => {
    state.isOn = true;
  };
  return { wire, begin };
}

const line =
  (method: string, path: RegExp): Matches =>
  (request) =>
    request.method === method && path.test(request.path);
const one = /^\/v1\/clusters\/[^/]+$/;
const list = /^\/v1\/clusters(\?|$)/;

type What = "create" | "update" | "scale" | "delete" | "start";

interface Trouble {
  readonly options?: BenchOptions;
  /** Requests that never get an answer. */
  readonly hangs?: Matches;
  readonly fault?: Fault;
}

const answer = (status: number, method: string, path: string, more: object = {}): Fault => ({
  ...{ kind: "status", status, code: "cluster_busy", message: "not now", method, path, times: 100_000 },
  ...more,
});
const post = { method: "POST", path: "/v1/clusters", when: "after" } as const;
const limited = answer(429, "POST", "/v1/clusters", { code: "rate_limited", headers: { "Retry-After": "40" } });
const pages: Fault = { ...post, kind: "html", status: 504 };
const busyAnswer = (method: string, path: string) => ({ fault: answer(409, method, path) });
const manual: BenchOptions = { dialect: { updateRollsOut: false } };
const afterLoss: Matches = (request) =>
  line("GET", list)(request) && request.deadlineMs !== undefined && request.urgency === "reconcile";
const polled = /timed out after 4\ds.*seen|timed out after 4\ds.*the last poll that failed/s;

/** What does not end by itself, in which operation, and what the error has to say beside the name of the cluster. */
const phases: [title: string, what: What, says: RegExp, trouble: Trouble][] = [
  ["the wait of a creation for the rate budget", "create", /POST \/v1\/clusters.*rate limit/, { fault: limited }],
  ["a create request without an answer", "create", /may have been created.*time limit/s, { hangs: line("POST", list) }],
  [
    "a lost create request, and the search for it",
    "create",
    /may have been created.*the time limit ended the search/s,
    { options: { listLagMs: 3_600_000 }, fault: pages },
  ],
  [
    "a lost create request, and a list without an answer",
    "create",
    /may have been created/,
    { hangs: afterLoss, fault: { ...post, kind: "drop" } },
  ],
  ["the list before a creation", "create", /GET \/v1\/clusters.*time limit/s, { hangs: line("GET", list) }],
  ["polls of /status without an answer", "create", polled, { hangs: line("GET", /\/status$/) }],
  ["polls of a cluster without an answer", "create", /time limit|timed out/, { hangs: line("GET", one) }],
  ["an update without an answer", "update", /PATCH .*time limit/, { hangs: line("PATCH", one) }],
  [
    "an update that is busy",
    "update",
    /after 45s: .* busy .*: running .*not now/,
    busyAnswer("PATCH", "/v1/clusters/*"),
  ],
  ["a scaling that is busy", "scale", /timed out after 45s: .* busy/, busyAnswer("POST", "/v1/clusters/*/scale")],
  ["the look before an update", "update", /GET .*time limit/, { hangs: line("GET", one) }],
  ["looks whether a roll-out begins", "update", /\/status.*time limit/, { hangs: line("GET", /\/status$/) }],
  [
    "a redeploy without an answer",
    "update",
    /redeploy.*time limit/,
    { options: manual, hangs: line("POST", /redeploy$/) },
  ],
  ["a deletion without an answer", "delete", /not deleted.*DELETE .*time limit/, { hangs: line("DELETE", one) }],
  [
    "a deletion that is busy",
    "delete",
    /not deleted: timed out after 45s: .* busy/,
    busyAnswer("DELETE", "/v1/clusters/*"),
  ],
  [
    "polls after a deletion without an answer",
    "delete",
    /timed out after 4\ds/,
    { options: { deletionMs: 3_600_000 }, hangs: line("GET", one) },
  ],
  [
    "a start without an answer",
    "start",
    /timed out.*restart: POST .*time limit/s,
    { hangs: line("POST", /(restart|redeploy|scale)$/) },
  ],
  ["a start that is busy", "start", /timed out after 45s: .* busy .*: stopped/, busyAnswer("POST", "/v1/clusters/*/*")],
  ["looks whether a start has begun", "start", /time limit|timed out/, { hangs: line("GET", one) }],
];

/** The operation, with the name of the cluster in it. */
async function begin({ cluster, ctx, ...bench }: Bench, what: What): Promise<() => Promise<unknown>> {
  const own = () => ctx({ timeoutMs });
  if (what === "create") return () => cluster.create(own(), checked);
  const { id, state } = await settle({ cluster, ctx, ...bench }, checked);
  // The list from before its creation is not believed any more.
  await bench.clock.advance(60_000);
  if (what === "delete") return () => cluster.delete(own(), id, state);
  if (what === "scale") return () => cluster.update(own(), id, state, { ...checked, replicas: 4 });
  if (what === "update") return () => cluster.update(own(), id, state, { ...checked, env: { MODEL: "other" } });
  const atRest = await bench.run(cluster.update(ctx(), id, state, { ...checked, desiredStatus: "stopped" }));
  return () => cluster.update(own(), id, atRest, { ...checked, desiredStatus: "running" });
}

test.each(phases)("%s ends with its operation", async (_title, what, says, { options, hangs = () => false, fault }) => {
  const silence = hanging(hangs);
  const provisioningMs = what === "create" ? 3_600_000 : 1_000;
  const bench = await openBench({ provisioningMs, ...options, wire: silence.wire });
  const work = await begin(bench, what);
  const startMs = bench.clock.now();
  silence.begin();
  if (fault) bench.simulator.fault(fault);
  const error = await bench.run(failureOf(work()));
  const tookMs = bench.clock.now() - startMs;
  const text = [error.message, ...("reasons" in error && Array.isArray(error.reasons) ? error.reasons : [])].join("\n");
  expect(text).toContain('"web"');
  expect(text).toMatch(says);
  expect(tookMs).toBeLessThanOrEqual(timeoutMs + latenessMs);
  // Nothing goes on behind it.
  const sent = bench.simulator.requests.length;
  await bench.clock.advance(600_000);
  expect(bench.simulator.requests.length).toBe(sent);
  if (what === "create") expect(countOf(bench.simulator, "POST /v1/clusters")).toBeLessThanOrEqual(2);
  expect(living(bench.simulator).length).toBeLessThanOrEqual(1);
});
