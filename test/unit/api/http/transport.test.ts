import { RateLimiter } from "../../../../provider/api/http/rateLimiter";
import type { HttpRequest, HttpResponse, RequestKind } from "../../../../provider/api/http/send";
import type { TransportOptions } from "../../../../provider/api/http/transport";
import { ConnectionError, type Outcome } from "../../../../provider/base/errors";
import { Redactor } from "../../../../provider/base/redact";
import type { RequestEntry } from "../../../../provider/base/requestLog";
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

  it("is not repeated after an error of another kind", async () => {
    const { sent, send } = openFixture(() => {
      throw new TypeError("a bug");
    });
    await expect(send()).rejects.toThrow(/^a bug$/);
    expect(sent).toHaveLength(1);
  });

  it("is not sent if its signal aborts as it gets its permit", async () => {
    const { sent, start } = openFixture(() => rateAnswer());
    const controller = new AbortController();
    const pending = start(requestOf("create", { signal: controller.signal }));
    controller.abort(new Error("interrupted"));
    await expect(pending).rejects.toThrow(/^interrupted$/);
    expect(sent).toEqual([]);
  });

  it("ends its pause at once when its signal aborts", async () => {
    const { clock, sent, start } = openFixture(failing("ambiguous"));
    const controller = new AbortController();
    const pending = start(requestOf("delete", { signal: controller.signal }));
    pending.catch(() => undefined);
    await quiet();
    expect(clock.sleeping).toBe(1);
    controller.abort(new Error("interrupted"));
    await expect(pending).rejects.toThrow(/^interrupted$/);
    expect([sent.length, clock.sleeping]).toEqual([1, 0]);
  });
});

test("a refusal by the rate limit uses up no attempt until the wait would become too long", async () => {
  const refusing: Answer = (_request, count) => rateAnswer({ "retry-after": "60" }, count <= 3 ? 429 : 200);
  const once = { attempts: 1, maxQueueMs: 190_000 };
  expect((await openFixture(refusing).send(requestOf("create", once))).status).toBe(200);
  const error = await openFixture(refusing).fail(requestOf("create", { ...once, maxQueueMs: 150_000 }));
  expect(error).toMatchObject({ status: 429 });
});

describe("a deadline", () => {
  const leftMs = 10_000;
  const within = (startMs: number, more: Partial<HttpRequest> = {}) => ({
    deadlineMs: startMs + leftMs,
    subject: 'cluster "web"',
    ...more,
  });

  it("ends the retries before a pause that would exceed it", async () => {
    const { clock, startMs, sent, fail } = openFixture(failing("not-sent"));
    const error = await fail(requestOf("delete", within(startMs, { attempts: 100 })));
    expect(clock.now() - startMs).toBeLessThan(leftMs);
    expect(sent.length).toBeGreaterThan(2);
    expect(error).toMatchObject({ hitDeadline: true, maybeApplied: false });
    expect(String(error)).toMatch(/no answer; its time limit is reached \(tried \d+ times\)/);
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
    await fail(requestOf("write", { ...target, redactor: new Redactor([secret]) }));
    const { path: _path, ...logged } = { ...target, method: "PATCH", cluster: "cl_1", durationMs: 80 };
    expect(lines).toEqual([
      expect.objectContaining({ ...logged, attempt: 1, status: 429, waitedMs: 0, requestId: "id-[secret]" }),
      expect.objectContaining({ ...logged, attempt: 2, status: 400, waitedMs: 20_000, remaining: 41 }),
    ]);
    expect(lines[1]?.error).toBe("the service answered HTTP 400");
    expect(JSON.stringify(lines)).not.toMatch(/hf_|canary|bad/);
  });
});
