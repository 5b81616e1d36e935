import events, { getEventListeners } from "node:events";
import type { RateHeaders } from "../../../../provider/api/http/rateHeaders";
import { createBudget, rateBudget } from "../../../../provider/api/http/rateLimiter";
import { RateWindow } from "../../../../provider/api/http/rateWindow";
import { retry } from "../../../../provider/api/http/retry";
import type { HttpRequest, HttpResponse, RequestKind, Urgency } from "../../../../provider/api/http/send";
import type { Clock } from "../../../../provider/base/clock";
import { ConnectionError } from "../../../../provider/base/errors";
import { quiet, VirtualClock } from "../../../support/virtualClock";
import { fakeService, rateAnswer, requestOf } from "../fakes";
import { type RateServiceOptions, rateService } from "./rateHarness";

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
  const handler = rateBudget({ clock, random: () => random })(service.send);
  const times = () => service.arrivals.map(({ atMs }) => atMs - startMs);
  return { clock, startMs, service, send: (request = requestOf()) => handler(request), times };
}

const rate = (name: string, value: number) => ({ [`x-ratelimit-${name}`]: String(value) });
const left = (remaining: number, resetS = 30) =>
  rateAnswer({ ...rate("limit", 100), ...rate("remaining", remaining), ...rate("reset", resetS) });
/** What a process that is alone reads: only its own requests are used up. */
const alone = (_request: HttpRequest, count: number) => left(99 - count);
const many = (count: number, send: () => Promise<HttpResponse>) => Promise.all(Array.from({ length: count }, send));

test("while the window is unknown, one request is sent first as a probe; then twice as many with each answer", async () => {
  const { clock, service, send } = bench(alone);
  const all = many(40, () => send());
  await quiet();
  for (const sent of [1, 3, 7, 15, 30]) {
    expect(service.arrivals).toHaveLength(sent);
    await clock.advance(50);
  }
  await clock.run(all);
});

test("each attempt of a retry buys a permit of its own", async () => {
  const clock = new VirtualClock();
  const timing = { clock, random: () => 0 };
  const budget = createBudget(timing);
  let count = 0;
  const service = fakeService(clock, ({ method, path }) => {
    count += 1;
    if (count === 2 || count === 3) throw new ConnectionError("refused", { outcome: "not-sent", method, path });
    return rateAnswer();
  });
  const send = retry(timing)(rateBudget({ ...timing, budget })(service.send));
  await clock.run(send(requestOf("read")));
  expect(budget.view().left).toBe(99);
  await clock.run(send(requestOf("create")));
  expect([count, budget.view().left]).toEqual([4, 96]);
});

test("a probe that hangs is followed by another one after 10 s", async () => {
  const { clock, send, times } = bench(
    (_request, count) => left(98 - count),
    0,
    (_request, count) => (count === 1 ? 60_000 : 50),
  );
  await clock.run(many(3, () => send()));
  expect(times()).toEqual([0, 10_000, 10_050]);
});

test("at most 16 requests are in flight, and one of these places stays free for urgent requests", async () => {
  const { clock, service, send } = bench(alone);
  await clock.run(many(45, () => send()));
  expect(service.counts.most).toBe(15);
  const reads = many(30, () => send());
  await quiet();
  const deletion = send(requestOf("delete"));
  await quiet();
  expect(service.arrivals.at(-1)?.request.kind).toBe("delete");
  expect(service.counts.inFlight).toBe(16);
  await clock.run(Promise.all([reads, deletion]));
});

test("a window begins when the service says; if it refuses the first request then, one second later from then on", async () => {
  const { clock, send, times } = bench((_request, count) =>
    [1, 3, 5].includes(count) ? left(0, 10) : count === 2 ? rateAnswer({ "retry-after": "1" }, 429) : left(99, 10),
  );
  for (let count = 0; count < 7; count += 1) await clock.run(send());
  const pauses = times().map((ms, index) => ms - (times()[index - 1] ?? 0));
  expect(pauses.map((ms) => Math.round(ms / 1_000))).toEqual([0, 0, 10, 2, 11, 0, 11]);
});

test("a lookup after a lost answer need not heed the share: its first 5 s may be all that an interrupt leaves", async () => {
  const { clock, service, send } = bench((_request, count) => left(count < 2 ? 2 : 90));
  await clock.run(send());
  const others = ["create", "delete"] as const;
  const waiting = others.map((kind) => send(requestOf(kind, { maxQueueMs: 60_000 })));
  const lookup = send(requestOf("read", { urgency: "reconcile", maxQueueMs: 0 }));
  await expect(clock.run(lookup)).resolves.toMatchObject({ status: 200 });
  expect(service.arrivals).toHaveLength(2);
  await clock.run(Promise.all(waiting));
});

