import events, { getEventListeners } from "node:events";
import { RateLimiter } from "../../../../provider/api/http/rateLimiter";
import type { HttpRequest, HttpResponse } from "../../../../provider/api/http/send";
import { quiet, VirtualClock } from "../../../support/virtualClock";
import { fakeService, rateAnswer, requestOf } from "../fakes";
import { paced } from "./rateHarness";

interface Bench {
  readonly clock: VirtualClock;
  readonly startMs: number;
  readonly service: ReturnType<typeof fakeService>;
  readonly send: (request?: HttpRequest) => Promise<HttpResponse>;
  /** When the requests arrived, in milliseconds since the start. */
  times(): number[];
}

type Answer = (request: HttpRequest, count: number) => HttpResponse;

function bench(answer: Answer, random = 0.5, latencyMs?: (request: HttpRequest, count: number) => number): Bench {
  const clock = new VirtualClock();
  const startMs = clock.now();
  let count = 0;
  const slow = latencyMs && ((request: HttpRequest) => latencyMs(request, service.arrivals.length));
  const service = fakeService(clock, (request) => answer(request, count++), slow);
  const handler = paced(new RateLimiter({ clock, random: () => random }), clock, service.send);
  const times = () => service.arrivals.map(({ atMs }) => atMs - startMs);
  return { clock, startMs, service, send: (request = requestOf()) => handler(request), times };
}

const rate = (name: string, value: number) => ({ [`x-ratelimit-${name}`]: String(value) });
const left = (remaining: number, resetS = 30) =>
  rateAnswer({ ...rate("limit", 100), ...rate("remaining", remaining), ...rate("reset", resetS) });
const many = (count: number, send: () => Promise<HttpResponse>) => Promise.all(Array.from({ length: count }, send));

test("a request that hangs is followed by another one after 2 s", async () => {
  const { clock, send, times } = bench(
    (_request, count) => left(98 - count),
    0,
    (_request, count) => (count === 1 ? 60_000 : 50),
  );
  await clock.run(many(3, () => send()));
  expect(times()).toEqual([0, 2_000, 2_050]);
});

test.each([
  ["changes, a sixteenth", "write", 6],
  ["reads, a third of that", "read", 2],
] as const)(
  "only a part of what is left is in flight: of %s; a lookup after a lost answer need not wait for that",
  async (_what, kind, inFlight) => {
    const { clock, service, send } = bench((_request, count) => left(99 - count));
    await clock.run(send());
    const requests = many(30, () => send(requestOf(kind)));
    await quiet();
    expect(service.counts.inFlight).toBe(inFlight);
    const lookup = send(requestOf("read", { urgency: "reconcile" }));
    await quiet();
    expect([service.arrivals.at(-1)?.request.urgency, service.counts.inFlight]).toEqual(["reconcile", inFlight + 1]);
    await clock.run(Promise.all([requests, lookup]));
  },
);

test("all but lookups leave a tenth of a window, which shrinks evenly: nothing stays unused", async () => {
  const { clock, service, send, times } = bench((_request, count) => left(4 - count), 0);
  await clock.run(send());
  const waiting = many(5, () => send());
  await quiet();
  expect(service.arrivals).toHaveLength(1);
  const lookup = send(requestOf("read", { urgency: "reconcile", maxQueueMs: 0 }));
  await expect(clock.run(lookup)).resolves.toMatchObject({ status: 200 });
  await clock.run(waiting);
  // The answers have shown a window of 30 s: 3 of 100 are free for its last 9 s, the last one for its last 3 s.
  expect(times()).toEqual([0, 50, 21_050, 24_050, 27_050, 30_050, 30_100]);
});

test.each([
  ["Retry-After, which comes before the reset", { "retry-after": "7", "x-ratelimit-reset": "30" }, 7_000],
  ["a whole window, without either", {}, 60_000],
])("a 429 closes the window for everybody for %s, plus jitter", async (_what, headers, waitMs) => {
  const { clock, send, times } = bench((_request, count) => (count === 0 ? rateAnswer(headers, 429) : left(90)));
  expect((await clock.run(send())).status).toBe(429);
  await clock.run(many(2, () => send()));
  expect(times()).toEqual([0, 300 + waitMs, 350 + waitMs]);
});

test("a request whose answer is lost has used up a permit, and so has each further attempt", async () => {
  const clock = new VirtualClock();
  const rateLimiter = new RateLimiter({ clock, random: () => 0 });
  const answers = [left(99), undefined, undefined, left(99)];
  const service = fakeService(clock, () => {
    const answer = answers.shift();
    if (!answer) throw new Error("lost");
    return answer;
  });
  const send = paced(rateLimiter, clock, service.send);
  for (let count = 0; count < 4; count += 1) await clock.run(send(requestOf()).catch(() => undefined));
  expect(rateLimiter.view().left).toBe(97);
});

test("50 waits that one signal cancels all end and leave nothing behind", async () => {
  const unlimited = jest.spyOn(events, "setMaxListeners");
  const { clock, service, send } = bench(() => left(0));
  await clock.run(send());
  const controller = new AbortController();
  const { signal } = controller;
  const all = Promise.allSettled(Array.from({ length: 50 }, () => send(requestOf("read", { signal }))));
  await quiet();
  controller.abort(new Error("interrupted"));
  expect((await all).every(({ status }) => status === "rejected")).toBe(true);
  expect([service.arrivals.length, clock.sleeping]).toEqual([1, 0]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  // Or Node prints a MaxListenersExceededWarning, which the engine shows to users.
  expect(unlimited).toHaveBeenCalledWith(0, signal);
  unlimited.mockRestore();
});

test("a permit that comes together with an abort is not used, and not lost", async () => {
  const { clock, service, send } = bench(() => left(9));
  const controller = new AbortController();
  const pending = send(requestOf("create", { signal: controller.signal }));
  controller.abort(new Error("interrupted"));
  await expect(pending).rejects.toThrow("interrupted");
  await clock.run(send());
  expect(service.arrivals).toHaveLength(1);
});

test("a waiting request is refused when a new 429 makes the wait too long", async () => {
  const { clock, send } = bench((_request, count) =>
    count === 0 ? left(0, 30) : rateAnswer({ "retry-after": "3600" }, 429),
  );
  await clock.run(send());
  const results = await clock.run(Promise.allSettled([send(), send(), send()]));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
});

test("the view shows what is left and until when, and who waits", async () => {
  const clock = new VirtualClock();
  const rateLimiter = new RateLimiter({ clock, random: () => 0 });
  const answers = [left(99), left(0)];
  const { send: wire } = fakeService(clock, () => answers.shift() ?? left(99));
  const send = paced(rateLimiter, clock, wire);
  expect(rateLimiter.view()).toEqual({ limit: 100, queued: 0 });
  await clock.run(send(requestOf()));
  expect(rateLimiter.view()).toEqual({ limit: 100, left: 99, resetInMs: 30_000, queued: 0 });
  await clock.run(send(requestOf()));
  const waiting = send(requestOf("create"));
  expect(rateLimiter.view()).toEqual({ limit: 100, left: 0, resetInMs: 29_950, queued: 1 });
  await clock.run(waiting);
});
