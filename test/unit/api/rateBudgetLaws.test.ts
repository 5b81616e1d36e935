import fc from "fast-check";
import type { HttpRequest, RequestKind } from "../../../provider/api/http";
import { rateBudget } from "../../../provider/api/rateBudget";
import { VirtualClock } from "../../support/virtualClock";
import { fakeService, rateAnswer, requestOf, windowedService } from "./fakes";

const kind = fc.constantFrom<RequestKind>("read", "delete", "create", "write", "action");
const arrival = fc.record({
  afterMs: fc.integer({ min: 0, max: 100_000 }),
  count: fc.integer({ min: 1, max: 40 }),
  kind,
});
const patience = { patienceMs: 86_400_000 };

/** Sends bursts at their times through one budget; the results in the order of the bursts. */
async function play(
  clock: VirtualClock,
  send: (request: HttpRequest) => Promise<unknown>,
  bursts: readonly { afterMs: number; count: number; kind: RequestKind }[],
) {
  const waves = bursts.map(async ({ afterMs, count, kind }) => {
    await clock.sleep(afterMs);
    return Promise.allSettled(Array.from({ length: count }, () => send(requestOf(kind, patience))));
  });
  return (await clock.run(Promise.all(waves))).flat();
}

test("whatever arrives when, no window of the service ever gets more than the limit, and every request is answered", async () => {
  const latencies = fc.infiniteStream(fc.integer({ min: 1, max: 3_000 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 2, max: 60 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      latencies,
      async (bursts, limit, random, latency) => {
        const clock = new VirtualClock();
        const service = windowedService(clock, { limit, latencyMs: () => latency.next().value ?? 50 });
        const results = await play(clock, rateBudget({ clock, random: () => random })(service.send), bursts);
        expect(results.every(({ status }) => status === "fulfilled")).toBe(true);
        expect(service.counts.excess).toBe(0);
      },
    ),
    { numRuns: 60 },
  );
});

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

test("whatever the service answers, no request waits for ever, and no more than 6 are in flight", async () => {
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
        expect(await play(clock, (request) => send({ ...request, patienceMs: 300_000 }), bursts)).toHaveLength(wanted);
        expect(service.counts.most).toBeLessThanOrEqual(6);
      },
    ),
    { numRuns: 60 },
  );
});