test.each([
  ["Retry-After, which comes before the reset", { "retry-after": "7", "x-ratelimit-reset": "30" }, 7_000],
  ["the reset, without Retry-After", { "x-ratelimit-reset": "30" }, 30_000],
  ["a whole window, without either", {}, 60_000],
  ["a moment, for a Retry-After of nothing", { "retry-after": "0" }, 0],
])("a 429 closes the window for everybody for %s, plus jitter", async (_what, headers, waitMs) => {
  const { clock, send, times } = bench((_request, count) => (count === 0 ? rateAnswer(headers, 429) : left(9)));
  expect((await clock.run(send())).status).toBe(429);
  await clock.run(many(2, () => send()));
  // A moment's wait for the first request of a window: the service rounds its times down.
  const guardMs = waitMs < 2_000 ? 1_000 : 0;
  expect(times()).toEqual([0, 300 + waitMs + guardMs, 350 + waitMs + guardMs]);
});

test("an aborted request leaves the queue at once and is never sent; the others go on", async () => {
  const { clock, service, send } = bench((_request, count) => left(count === 0 ? 0 : 9));
  await clock.run(send());
  const controller = new AbortController();
  const aborted = send(requestOf("read", { path: "/aborted", signal: controller.signal }));
  const kept = send(requestOf("read", { path: "/kept" }));
  controller.abort(new Error("interrupted"));
  await expect(aborted).rejects.toThrow("interrupted");
  await clock.run(kept);
  expect(service.arrivals.map(({ request }) => request.path)).toEqual(["/v1/clusters", "/kept"]);
});

