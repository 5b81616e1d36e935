import { spawnSync } from "node:child_process";
import { getEventListeners } from "node:events";
import { RateLimiter } from "../../../../provider/api/http/rateLimiter";
import type { HttpRequest, HttpResponse } from "../../../../provider/api/http/send";
import { quiet, VirtualClock } from "../../../support/virtualClock";
import { rateAnswer, requestOf } from "./httpHarness";
import { fakeService, paced } from "./rateHarness";

/** A limiter whose requests are answered by their number. */
function openFixture(answer: (count: number) => HttpResponse, random = 0.5, latencyMs = (_count: number) => 50) {
  const clock = new VirtualClock();
  const startMs = clock.now();
  let count = 0;
  const service = fakeService(
    clock,
    () => answer(count++),
    () => latencyMs(service.arrivals.length),
  );
  const rateLimiter = new RateLimiter({ clock, random: () => random });
  const handler = paced(rateLimiter, clock, service.send);
  /** When the requests arrived, in milliseconds since the start. */
  const times = () => service.arrivals.map(({ atMs }) => atMs - startMs);
  return { clock, rateLimiter, service, send: (request: HttpRequest = requestOf()) => handler(request), times };
}

const rate = (name: string, value: number) => ({ [`x-ratelimit-${name}`]: String(value) });
const left = (remaining: number, resetS = 30) =>
  rateAnswer({ ...rate("limit", 100), ...rate("remaining", remaining), ...rate("reset", resetS) });
const many = (count: number, send: () => Promise<HttpResponse>) => Promise.all(Array.from({ length: count }, send));

test.each<[string, number, number, number[]]>([
  ["after 10 s if it is the first of a window", 1, 0, [0, 10_000, 10_050]],
  ["after 2 s if it is a later one", 2, 1, [0, 50, 2_050]],
])("%s: a request that hangs is followed by another one", async (_when, hanging, answered, arrivals) => {
  const latencyMs = (count: number) => (count === hanging ? 60_000 : 50);
  const { clock, send, times } = openFixture((count) => left(60 - count), 0, latencyMs);
  await clock.run(many(answered, () => send()));
  await clock.run(many(3 - answered, () => send()));
  expect(times()).toEqual(arrivals);
});

test.each([
  ["changes in flight are a sixteenth of what is left, which does not delay a lookup after a lost answer", "write", 6],
  ["reads in flight are a third of that, which does not delay a lookup after a lost answer", "read", 2],
] as const)("%s", async (_name, kind, inFlight) => {
  const { clock, service, send } = openFixture((count) => left(99 - count));
  await clock.run(send());
  const requests = many(30, () => send(requestOf(kind)));
  await quiet();
  expect(service.counts.inFlight).toBe(inFlight);
  const lookup = send(requestOf("read", { priority: "lookup" }));
  await quiet();
  expect([service.arrivals.at(-1)?.request.priority, service.counts.inFlight]).toEqual(["lookup", inFlight + 1]);
  await clock.run(Promise.all([requests, lookup]));
});

test("a tenth of a window is reserved for lookups, and shrinks evenly until nothing stays unused", async () => {
  const { clock, service, send, times } = openFixture((count) => left(4 - count), 0);
  await clock.run(send());
  const waiting = many(5, () => send());
  await quiet();
  expect(service.arrivals).toHaveLength(1);
  const lookup = send(requestOf("read", { priority: "lookup", maxQueueMs: 0 }));
  await expect(clock.run(lookup)).resolves.toMatchObject({ status: 200 });
  await clock.run(waiting);
  // The answers have reported a window of 30 s: 3 of 100 are free for its last 9 s, the last one for its last 3 s.
  expect(times()).toEqual([0, 50, 21_050, 24_050, 27_050, 30_050, 30_100]);
});

test("each request whose answer is lost counts", async () => {
  const { clock, rateLimiter, send } = openFixture((count) => {
    if (count === 1 || count === 2) throw new Error("lost");
    return left(99);
  });
  for (let count = 0; count < 4; count += 1) await clock.run(send().catch(() => undefined));
  expect(rateLimiter.view().left).toBe(97);
});

test("a signal ends 50 waits, and leaves nothing behind", async () => {
  const { clock, service, send } = openFixture(() => left(0));
  await clock.run(send());
  const controller = new AbortController();
  const { signal } = controller;
  const all = Promise.allSettled(Array.from({ length: 50 }, () => send(requestOf("read", { signal }))));
  await quiet();
  controller.abort(new Error("interrupted"));
  expect((await all).every(({ status }) => status === "rejected")).toBe(true);
  expect([service.arrivals.length, clock.sleeping]).toEqual([1, 0]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a signal of 50 waits causes no warning of Node, which the engine would show to users", () => {
  const script = `
    const { RateLimiter } = require("./provider/api/http/rateLimiter.ts");
    const limiter = new RateLimiter({ clock: { now: () => 0, sleep: () => new Promise(() => {}) }, random: () => 0 });
    const { signal } = new AbortController();
    const request = { priority: "read", maxWaitMs: 1e9, deadlineMs: 1e9, signal };
    for (let count = 0; count < 50; count += 1) limiter.acquire(request);
  `;
  const args = ["-r", "./test/bench/loadTypeScript.cjs", "-e", script];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 30_000 });
  expect([status, stderr]).toEqual([0, ""]);
});

test("the view shows what is left, until when, and how many requests wait", async () => {
  const { clock, rateLimiter, send } = openFixture((count) => left(count === 1 ? 0 : 99), 0);
  expect(rateLimiter.view()).toEqual({ limit: 100, queued: 0 });
  await clock.run(send());
  expect(rateLimiter.view()).toEqual({ limit: 100, left: 99, resetInMs: 30_000, queued: 0 });
  await clock.run(send());
  const waiting = send(requestOf("create"));
  expect(rateLimiter.view()).toEqual({ limit: 100, left: 0, resetInMs: 29_950, queued: 1 });
  await clock.run(waiting);
});
