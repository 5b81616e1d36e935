import { RateLimiter } from "../../../../provider/api/http/rateLimiter";
import type { HttpRequest, HttpResponse, RequestKind } from "../../../../provider/api/http/send";
import type { RequestEntry, TransportOptions } from "../../../../provider/api/http/transport";
import { ConnectionError, type Outcome } from "../../../../provider/base/errors";
import { Redactor } from "../../../../provider/base/redact";
import { quiet, VirtualClock } from "../../../support/virtualClock";
import { canary, failureOf, rateAnswer, requestOf, transportOver } from "./httpHarness";

type Answer = (request: HttpRequest, count: number) => HttpResponse | Promise<HttpResponse>;

/** A transport in virtual time, over a wire that answers so. */
function openFixture(answer: Answer, options: Omit<Partial<TransportOptions>, "clock"> = {}) {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const sent: { readonly atMs: number; readonly limitMs: number | undefined }[] = [];
  const wire = async (request: HttpRequest) => {
    sent.push({ atMs: clock.now() - startMs, limitMs: request.attemptTimeoutMs });
    return answer(request, sent.length);
  };
  const rateLimiter = new RateLimiter({ clock, random: () => 0 });
  const start = transportOver(wire, { clock, rateLimiter, ...options });
  const fail = (request: HttpRequest) => clock.run(failureOf(start(request)));
  return { clock, startMs, sent, start, send: (request = requestOf()) => clock.run(start(request)), fail };
}

const failing =
  (outcome: Outcome): Answer =>
  ({ method, path, subject }) => {
    throw new ConnectionError("no answer", { outcome, method, path, subject });
  };

const kinds: RequestKind[] = ["read", "delete", "create", "write", "action"];

describe("a failed request", () => {
  // In the order of `kinds`.
  it.each<[Outcome, number[]]>([
    ["not-sent", [5, 5, 5, 5, 5]],
    ["ambiguous", [5, 5, 1, 1, 1]],
    ["server-error", [5, 5, 1, 1, 1]],
    ["busy", [5, 1, 1, 1, 1]],
    ["no-capacity", [1, 1, 1, 1, 1]],
    ["refused", [1, 1, 1, 1, 1]],
  ])("is sent as often as its outcome and its kind allow: %s", async (outcome, attempts) => {
    const sendings = kinds.map(async (kind) => {
      const { sent, fail } = openFixture(failing(outcome));
      expect(await fail(requestOf(kind))).toMatchObject({ outcome });
      return sent.length;
    });
    expect(await Promise.all(sendings)).toEqual(attempts);
  });

  it("is repeated after random parts of pauses that double up to 20 s", async () => {
    const { sent, fail } = openFixture(failing("ambiguous"), { random: () => 0.5 });
    expect(String(await fail(requestOf("read", { attempts: 9 })))).toMatch(/: no answer \(tried 9 times\)$/);
    const maxTimes = [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500, 51_500, 71_500];
    expect(sent.map(({ atMs }) => atMs)).toEqual(maxTimes.map((ms) => ms / 2));
  });

  it("is not sent if its signal aborts as it gets its permit", async () => {
    const { sent, start } = openFixture(() => rateAnswer());
    const controller = new AbortController();
    const pending = start(requestOf("create", { signal: controller.signal }));
    controller.abort(new Error("interrupted"));
    await expect(pending).rejects.toThrow(/^interrupted$/);
    expect(sent).toEqual([]);
  });
});

test("a refusal by the rate limit uses up no attempt until the wait would become too long", async () => {
  const refusing: Answer = (_request, count) => rateAnswer({ "retry-after": "60" }, count <= 3 ? 429 : 200);
  const once = { attempts: 1, maxQueueMs: 190_000 };
  expect((await openFixture(refusing).send(requestOf("create", once))).status).toBe(200);
  const error = await openFixture(refusing).fail(requestOf("create", { ...once, maxQueueMs: 150_000 }));
  expect(error).toMatchObject({ status: 429 });
});

const left = (remaining: number) => ({ "x-ratelimit-limit": "100", "x-ratelimit-remaining": `${remaining}` });
const refusal = (code: string | undefined, message = "No.") => JSON.stringify({ error: { code, message } });

