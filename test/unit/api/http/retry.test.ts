import type { HttpRequest, HttpResponse, RequestKind } from "../../../../provider/api/http/send";
import { ConnectionError, type Outcome, type RequestError } from "../../../../provider/base/errors";
import { quiet, VirtualClock } from "../../../support/virtualClock";
import { rateAnswer, requestOf } from "../fakes";
import { transportOver } from "./httpHarness";

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
  const wire = async (request: HttpRequest): Promise<HttpResponse> => {
    calls.push({ atMs: clock.now() - startMs, request });
    const answer = answers[calls.length - 1];
    if (answer) throw answer;
    return rateAnswer();
  };
  const handler = transportOver(wire, { clock, random: () => random });
  return { clock, calls, send: (request = requestOf()) => clock.run(handler(request)), start: handler };
}

const always = (outcome: Outcome) => Array.from({ length: 1_000 }, () => failure(outcome));

test.each(Object.entries(sendings))(
  "with the outcome %s, requests of each kind are sent %j times",
  async (outcome, counts) => {
    for (const [index, kind] of kinds.entries()) {
      const { calls, send } = bench(always(outcome as Outcome));
      await expect(send(requestOf(kind))).rejects.toThrow(`broken: ${outcome}`);
      expect([kind, calls.length]).toEqual([kind, counts[index]]);
    }
  },
);

test("a 429 spends no attempt, and time only: the wait for the rate limit has the rest of its limit", async () => {
  const refused = rateAnswer({ "retry-after": "60" }, 429);
  for (const [maxQueueMs, sent, status] of [
    [200_000, 4, 200],
    [190_000, 4, 200],
    [150_000, 3, 429],
  ] as const) {
    const clock = new VirtualClock();
    let count = 0;
    const send = transportOver(async () => (++count <= 3 ? refused : rateAnswer()), { clock, random: () => 0 });
    const request = requestOf("create", { attempts: 1, maxQueueMs });
    const answer = await clock.run(send(request).catch((error: unknown) => error));
    expect([answer, count]).toEqual([expect.objectContaining({ status }), sent]);
  }
});

test.each([
  ["the longest pauses", 1, [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500, 51_500, 71_500]],
  ["half of them", 0.5, [0, 250, 750, 1_750, 3_750, 7_750, 15_750, 25_750, 35_750]],
])("pauses double from 0.5 s to 20 s, with full jitter: %s", async (_what, random, expected) => {
  const { calls, send } = bench(always("ambiguous"), random);
  await expect(send(requestOf("read", { attempts: 9 }))).rejects.toThrow(/: broken: ambiguous \(tried 9 times\)$/);
  expect(calls.map(({ atMs }) => atMs)).toEqual(expected);
});

test("an error that is no failed request is not retried, and says nothing of attempts", async () => {
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