test.each([
  ["each by its own signal", 500],
  ["all by one signal", 1],
])("500 waits that are cancelled, %s, all end and leave nothing behind", async (_how, count) => {
  const unlimited = jest.spyOn(events, "setMaxListeners");
  const { clock, service, send } = bench(() => left(0));
  await clock.run(send());
  const controllers = Array.from({ length: count }, () => new AbortController());
  const signals = Array.from({ length: 500 }, (_, index) => controllers[index % count]?.signal);
  const all = Promise.allSettled(signals.map((signal) => send(requestOf("read", { signal }))));
  await quiet();
  for (const controller of controllers) controller.abort(new Error("interrupted"));
  expect((await all).every(({ status }) => status === "rejected")).toBe(true);
  expect([service.arrivals.length, clock.sleeping]).toEqual([1, 0]);
  for (const { signal } of controllers) {
    expect(getEventListeners(signal, "abort")).toEqual([]);
    // Or Node prints a MaxListenersExceededWarning, which the engine shows to users.
    expect(unlimited).toHaveBeenCalledWith(0, signal);
  }
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

test("without any header it keeps its own count: 100 in 60 s", async () => {
  const { clock, send, times } = bench(() => rateAnswer());
  await clock.run(many(250, () => send()));
  const inWindow = [0, 1, 2].map((index) => times().filter((ms) => Math.floor(ms / 60_040) === index).length);
  expect(inWindow).toEqual([100, 100, 50]);
});

test("an answer to a request from before a 429 does not reopen the window", async () => {
  const { clock, send, times } = bench(
    ({ path }) => (path === "/refused" ? rateAnswer({ "retry-after": "20" }, 429) : left(99)),
    0,
    ({ path }) => (path === "/slow" ? 5_000 : 50),
  );
  const all = ["/first", "/slow", "/refused"].map((path) => send(requestOf("read", { path })));
  await clock.run(Promise.all(all));
  await clock.run(send());
  expect(times()).toEqual([0, 50, 50, 100 + 20_000]);
});

test("in a new window a probe is sent, and an answer to a request of the old one neither gives nor takes permits", async () => {
  for (const [late, lateMs] of [
    [left(0, 1), 30_000],
    [left(90, 60), 12_000],
  ] as const) {
    const answers: Record<string, HttpResponse> = { "/slow": late, "/first": left(1, 10) };
    const { clock, send, times, service } = bench(
      ({ path }) => answers[path] ?? left(40, 60),
      0,
      ({ path }) => (path === "/slow" ? lateMs : 50),
    );
    const at = async (ms: number, path: string) => {
      await clock.sleep(ms);
      return send(requestOf("delete", { path }));
    };
    await clock.run(Promise.all([at(0, "/first"), at(0, "/slow"), at(100, "/probe"), at(lateMs + 1_000, "/next")]));
    expect(service.arrivals.map(({ request }) => request.path)).toEqual(["/first", "/slow", "/probe", "/next"]);
    expect(times()).toEqual([0, 50, 10_050, lateMs + 1_000]);
  }
});

test.each([
  ["back by a day", -86_400_000],
  ["ahead by a day", 86_400_000],
])("a clock that is set %s does not keep the budget closed", async (_how, stepMs) => {
  const clock = new VirtualClock();
  let shiftMs = 0;
  const steps: Clock = { now: () => clock.now() + shiftMs, sleep: (ms, signal) => clock.sleep(ms, signal) };
  const service = fakeService(clock, () => left(0, 30));
  const send = rateBudget({ clock: steps, random: () => 0 })(service.send);
  await clock.run(send(requestOf()));
  const waiting = send(requestOf());
  await quiet();
  shiftMs = stepMs;
  await clock.run(waiting);
  shiftMs += stepMs;
  await clock.run(send(requestOf()));
  expect(clock.now()).toBeLessThan(Date.parse("2030-01-01T00:02:00Z"));
});

describe("the view of a budget", () => {
  const viewed = (answer: HttpResponse) => {
    const clock = new VirtualClock();
    const budget = createBudget({ clock, random: () => 0 });
    const send = rateBudget({ clock, random: () => 0, budget })(fakeService(clock, () => answer).send);
    return { clock, budget, send: (kind: RequestKind) => send(requestOf(kind, { maxQueueMs: 100_000 })) };
  };

  test("shows what is left, until when, and how much of it polls may use", async () => {
    const { clock, budget, send } = viewed(left(99, 30));
    await clock.run(send("read"));
    expect(budget.view()).toEqual({ limit: 100, left: 99, spare: 97, resetInMs: 30_000, queued: 0, share: 1 });
    await clock.advance(21_000);
    expect(budget.view()).toEqual({ limit: 100, left: 99, spare: 98, resetInMs: 9_000, queued: 0, share: 1 });
    await clock.advance(9_000);
    expect(budget.view()).toEqual({ limit: 100, queued: 0, share: 1 });
  });

  test("shows how long it is closed, and how many requests wait", async () => {
    const { clock, budget, send } = viewed(left(0, 30));
    await clock.run(send("read"));
    const all = ["create", "read", "delete"] as const;
    const waiting = Promise.all(all.map((kind) => send(kind)));
    expect(budget.view()).toEqual({ limit: 100, left: 0, spare: 0, resetInMs: 30_000, queued: 3, share: 1 / 100 });
    await clock.run(waiting);
    expect(budget.view()).toMatchObject({ queued: 0 });
  });

  test("shows our share, and leaves polls to others; a process with few requests may send a few", async () => {
    const { clock, budget, send } = viewed(left(50, 30));
    await clock.run(send("read"));
    expect(budget.view()).toMatchObject({ left: 50, share: 1 / 50, spare: 9 });
  });
});

const minuteMs = 60_000;
const answerOf = (remaining: number, more: RateHeaders = {}) => {
  return { headers: { limit: 100, remaining, resetInMs: minuteMs, ...more }, isRefused: false };
};

/** A window after requests whose answers came at once, each with so many permits left. */
function windowAfter(counts: readonly number[]): RateWindow {
  const window = new RateWindow();
  for (const remaining of counts) window.end(window.send(0), answerOf(remaining), 0, 0.5);
  return window;
}

test("a later end is a new window, also before the known one is over: reset times are whole seconds", () => {
  const window = windowAfter([0]);
  window.end(window.send(59_000), answerOf(99), 59_050, 0);
  expect(window.standing(59_050, 0)).toMatchObject({ left: 99, resetInMs: minuteMs });
});

test("a window of a minute ends a minute after its first answer, even if whole seconds show more", () => {
  const window = new RateWindow();
  window.end(window.send(0), answerOf(0, { limit: 1, resetInMs: 61_000 }), 0, 0);
  expect(window.opensAtMs("change")).toBe(minuteMs);
});

test("a process alone stays alone if reads and changes have limits of their own, in whatever order their answers come", () => {
  const window = new RateWindow();
  window.end(window.send(0), answerOf(998, { limit: 1_000 }), 0, 0.5);
  const [read, change] = [window.send(0), window.send(0)];
  window.end(change, answerOf(99), 0, 0.5);
  window.end(read, answerOf(997, { limit: 1_000 }), 0, 0.5);
  expect([window.share, window.opensAtMs("poll")]).toEqual([1, 0]);
});

/** One process and a service; each request returns how long it took from its start, in seconds. */
function play(options: Partial<RateServiceOptions> = {}) {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const service = rateService(clock, { limit: 100, ...options });
  const handler = rateBudget({ clock, random: () => 0.5 })(service.send);
  const send = async (kind: RequestKind, urgency?: Urgency, more: Partial<HttpRequest> = {}) => {
    const sinceMs = clock.now();
    await handler(requestOf(kind, { urgency, maxQueueMs: 2_000_000_000, ...more }));
    return (clock.now() - sinceMs) / 1000;
  };
  const many = (count: number, kind: RequestKind) => Array.from({ length: count }, () => send(kind));
  /** Seconds from the start to now. */
  const seconds = () => (clock.now() - startMs) / 1000;
  /** Sends one now and then. */
  const each = async (everyMs: number, count: number, one: () => Promise<number>) => {
    const all: Promise<number>[] = [];
    for (let index = 0; index < count; index += 1) {
      all.push(one());
      await clock.sleep(everyMs);
    }
    return Promise.all(all);
  };
  return { clock, service, send, many, each, seconds };
}

test("a list and 90 creations go at once, the next ones as less has to be kept, and the rest in the next window", async () => {
  const { clock, send, many } = play();
  await clock.run(send("read"));
  const times = await clock.run(Promise.all(many(105, "create")));
  expect(times.filter((seconds) => seconds < 3)).toHaveLength(90);
  expect(times.filter((seconds) => seconds >= 3 && seconds < 60)).toHaveLength(9);
  expect(times.filter((seconds) => seconds >= 60 && seconds < 63)).toHaveLength(6);
});

test("while 500 creations wait, deletions and reconciling reads are sent at once, three in each window, and polls each 10 s", async () => {
  const { clock, service, send, many, each } = play();
  const creations = Promise.all(many(500, "create"));
  const urgent = each(61_000, 5, async () => Math.max(await send("delete"), await send("read", "reconcile")));
  const polls = each(11_000, 25, () => send("read", "poll"));
  const [, urgentTimes, pollTimes] = await clock.run(Promise.all([creations, urgent, polls]));
  expect(Math.max(...urgentTimes)).toBeLessThan(2);
  expect(Math.max(...pollTimes)).toBeLessThan(10);
  expect(service.excess()).toBe(0);
});

test("requests of all priorities at once end in the order of the priorities", async () => {
  const { clock, service, send } = play({ usedBefore: 99 });
  await clock.run(send("read"));
  const kinds = [["read", "poll"], ["read"], ["create"], ["delete"], ["read", "reconcile"], ["write"]] as const;
  await clock.run(Promise.all(kinds.flatMap(([kind, urgency]) => [1, 2].map(() => send(kind, urgency)))));
  const order = service.seen.slice(1).map(({ request }) => request.urgency ?? request.kind);
  expect(order.slice(0, 4)).toEqual(["reconcile", "reconcile", "delete", "delete"]);
  expect(order.slice(4, 8)).toEqual(["create", "create", "write", "write"]);
  expect(order.slice(8)).toEqual(["read", "read", "poll", "poll"]);
});

test.each([1, 2, 5, 20])("with a limit as small as %i no request starves", async (limit) => {
  const { clock, service, send, many, seconds } = play({ limit });
  const all = [...many(3 * limit, "create"), ...many(limit, "read"), send("read", "poll"), ...many(limit, "delete")];
  await clock.run(Promise.all(all));
  expect(seconds()).toBeLessThan(62 * (Math.ceil(all.length / limit) + 1));
  expect(service.excess()).toBe(0);
});

test.each([0, 29_940, 59_880])(
  "300 requests take four windows at most and no 429, %i ms into the window",
  async (phaseMs) => {
    const { clock, service, many, seconds } = play({ phaseMs, usedBefore: 40 });
    await clock.run(Promise.all(many(300, "delete")));
    expect(service.excess()).toBe(0);
    // 60 and two full windows; the rest is sent in the fourth. Each window begins 2.5 s late at most.
    expect(seconds()).toBeLessThan(3 * 60 - phaseMs / 1000 + 5);
  },
);