describe("a 429", () => {
  const rate = refusal("rate_limit_exceeded", "100 requests per minute for your plan");
  const quota = refusal("quota_exceeded", "your plan allows 2 GPUs");
  const unknown = refusal("nope");
  const client = JSON.stringify({ error: { type: "rate_limit_error", message: "your plan allows 2 GPUs" } });
  const page = "<html>Slow</html>";

  // The number of requests; 5 if all are waits.
  it.each<[string, number, Outcome, string, Record<string, string>, RequestKind?]>([
    ["of a rate, without headers", 5, "rate-limited", rate, {}],
    ["of a rate, with requests left", 5, "rate-limited", refusal("throttled"), left(57)],
    ["of a rate in words alone", 5, "rate-limited", refusal("E17", "Too many requests"), {}],
    ["without a word", 5, "rate-limited", "", {}],
    ["of a gateway", 5, "rate-limited", page, {}],
    ["in unknown words, with a time", 5, "rate-limited", unknown, { "retry-after": "20" }],
    ["in unknown words, with nothing left", 5, "rate-limited", unknown, left(0)],
    ["in unknown words, with requests left", 2, "refused", unknown, left(57)],
    ["in unknown words, without headers", 2, "refused", unknown, {}],
    ["without a word, with requests left", 2, "refused", "", left(57)],
    ["of a quota, with requests left", 1, "refused", quota, left(57)],
    ["of a quota, without headers", 1, "refused", quota, {}],
    ["of a quota, with a time", 1, "refused", quota, { "retry-after": "20" }],
    ["of a quota, with nothing left", 2, "refused", quota, left(0)],
    ["of a plan in words alone", 1, "refused", refusal("E17", "Upgrade your plan"), {}],
    ["of a bill", 1, "refused", refusal("billing_hold"), {}],
    ["of a quota, with the type that every 429 has", 2, "refused", client, left(57)],
    ["for lack of GPUs", 1, "no-capacity", refusal("insufficient_capacity"), left(57), "create"],
  ])("is a wait only if it is about a rate: %s", async (_title, requests, outcome, body, headers, kind = "write") => {
    const { sent, fail, clock, startMs } = openFixture((_request, count) =>
      count < 5 ? { status: 429, headers, body } : { status: 410, headers: {}, body: "" },
    );
    const error = await fail(requestOf(kind));
    expect(sent).toHaveLength(requests);
    if (requests < 5) expect(error).toMatchObject({ status: 429, outcome, maybeApplied: false });
    else expect(error).toMatchObject({ status: 410 });
    expect(clock.now() - startMs).toBeLessThan(requests * 62_000);
    if (requests === 1) expect(clock.now()).toBe(startMs);
  });

  it("shows the words of the service at once, and in the error at the deadline", async () => {
    const { startMs, clock, sent, fail } = openFixture(() => ({ status: 429, headers: {}, body: rate }));
    const waits: [number, string][] = [];
    const onWait = (message: string) => waits.push([clock.now() - startMs, message]);
    const error = await fail(requestOf("write", { deadlineMs: startMs + 90_000, onWait }));
    const words = "100 requests per minute for your plan (rate_limit_exceeded, HTTP 429)";
    expect(waits).toEqual([[0, `waiting 1m: PATCH /v1/clusters: ${words}`]]);
    expect(String(error)).toContain(`${words}; its time limit is reached. The service asks to wait 1m`);
    expect(sent).toHaveLength(2);
  });

  it.each<[string, Record<string, string>, string, boolean, boolean]>([
    ["its own route, without rate headers", {}, rate, true, false],
    ["its own route, with requests left", left(57), refusal("throttled"), true, false],
    ["the whole key, with nothing left", left(0), rate, true, true],
    ["nothing else, if it may be no rate", left(57), unknown, false, false],
    ["nothing else, if it is a quota", {}, quota, false, false],
  ])("stops %s", async (_title, headers, body, stopsRoute, stopsKey) => {
    const { clock, sent, start } = openFixture(({ method }, count) =>
      count === 1 ? { status: 429, headers, body } : { status: 200, headers: left(90), body: `{"a":"${method}"}` },
    );
    const scale = (id: string) =>
      requestOf("write", { path: `/v1/clusters/${id}/scale`, route: "/v1/clusters/:id/scale" });
    const isSentAtOnce = async (request: HttpRequest) => {
      const before = sent.length;
      start(request).catch(() => undefined);
      await quiet();
      return sent.length > before;
    };
    start(scale("cl_1")).catch(() => undefined);
    await quiet();
    expect(await isSentAtOnce(requestOf("read"))).toBe(!stopsKey);
    expect(await isSentAtOnce(scale("cl_2"))).toBe(!stopsRoute);
    await clock.advance(120_000);
    expect(sent.length).toBeGreaterThanOrEqual(3);
  });

  it("that has closed a route fails a request that cannot wait so long, with the words of the service", async () => {
    const { startMs, clock, sent, start, fail } = openFixture(() => ({ status: 429, headers: {}, body: rate }));
    start(requestOf("write")).catch(() => undefined);
    await quiet();
    const soon = { deadlineMs: startMs + 9_000, subject: 'cluster "api"' };
    const error = await fail(requestOf("write", soon));
    expect(String(error)).toMatch(/^.*PATCH \/v1\/clusters for cluster "api": 100 requests per minute .*wait 1m$/);
    expect([sent.length, clock.now()]).toEqual([1, startMs]);
  });
});

