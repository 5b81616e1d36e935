import events, { getEventListeners } from "node:events";
import { createBudget, rateBudget } from "../../../../provider/api/http/rateLimiter";
import { retry } from "../../../../provider/api/http/retry";
import type { HttpRequest, HttpResponse, RequestKind } from "../../../../provider/api/http/send";
import type { Clock } from "../../../../provider/base/clock";
import { ApiError, ConnectionError } from "../../../../provider/base/errors";
import { quiet, VirtualClock } from "../../../support/virtualClock";
import { fakeService, rateAnswer, requestOf } from "../fakes";

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

test("when the headers say that nothing is left, the rest waits for the reset, and a little more if others use the key", async () => {
  const { clock, send, times } = bench((_request, count) => left(count < 2 ? 1 - count : 9, 30), 0.1);
  await clock.run(many(3, () => send(requestOf("delete"))));
  // The first answer came after 50 ms; then reset 30 s, jitter 50 ms; the first one then probes.
  expect(times()).toEqual([0, 50, 30_100]);
});

test("a window begins when the service says; if it refuses the first request then, one second later from then on", async () => {
  const { clock, send, times } = bench((_request, count) =>
    [1, 3, 5].includes(count) ? left(0, 10) : count === 2 ? rateAnswer({ "retry-after": "1" }, 429) : left(99, 10),
  );
  for (let count = 0; count < 7; count += 1) await clock.run(send());
  const pauses = times().map((ms, index) => ms - (times()[index - 1] ?? 0));
  expect(pauses.map((ms) => Math.round(ms / 1_000))).toEqual([0, 0, 10, 2, 11, 0, 11]);
});

test("it does not begin later if others have used up the window: a process that is late would never get a permit", async () => {
  const { clock, send, times } = bench((_request, count) =>
    [1, 4].includes(count)
      ? left(0, 10)
      : [2, 3].includes(count)
        ? rateAnswer({ "retry-after": "9" }, 429)
        : left(60, 10),
  );
  for (let count = 0; count < 6; count += 1) await clock.run(send());
  const pauses = times().map((ms, index) => ms - (times()[index - 1] ?? 0));
  // Others use the key, so each wait has a quarter of a second of jitter.
  expect(pauses).toEqual([0, 50, 10_250, 9_300, 9_300, 10_300]);
});

test("a service whose reset is always now has no windows", async () => {
  const { clock, send, times } = bench((_request, count) => (count === 1 ? left(0, 0) : left(99 - count, 0)));
  for (let count = 0; count < 3; count += 1) await clock.run(send());
  // 250 ms of jitter.
  expect(times()).toEqual([0, 50, 350]);
});

test("permits that other processes use are respected", async () => {
  const { clock, send, times } = bench((_request, count) => left([50, 0][count] ?? 40, 10));
  await clock.run(send());
  await clock.run(send());
  await clock.run(send());
  expect(times()).toEqual([0, 50, 10_300]);
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

test("a request that would have to wait longer than it may is refused at once, and says how long and why", async () => {
  const { clock, service, send } = bench(() => left(0, 30));
  await clock.run(send());
  const refused = send(requestOf("write", { maxQueueMs: 20_000, subject: 'cluster "web" (cl_1)' }));
  const error: unknown = await refused.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ outcome: "refused", status: 429, method: "PATCH", path: "/v1/clusters" });
  expect(String(error)).toContain('cluster "web" (cl_1)');
  expect(String(error)).toMatch(/rate limit .* another 31 s.* Run the command again/);
  expect(service.arrivals).toHaveLength(1);
});

test.each([
  ["an hour of Retry-After", { "retry-after": "3600" }],
  ["thirty years of Retry-After", { "retry-after": "1000000000" }],
])("%s is longer than the 5 minutes that a request waits", async (_what, headers) => {
  const { clock, send } = bench(() => rateAnswer(headers, 429));
  await clock.run(send());
  await expect(send()).rejects.toThrow("rate limit");
  expect(clock.now()).toBeLessThan(Date.parse("2030-01-01T00:01:00Z"));
});

test("a waiting request is refused when a new 429 makes the wait too long", async () => {
  const { clock, send } = bench((_request, count) =>
    count === 0 ? left(0, 30) : rateAnswer({ "retry-after": "3600" }, 429),
  );
  await clock.run(send());
  const results = await clock.run(Promise.allSettled([send(), send(), send()]));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
});

test("a request that is refused just as the window ends does not keep the others waiting", async () => {
  for (let ms = 1; ms < 10; ms += 1) {
    const clock = new VirtualClock();
    let stepMs = 0;
    let isBusy = false;
    const now = () => {
      // Time goes on between two lines of code.
      if (isBusy) stepMs += 1;
      return clock.now() + stepMs;
    };
    const steps: Clock = { now, sleep: (ms, signal) => clock.sleep(ms, signal) };
    const send = rateBudget({ clock: steps, random: () => 0 })(fakeService(clock, () => left(0, 30)).send);
    await clock.run(send(requestOf()));
    const waiting = send(requestOf());
    await clock.advance(30_000 - ms);
    isBusy = true;
    const refused = send(requestOf("read", { maxQueueMs: 0 })).catch(() => undefined);
    await quiet();
    isBusy = false;
    await clock.run(Promise.all([waiting, refused]));
  }
});

test("without any header it keeps its own count: 100 in 60 s", async () => {
  const { clock, send, times } = bench(() => rateAnswer());
  await clock.run(many(250, () => send()));
  const inWindow = [0, 1, 2].map((index) => times().filter((ms) => Math.floor(ms / 60_040) === index).length);
  expect(inWindow).toEqual([100, 100, 50]);
});

test("of several ends in the headers, the earliest counts: whole seconds and slow answers only show it late", async () => {
  const { clock, send, times } = bench((_request, count) => left([9, 0][count] ?? 9, [30, 20][count] ?? 30));
  await clock.run(send());
  await clock.run(send());
  await clock.run(send());
  expect(times()).toEqual([0, 50, 50 + 50 + 20_000 + 250]);
});

test("a 429 that asks for a longer wait than another one is heeded, in whichever order they come", async () => {
  for (const waits of ["7,20", "20,7"].map((text) => text.split(","))) {
    const { clock, send, times } = bench((_request, count) => {
      const wait = waits[count - 1];
      return wait ? rateAnswer({ "retry-after": wait }, 429) : left(99);
    });
    await clock.run(send());
    await clock.run(many(2, () => send()));
    await clock.run(send());
    expect(times()).toEqual([0, 50, 50, 100 + 20_000 + 250]);
  }
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

  test("knows the usual limit and no more before the first answer", () => {
    expect(viewed(left(50)).budget.view()).toEqual({ limit: 100, queued: 0, share: 1 });
  });

  test("shows what is left, until when, and how much of it polls may use", async () => {
    const { clock, budget, send } = viewed(left(99, 30));
    await clock.run(send("read"));
    expect(budget.view()).toEqual({ limit: 100, left: 99, spare: 97, resetInMs: 30_000, queued: 0, share: 1 });
    await clock.advance(21_000);
    expect(budget.view()).toEqual({ limit: 100, left: 99, spare: 98, resetInMs: 9_000, queued: 0, share: 1 });
    await clock.advance(9_000);
    expect(budget.view()).toEqual({ limit: 100, queued: 0, share: 1 });
  });

  test("shows our share, and leaves polls to others; a process with few requests may send a few", async () => {
    const { clock, budget, send } = viewed(left(50, 30));
    await clock.run(send("read"));
    expect(budget.view()).toMatchObject({ left: 50, share: 1 / 50, spare: 9 });
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
});
