import { rateBudget } from "../../../../provider/api/http/rateLimiter";
import type { HttpRequest, RequestKind, Urgency } from "../../../../provider/api/http/send";
import { VirtualClock } from "../../../support/virtualClock";
import { requestOf } from "../fakes";
import { type RateServiceOptions, rateService } from "./rateHarness";

/** One process and a service; each request returns how long it took from its start, in seconds. */
function bench(options: Partial<RateServiceOptions> = {}) {
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
  const { clock, send, many } = bench();
  await clock.run(send("read"));
  const times = await clock.run(Promise.all(many(105, "create")));
  expect(times.filter((seconds) => seconds < 3)).toHaveLength(90);
  expect(times.filter((seconds) => seconds >= 3 && seconds < 60)).toHaveLength(9);
  expect(times.filter((seconds) => seconds >= 60 && seconds < 63)).toHaveLength(6);
});

test("while 500 creations wait, deletions and reconciling reads are sent at once, three in each window, and polls each 10 s", async () => {
  const { clock, service, send, many, each } = bench();
  const creations = Promise.all(many(500, "create"));
  const urgent = each(61_000, 5, async () => Math.max(await send("delete"), await send("read", "reconcile")));
  const polls = each(11_000, 25, () => send("read", "poll"));
  const [, urgentTimes, pollTimes] = await clock.run(Promise.all([creations, urgent, polls]));
  expect(Math.max(...urgentTimes)).toBeLessThan(2);
  expect(Math.max(...pollTimes)).toBeLessThan(10);
  expect(service.excess()).toBe(0);
});

test("requests of all priorities at once end in the order of the priorities", async () => {
  const { clock, service, send } = bench({ usedBefore: 99 });
  await clock.run(send("read"));
  const kinds = [["read", "poll"], ["read"], ["create"], ["delete"], ["read", "reconcile"], ["write"]] as const;
  await clock.run(Promise.all(kinds.flatMap(([kind, urgency]) => [1, 2].map(() => send(kind, urgency)))));
  const order = service.seen.slice(1).map(({ request }) => request.urgency ?? request.kind);
  expect(order.slice(0, 4)).toEqual(["reconcile", "reconcile", "delete", "delete"]);
  expect(order.slice(4, 8)).toEqual(["create", "create", "write", "write"]);
  expect(order.slice(8)).toEqual(["read", "read", "poll", "poll"]);
});

test.each([1, 2, 5, 20])("with a limit as small as %i no request starves", async (limit) => {
  const { clock, service, send, many, seconds } = bench({ limit });
  const all = [...many(3 * limit, "create"), ...many(limit, "read"), send("read", "poll"), ...many(limit, "delete")];
  await clock.run(Promise.all(all));
  expect(seconds()).toBeLessThan(62 * (Math.ceil(all.length / limit) + 1));
  expect(service.excess()).toBe(0);
});

const phases = Array.from({ length: 7 }, (_, index) => index * 9_980);
test.each(phases)("300 requests take four windows at most and no 429, %i ms into the window", async (phaseMs) => {
  const { clock, service, many, seconds } = bench({ phaseMs, usedBefore: 40 });
  await clock.run(Promise.all(many(300, "delete")));
  expect(service.excess()).toBe(0);
  // 60 and two full windows; the rest is sent in the fourth. Each window begins 2.5 s late at most.
  expect(seconds()).toBeLessThan(3 * 60 - phaseMs / 1000 + 5);
});
