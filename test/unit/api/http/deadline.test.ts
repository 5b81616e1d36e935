import { createBudget, rateBudget } from "../../../../provider/api/http/rateLimiter";
import { deadline, retry } from "../../../../provider/api/http/retry";
import type { HttpRequest, RequestKind } from "../../../../provider/api/http/send";
import { ConnectionError, type Outcome, RequestError } from "../../../../provider/base/errors";
import { VirtualClock } from "../../../support/virtualClock";
import { fakeService, rateAnswer, requestOf } from "../fakes";

const leftMs = 10_000;

/** The chain in virtual time, over a wire that ends each attempt with its own time limit, or at once with a failure. */
function bench({ outcome, headers }: { outcome?: Outcome; headers?: Record<string, string> } = {}) {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const budget = createBudget({ clock, random: () => 0 });
  const arrivals: { atMs: number; limitMs: number | undefined }[] = [];
  const wire = async ({ attemptTimeoutMs = 0, method, path }: HttpRequest) => {
    arrivals.push({ atMs: clock.now() - startMs, limitMs: attemptTimeoutMs });
    if (headers) return rateAnswer(headers);
    if (!outcome) await clock.sleep(attemptTimeoutMs);
    throw new ConnectionError("no answer", { method, path, outcome: outcome ?? "ambiguous", isLate: !outcome });
  };
  const pace = { clock, random: () => 1 };
  const chain = retry(pace)(rateBudget({ ...pace, budget })(deadline({ clock })(wire)));
  const send = async (kind: RequestKind, more: Partial<HttpRequest> = {}) => {
    const failed = chain(requestOf(kind, { deadlineMs: startMs + leftMs, subject: 'cluster "web"', ...more })).then(
      () => undefined,
      (error: unknown) => error,
    );
    const error = await clock.run(failed);
    return { error, tookMs: clock.now() - startMs };
  };
  return { clock, arrivals, send };
}

test("an attempt without an answer ends at its deadline, and may have had its effect", async () => {
  const { arrivals, send } = bench();
  const { error, tookMs } = await send("create");
  expect(arrivals).toEqual([{ atMs: 0, limitMs: leftMs }]);
  expect(tookMs).toBe(leftMs);
  expect(error).toMatchObject({ hitDeadline: true, isLate: true, maybeApplied: true });
});

test("an attempt keeps its own time limit where that is shorter, which is no end of the whole", async () => {
  const { arrivals, send } = bench();
  const { error } = await send("create", { attemptTimeoutMs: 3_000 });
  expect(arrivals).toEqual([{ atMs: 0, limitMs: 3_000 }]);
  expect(error).toMatchObject({ hitDeadline: false, isLate: true });
});

test("no pause goes past the deadline: the last failure is the answer, at once", async () => {
  const { arrivals, send } = bench({ outcome: "not-sent" });
  const { error, tookMs } = await send("delete", { attempts: 100 });
  expect(tookMs).toBeLessThan(leftMs);
  expect(arrivals.length).toBeGreaterThan(2);
  expect(error).toMatchObject({ hitDeadline: true, maybeApplied: false });
  expect(String(error)).toMatch(/no answer; its time limit is reached \(tried \d times\)/);
});

test.each<[RequestKind, number, number]>([
  ["read", 0, 0],
  ["read", 1, 1],
  ["create", 2_000, 0],
  ["create", 2_001, 1],
])("a %s with %d ms left is sent %d times", async (kind, ms, count) => {
  const { clock, arrivals, send } = bench({ outcome: "refused" });
  const { error } = await send(kind, { deadlineMs: clock.now() + ms });
  expect(arrivals).toHaveLength(count);
  if (count === 0) {
    expect(String(error)).toMatch(/for cluster "web": not sent, because its time limit is reached/);
    expect(error).toMatchObject({ hitDeadline: true, maybeApplied: false });
  }
});

test("who would wait for the budget past the deadline is refused at once, and sends nothing", async () => {
  const inSeconds = (seconds: number) => String(Math.ceil(Date.parse("2030-01-01T00:00:00Z") / 1_000) + seconds);
  const headers = { "x-ratelimit-limit": "100", "x-ratelimit-remaining": "0", "x-ratelimit-reset": inSeconds(50) };
  const { arrivals, send } = bench({ headers });
  await send("read");
  const { error, tookMs } = await send("write");
  expect(tookMs).toBe(0);
  expect(arrivals).toHaveLength(1);
  expect(error).toMatchObject({ hitDeadline: true, status: 429 });
});

test("who waits behind requests without an answer leaves the queue at the deadline, and takes no permit with it", async () => {
  const clock = new VirtualClock();
  const headers = { "x-ratelimit-remaining": "99", "x-ratelimit-limit": "100" };
  const service = fakeService(
    clock,
    () => rateAnswer(headers),
    () => 60_000,
  );
  const budget = createBudget({ clock, random: () => 0 });
  const send = rateBudget({ clock, random: () => 0, budget })(service.send);
  const many = Array.from({ length: 30 }, () => send(requestOf("read")));
  const deadlineMs = clock.now() + leftMs;
  const waiting = send(requestOf("read", { urgency: "poll", deadlineMs })).catch((error: unknown) => error);
  await clock.advance(leftMs);
  expect(await waiting).toBeInstanceOf(RequestError);
  expect(clock.now()).toBe(deadlineMs);
  await clock.run(Promise.all(many));
  expect(service.arrivals).toHaveLength(30);
  expect(budget.view().queued).toBe(0);
});
