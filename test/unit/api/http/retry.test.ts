import { retry } from "../../../../provider/api/http/retry";
import type { HttpRequest, HttpResponse, RequestKind } from "../../../../provider/api/http/send";
import { ConnectionError, type Outcome, type RequestError } from "../../../../provider/base/errors";
import { quiet, VirtualClock } from "../../../support/virtualClock";
import { rateAnswer, requestOf } from "../fakes";

const kinds: RequestKind[] = ["read", "delete", "create", "write", "action"];
/** How often a request that always fails so is sent; by outcome, in the order of `kinds`. */
const sendings: Record<Exclude<Outcome, "rate-limited">, number[]> = {
  "not-sent": [5, 5, 5, 5, 5],
  ambiguous: [5, 5, 1, 1, 1],
  "server-error": [5, 5, 1, 1, 1],
  busy: [5, 1, 1, 1, 1],
  "no-capacity": [1, 1, 1, 1, 1],
  refused: [1, 1, 1, 1, 1],
};

function failure(outcome: Outcome): RequestError {
  return new ConnectionError(`broken: ${outcome}`, { outcome, method: "GET", path: "/" });
}

/** Answers as listed, one after the other; then with success. */
function bench(answers: (Error | undefined)[], random = 0.5) {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const calls: { atMs: number; request: HttpRequest }[] = [];
  const handler = retry({ clock, random: () => random })(async (request): Promise<HttpResponse> => {
    calls.push({ atMs: clock.now() - startMs, request });
    const answer = answers[calls.length - 1];
    if (answer) throw answer;
    return rateAnswer();
  });
  return { clock, calls, send: (request = requestOf()) => clock.run(handler(request)), start: handler };
}

const always = (outcome: Outcome) => Array.from({ length: 1_000 }, () => failure(outcome));
const table = Object.entries(sendings).flatMap(([outcome, counts]) =>
  kinds.map((kind, index) => [outcome as Outcome, kind, counts[index] ?? 0] as const),
);

test.each(table)("with the outcome %s, a %s is sent %d times", async (outcome, kind, count) => {
  const { calls, send } = bench(always(outcome));
  await expect(send(requestOf(kind))).rejects.toThrow(`broken: ${outcome}`);
  expect(calls).toHaveLength(count);
});

test.each(kinds)("a 429 spends no attempt of a %s", async (kind) => {
  const { calls, send } = bench([...always("rate-limited").slice(0, 20)]);
  await send(requestOf(kind, { attempts: 1 }));
  expect(calls).toHaveLength(21);
});

test("after a 429 a request has only the rest of its time limit", async () => {
  const clock = new VirtualClock();
  const limits: (number | undefined)[] = [];
  const handler = retry({ clock, random: () => 0 })(async (request) => {
    limits.push(request.maxQueueMs);
    await clock.sleep(60_000);
    if (limits.length < 3) throw failure("rate-limited");
    return rateAnswer();
  });
  await clock.run(handler(requestOf("read", { maxQueueMs: 200_000 })));
  expect(limits).toEqual([200_000, 140_000, 80_000]);
});

test.each([1, 2, 3, 8])("no more than %d attempts are made if so many are allowed", async (attempts) => {
  const { calls, send } = bench(always("not-sent"));
  await expect(send(requestOf("create", { attempts }))).rejects.toThrow();
  expect(calls).toHaveLength(attempts);
});

test("the answer of the first attempt that succeeds is the answer", async () => {
  const { calls, send } = bench([failure("ambiguous"), failure("server-error"), failure("busy")]);
  expect((await send()).status).toBe(200);
  expect(calls).toHaveLength(4);
});

test.each([
  ["the longest pauses", 1, [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500, 51_500, 71_500]],
  ["half of them", 0.5, [0, 250, 750, 1_750, 3_750, 7_750, 15_750, 25_750, 35_750]],
  ["none", 0, [0, 0, 0, 0, 0, 0, 0, 0, 0]],
])("pauses double from 0.5 s to 20 s, with full jitter: %s", async (_what, random, expected) => {
  const { calls, send } = bench(always("ambiguous"), random);
  await expect(send(requestOf("read", { attempts: 9 }))).rejects.toThrow();
  expect(calls.map(({ atMs }) => atMs)).toEqual(expected);
});

test("the message says how often it was tried, and only when it was tried again", async () => {
  await expect(bench(always("ambiguous")).send()).rejects.toThrow(/^broken: ambiguous \(tried 5 times\)$/);
  await expect(bench(always("refused")).send()).rejects.toThrow(/^broken: refused$/);
  await expect(bench([failure("ambiguous"), failure("refused")]).send()).rejects.toThrow("refused (tried 2 times)");
});

test("an error that is no failed request is not retried", async () => {
  const { calls, send } = bench([new TypeError("a bug")]);
  await expect(send()).rejects.toThrow(/^a bug$/);
  expect(calls).toHaveLength(1);
});

test("an abort ends the pause at once, with its reason", async () => {
  const { clock, calls, start } = bench(always("ambiguous"));
  const controller = new AbortController();
  const pending = start(requestOf("delete", { signal: controller.signal }));
  pending.catch(() => undefined);
  await quiet();
  expect(clock.sleeping).toBe(1);
  controller.abort(new Error("interrupted"));
  await expect(pending).rejects.toThrow(/^interrupted$/);
  expect([calls.length, clock.sleeping]).toEqual([1, 0]);
});
