import fc from "fast-check";
import type { HttpRequest, RequestKind, Send, Urgency } from "../../../provider/api/http";
import { rateBudget } from "../../../provider/api/rateLimiter";
import { VirtualClock } from "../../support/virtualClock";
import { fakeService, rateAnswer, requestOf } from "./fakes";
import { type RateServiceOptions, rateService } from "./rateHarness";

const kind = fc.constantFrom<RequestKind>("read", "delete", "create", "write", "action");
const urgency = fc.constantFrom<Urgency | undefined>(undefined, "reconcile", "poll");
const arrival = fc.record({
  afterMs: fc.integer({ min: 0, max: 100_000 }),
  count: fc.integer({ min: 1, max: 40 }),
  kind,
  urgency,
});
type Burst = typeof arrival extends fc.Arbitrary<infer T> ? T : never;
const longWait = { maxQueueMs: 2_000_000_000 };

/** Sends bursts at their times through one budget; the results in the order of the bursts. */
async function play(
  clock: VirtualClock,
  send: (request: HttpRequest) => Promise<unknown>,
  bursts: readonly Burst[],
  more: Partial<HttpRequest> = longWait,
) {
  const waves = bursts.map(async ({ afterMs, count, kind, urgency }, wave) => {
    await clock.sleep(afterMs);
    const sendOne = (_: unknown, index: number) =>
      send(requestOf(kind, { urgency, path: `/${wave}/${index}`, ...more }));
    return Promise.allSettled(Array.from({ length: count }, sendOne));
  });
  return (await Promise.all(waves)).flat();
}

const way = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 3_000 }));
const ways = fc.array(fc.tuple(way, way), { minLength: 1, maxLength: 50 }).map((list) => {
  let next = 0;
  return () => list[next++ % list.length] ?? ([1, 1] as const);
});
const service: fc.Arbitrary<RateServiceOptions> = fc
  .record({
    limit: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 9, max: 120 })),
    windowMs: fc.constantFrom(10_000, 30_000, 60_000, 60_000, 60_000, 250_000),
    phase: fc.double({ min: 0, max: 0.999, noNaN: true }),
    used: fc.double({ min: 0, max: 1, noNaN: true }),
    countedAt: fc.constantFrom("arrival", "answer"),
    kind: fc.constantFrom("fixed", "fixed", "sliding to the oldest", "sliding from now"),
    resetForm: fc.constantFrom("rounded up", "rounded down", "milliseconds", "delta"),
    wayMs: ways,
  })
  .map(({ phase, used, ...options }) => ({
    ...options,
    phaseMs: Math.floor(phase * options.windowMs),
    usedBefore: Math.floor(used * (options.limit - 1)),
  }));

/** A service that rounds its reset down shows windows that begin too early: the first request in one is refused, once. */
const mostRefused = ({ resetForm }: RateServiceOptions) => (resetForm === "rounded down" ? 1 : 0);

test("whatever arrives when, no window of any service ever gets more than the limit, and every request is answered", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 1, maxLength: 6 }),
      service,
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      async (bursts, options, random) => {
        const clock = new VirtualClock();
        const { send, seen, excess } = rateService(clock, options);
        const results = await clock.run(play(clock, rateBudget({ clock, random: () => random })(send), bursts));
        expect(results.every(({ status }) => status === "fulfilled")).toBe(true);
        expect(seen).toHaveLength(results.length);
        expect(excess()).toBeLessThanOrEqual(mostRefused(options));
        expect(clock.sleeping).toBe(0);
      },
    ),
    { numRuns: 30 },
  );
});

test("several processes with one key: whatever arrives when, every request is answered within the windows that all need", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(arrival, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 }),
      service,
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      async (processes, options, numbers) => {
        const clock = new VirtualClock();
        const startMs = clock.now();
        const random = () => numbers.next().value ?? 0;
        const { send, seen, excess } = rateService(clock, options);
        const results = processes.map((bursts) => play(clock, retried(rateBudget({ clock, random })(send)), bursts));
        const all = (await clock.run(Promise.all(results))).flat();
        expect(all.every(({ status }) => status === "fulfilled")).toBe(true);
        expect(seen).toHaveLength(all.length + excess());
        expect(clock.sleeping).toBe(0);
        const { limit, windowMs = 60_000 } = options;
        // The last burst comes after 100 s; with one request in flight, each takes 6 s at most.
        const longestMs = 100_000 + 6_000 * all.length + 2 * windowMs * (Math.ceil(all.length / limit) + 2);
        expect(clock.now() - startMs).toBeLessThan(longestMs);
      },
    ),
    { numRuns: 15 },
  );
});

/** As `retry` does: a 429 costs nothing but time. */
function retried(send: Send): Send {
  return async (request) => {
    const response = await send(request);
    return response.status === 429 ? retried(send)(request) : response;
  };
}

const header = fc.oneof(
  fc.constantFrom("", "0", "-1", "1", "5", "NaN", "soon", "1e9", "99999999999"),
  fc.integer().map(String),
);
const anyAnswer = fc
  .record(
    {
      "x-ratelimit-limit": header,
      "x-ratelimit-remaining": header,
      "x-ratelimit-reset": header,
      "retry-after": header,
    },
    { requiredKeys: [] },
  )
  .chain((headers) =>
    fc.constantFrom(200, 200, 200, 404, 429, 500, 0).map((status) => ({ headers: withoutAbsent(headers), status })),
  );

function withoutAbsent(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

test("whatever the service answers, no request waits for ever, and no more than 16 are in flight", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 1, maxLength: 4 }),
      fc.array(anyAnswer, { minLength: 1, maxLength: 30 }),
      async (bursts, answers) => {
        const clock = new VirtualClock();
        let count = 0;
        const service = fakeService(clock, () => {
          const { headers, status } = answers[count++ % answers.length] ?? { headers: {}, status: 200 };
          if (status === 0) throw new Error("broken");
          return rateAnswer(headers, status);
        });
        const send = rateBudget({ clock, random: () => 0.5 })(service.send);
        const wanted = bursts.reduce((sum, burst) => sum + burst.count, 0);
        expect(await clock.run(play(clock, send, bursts, { maxQueueMs: 300_000 }))).toHaveLength(wanted);
        expect(service.counts.most).toBeLessThanOrEqual(16);
      },
    ),
    { numRuns: 60 },
  );
});