describe("Retry-After", () => {
  const inSeconds = (seconds: number): Record<string, string> => ({ "retry-after": `${seconds}` });
  const asDate = (seconds: number): Record<string, string> => {
    const date = new VirtualClock().now();
    return {
      date: new Date(date).toUTCString(),
      "retry-after": new Date(date + seconds * 1_000).toUTCString(),
    };
  };

  it.each<[number, RequestKind, Record<string, string>, number[]]>([
    [503, "read", inSeconds(9), [0, 9_000]],
    [502, "delete", inSeconds(9), [0, 9_000]],
    [503, "read", asDate(40), [0, 40_000]],
    [429, "write", asDate(40), [0, 40_250]],
    [503, "read", inSeconds(120), [0, 120_000]],
    [503, "read", inSeconds(0), [0, 250]],
    // Nothing says that a 504 was not processed.
    [504, "read", inSeconds(9), [0, 250]],
    [503, "write", inSeconds(9), [0]],
    [503, "create", inSeconds(9), [0]],
    [503, "read", inSeconds(121), [0]],
    [429, "write", asDate(3_600), [0]],
  ])("of a %i is kept by what may be sent again, up to two minutes: %s %j", async (status, kind, headers, times) => {
    const { sent, start, clock } = openFixture((_request, count) => rateAnswer(headers, count === 1 ? status : 200));
    const waits: string[] = [];
    const end = await clock.run(failureOf(start(requestOf(kind, { onWait: (message) => waits.push(message) }))));
    expect(sent.map(({ atMs }) => atMs)).toEqual(times);
    const asked = Math.round((times[1] ?? 0) / 1_000);
    expect(waits).toHaveLength(asked > 0 ? 1 : 0);
    if (times.length > 1) expect(end).toBeUndefined();
    else expect(String(end)).toMatch(/The service asks to wait (9s|2m1s|60m)/);
  });
});

describe("a 403", () => {
  const advice = /The API key is not allowed to do this/;
  it.each<[string | undefined, string | undefined, boolean]>([
    [undefined, "No.", true],
    ["permission_error", "No.", true],
    ["FORBIDDEN", "No.", true],
    ["insufficient_scope", "No.", true],
    ["permission_error", "your balance is too low", false],
    ["quota_exceeded", "No.", false],
    ["billing_hold", "No.", false],
    ["email_not_verified", "No.", false],
    ["ScopeLocked", "No.", false],
  ])("advises about the key only if it is about that: %s, %s", async (code, message, isAboutKey) => {
    const { fail } = openFixture(() => ({ status: 403, headers: {}, body: refusal(code, message) }));
    expect(advice.test(String(await fail(requestOf("write"))))).toBe(isAboutKey);
  });
});

describe("a deadline", () => {
  const leftMs = 10_000;
  const within = (startMs: number, more: Partial<HttpRequest> = {}) => ({
    deadlineMs: startMs + leftMs,
    subject: 'cluster "web"',
    ...more,
  });

  it.each<[string, RequestKind, number]>([
    ["prevents a read at its end", "read", 1],
    ["prevents a creation in its last 2 s", "create", 2_001],
  ])("%s", async (_name, kind, minMs) => {
    const { startMs, sent, fail } = openFixture(failing("refused"));
    const error = await fail(requestOf(kind, within(startMs, { deadlineMs: startMs + minMs - 1 })));
    expect(String(error)).toMatch(/for cluster "web": not sent; its time limit is reached/);
    expect(error).toMatchObject({ hitDeadline: true, maybeApplied: false });
    expect(sent).toHaveLength(0);
    await fail(requestOf(kind, within(startMs, { deadlineMs: startMs + minMs })));
    expect(sent).toHaveLength(1);
  });

  it("refuses a request at once that would wait for the rate limit until after it", async () => {
    const headers = { "x-ratelimit-limit": "100", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "50" };
    const { clock, startMs, sent, send, fail } = openFixture(() => rateAnswer(headers));
    await send(requestOf("read", within(startMs)));
    expect(await fail(requestOf("write", within(startMs)))).toMatchObject({ hitDeadline: true, status: 429 });
    expect([clock.now(), sent.length]).toEqual([startMs, 1]);
  });
});

describe("the log", () => {
  it("has a line for each attempt, with its times, and quotes nothing from the service", async () => {
    const secret = "hf_abcdefgh1234";
    const body = JSON.stringify({ error: { code: "x", message: `bad ${secret} for ${canary}`, status: 400 } });
    const lines: RequestEntry[] = [];
    const { clock, fail } = openFixture(
      async (_request, count) => {
        await clock.sleep(80);
        if (count === 1) return rateAnswer({ "retry-after": "20", "x-request-id": `id-${secret}` }, 429);
        return { ...rateAnswer({ "x-ratelimit-remaining": "41" }, 400), body };
      },
      { log: (entry) => lines.push(entry) },
    );
    const target = { path: "/v1/clusters/cl_1", route: "/v1/clusters/:id", subject: 'cluster "web" (cl_1)' };
    await fail(requestOf("write", { ...target, redactor: new Redactor().learn([secret]) }));
    const { path: _path, ...logged } = { ...target, method: "PATCH", cluster: "cl_1", durationMs: 80 };
    expect(lines).toEqual([
      expect.objectContaining({ ...logged, attempt: 1, status: 429, waitedMs: 0, requestId: "id-[secret]" }),
      expect.objectContaining({ ...logged, attempt: 2, status: 400, waitedMs: 20_250, remaining: 41 }),
    ]);
    expect(lines[1]?.error).toBe("the service answered HTTP 400");
    expect(JSON.stringify(lines)).not.toMatch(/hf_|canary|bad/);
  });
});
