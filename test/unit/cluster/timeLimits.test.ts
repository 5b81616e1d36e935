import { type HttpRequest, type Send, titleOf } from "../../../provider/api/http";
import { ConnectionError } from "../../../provider/errors";
import type { VirtualClock } from "../../support/virtualClock";
import { type Bench, type BenchOptions, closeAll, countOf, failureOf, living, openBench, settle } from "./harness";
import { checked } from "./inputs";

afterEach(closeAll);

const timeoutMs = 45_000;
const latenessMs = 2_000;
const many = { times: 100_000 };

type Matches = (request: HttpRequest) => boolean;

/** Requests that never get an answer, from the moment on at which `begin` is called; `isLost`: they arrive nevertheless. */
function hanging(matches: Matches, { isLost = false } = {}) {
  const state = { isOn: false };
  const wire =
    (real: Send, clock: VirtualClock): Send =>
    async (request) => {
      if (!state.isOn || !matches(request)) return real(request);
      if (isLost) await real(request);
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

interface Phase {
  readonly options?: BenchOptions;
  readonly hangs?: Matches;
  readonly isLost?: boolean;
  readonly fault?: (bench: Bench) => void;
  readonly what: "create" | "update" | "scale" | "delete" | "start";
  /** What the error has to say, beside the name of the cluster. */
  readonly says: RegExp;
}

const status = (method: string, path: string, more: object) =>
  ({ kind: "status", status: 409, code: "cluster_busy", message: "not now", method, path, ...many, ...more }) as const;
const limited = { status: 429, code: "rate_limited", headers: { "Retry-After": "40" } };

const phases: Record<string, Phase> = {
  "the wait of a creation for the rate budget": {
    what: "create",
    fault: ({ simulator }) => simulator.fault(status("POST", "/v1/clusters", limited)),
    says: /POST \/v1\/clusters.*rate limit/,
  },
  "a create request without an answer": {
    what: "create",
    hangs: line("POST", list),
    says: /may have been created.*time limit/s,
  },
  "a lost create request, and the search for it": {
    what: "create",
    options: { listLagMs: 3_600_000 },
    fault: ({ simulator }) =>
      simulator.fault({ kind: "html", status: 504, method: "POST", path: "/v1/clusters", when: "after" }),
    says: /may have been created.*the time limit ended the search/s,
  },
  "a lost create request, and a list without an answer": {
    what: "create",
    hangs: (request) =>
      line("GET", list)(request) && request.deadlineMs !== undefined && request.urgency === "reconcile",
    fault: ({ simulator }) => simulator.fault({ kind: "drop", method: "POST", path: "/v1/clusters", when: "after" }),
    says: /may have been created/,
  },
  "the list before a creation": { what: "create", hangs: line("GET", list), says: /GET \/v1\/clusters.*time limit/s },
  "status looks without an answer": {
    what: "create",
    hangs: line("GET", /\/status$/),
    says: /timed out after 4\ds.*seen|timed out after 4\ds.*the last poll that failed/s,
  },
  "looks at a cluster without an answer": { what: "create", hangs: line("GET", one), says: /time limit|timed out/ },
  "an update without an answer": { what: "update", hangs: line("PATCH", one), says: /PATCH .*time limit/ },
  "an update that is busy": {
    what: "update",
    fault: ({ simulator }) => simulator.fault(status("PATCH", "/v1/clusters/*", {})),
    says: /timed out after 45s: the service is busy with the cluster: running .*not now/,
  },
  "a scaling that is busy": {
    what: "scale",
    fault: ({ simulator }) => simulator.fault(status("POST", "/v1/clusters/*/scale", {})),
    says: /timed out after 45s: the service is busy with the cluster/,
  },
  "the look before an update": { what: "update", hangs: line("GET", one), says: /GET .*time limit/ },
  "looks whether a roll-out begins": { what: "update", hangs: line("GET", /\/status$/), says: /\/status.*time limit/ },
  "a redeploy without an answer": {
    what: "update",
    options: { dialect: { updateRollsOut: false } },
    hangs: line("POST", /redeploy$/),
    says: /redeploy.*time limit/,
  },
  "a deletion without an answer": {
    what: "delete",
    hangs: line("DELETE", one),
    says: /not deleted.*DELETE .*time limit/,
  },
  "a deletion that is busy": {
    what: "delete",
    fault: ({ simulator }) => simulator.fault(status("DELETE", "/v1/clusters/*", {})),
    says: /not deleted: timed out after 45s: the service is busy with the cluster/,
  },
  "looks after a deletion without an answer": {
    what: "delete",
    options: { deletionMs: 3_600_000 },
    hangs: line("GET", one),
    says: /timed out after 4\ds/,
  },
  "a start without an answer": {
    what: "start",
    hangs: line("POST", /(restart|redeploy|scale)$/),
    says: /timed out.*restart: POST .*time limit/s,
  },
  "a start that is busy": {
    what: "start",
    fault: ({ simulator }) => simulator.fault(status("POST", "/v1/clusters/*/*", {})),
    says: /timed out after 45s: the service is busy with the cluster: stopped/,
  },
  "looks whether a start has begun": {
    what: "start",
    hangs: (request) => line("GET", one)(request),
    says: /time limit|timed out/,
  },
};

/** The operation, with the name of the cluster in it. */
async function begin({ cluster, ctx, ...bench }: Bench, what: Phase["what"]): Promise<() => Promise<unknown>> {
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

test.each(Object.entries(phases))("%s ends with its operation", async (_title, phase) => {
  const { hangs = () => false, isLost, says, what } = phase;
  const silence = hanging(hangs, { isLost });
  const bench = await openBench({
    provisioningMs: what === "create" ? 3_600_000 : 1_000,
    ...phase.options,
    wire: silence.wire,
  });
  const work = await begin(bench, what);
  const startMs = bench.clock.now();
  silence.begin();
  phase.fault?.(bench);
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
