import { RateLimiter } from "../../../../provider/api/http/rateLimiter";
import type { HttpRequest, RequestKind } from "../../../../provider/api/http/send";
import { ConnectionError, type Outcome } from "../../../../provider/base/errors";
import { VirtualClock } from "../../../support/virtualClock";
import { rateAnswer, requestOf } from "../fakes";
import { transportOver } from "./httpHarness";

const leftMs = 10_000;

/** The transport in virtual time, over a wire that ends each attempt with its own time limit, or at once with a failure. */
function bench({ outcome, headers }: { outcome?: Outcome; headers?: Record<string, string> } = {}) {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const limits: (number | undefined)[] = [];
  const wire = async ({ attemptTimeoutMs = 0, method, path, subject }: HttpRequest) => {
    limits.push(attemptTimeoutMs);
    if (headers) return rateAnswer(headers);
    if (!outcome) await clock.sleep(attemptTimeoutMs);
    throw new ConnectionError("no answer", {
      method,
      path,
      subject,
      outcome: outcome ?? "ambiguous",
      isLate: !outcome,
    });
  };
  const rateLimiter = new RateLimiter({ clock, random: () => 0 });
  const chain = transportOver(wire, { clock, random: () => 1, rateLimiter });
  const send = async (kind: RequestKind, more: Partial<HttpRequest> = {}) => {
    const request = requestOf(kind, { deadlineMs: startMs + leftMs, subject: 'cluster "web"', ...more });
    const error = await clock.run(
      chain(request).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    return { error, tookMs: clock.now() - startMs };
  };
  return { clock, limits, send };
}

test("an attempt without an answer ends at its deadline, and may have had its effect", async () => {
  const { limits, send } = bench();
  const { error, tookMs } = await send("create");
  expect([limits, tookMs]).toEqual([[leftMs], leftMs]);
  expect(error).toMatchObject({ hitDeadline: true, details: { isLate: true }, maybeApplied: true });
});

test("no pause goes past the deadline: the last failure is the answer, at once", async () => {
  const { limits, send } = bench({ outcome: "not-sent" });
  const { error, tookMs } = await send("delete", { attempts: 100 });
  expect(tookMs).toBeLessThan(leftMs);
  expect(limits.length).toBeGreaterThan(2);
  expect(error).toMatchObject({ hitDeadline: true, maybeApplied: false });
  expect(String(error)).toMatch(/no answer; its time limit is reached \(tried \d times\)/);
});

test.each<[RequestKind, number, number]>([
  ["read", 0, 0],
  ["read", 1, 1],
  ["create", 2_000, 0],
  ["create", 2_001, 1],
])("a %s with %d ms left is sent %d times", async (kind, ms, count) => {
  const { clock, limits, send } = bench({ outcome: "refused" });
  const { error } = await send(kind, { deadlineMs: clock.now() + ms });
  expect(limits).toHaveLength(count);
  if (count > 0) return;
  expect(String(error)).toMatch(/for cluster "web": not sent; its time limit is reached/);
  expect(error).toMatchObject({ hitDeadline: true, maybeApplied: false });
});

test("who would wait for the rate limit past the deadline is refused at once, and sends nothing", async () => {
  const headers = { "x-ratelimit-limit": "100", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "50" };
  const { limits, send } = bench({ headers });
  await send("read");
  const { error, tookMs } = await send("write");
  expect([tookMs, limits.length]).toEqual([0, 1]);
  expect(error).toMatchObject({ hitDeadline: true, status: 429 });
});
