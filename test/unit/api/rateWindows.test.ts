import type { HttpRequest } from "../../../provider/api/http";
import { rateBudget } from "../../../provider/api/rateLimiter";
import { VirtualClock } from "../../support/virtualClock";
import { rateAnswer, requestOf } from "./fakes";

interface Step {
  /** When the request is made, in milliseconds since the start. */
  readonly atMs: number;
  readonly takesMs: number;
  /** The permits left by the answer, and the seconds until the window ends. */
  readonly left: readonly [number, number];
}

/** Sends the requests, each with its own answer; returns when each was sent. */
async function play(steps: Record<string, Step>, limit = 100): Promise<Record<string, number>> {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const arrivals: Record<string, number> = {};
  const send = rateBudget({ clock, random: () => 0 })(async ({ path }: HttpRequest) => {
    arrivals[path] = clock.now() - startMs;
    const { takesMs, left } = steps[path] ?? { takesMs: 0, left: [0, 0] };
    await clock.sleep(takesMs);
    const [remaining, reset] = left.map(String);
    return rateAnswer({
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": remaining ?? "",
      "x-ratelimit-reset": reset ?? "",
    });
  });
  const all = Object.entries(steps).map(async ([path, { atMs }]) => {
    await clock.sleep(atMs);
    // Nothing is kept back from a deletion.
    return send(requestOf("delete", { path }));
  });
  await clock.run(Promise.all(all));
  return arrivals;
}

// The first window ends 10 s after its first answer, and 1 s of guard later the next one is probed.
const firstWindow = { atMs: 0, takesMs: 50, left: [1, 10] } as const;
const secondWindowMs = 11_050;

test("in a new window a probe is sent although a request of the old one is still in flight", async () => {
  const arrivals = await play({
    first: firstWindow,
    slow: { atMs: 0, takesMs: 55_000, left: [0, 1] },
    probe: { atMs: 100, takesMs: 50, left: [40, 60] },
    next: { atMs: 200, takesMs: 50, left: [39, 60] },
  });
  expect(arrivals).toEqual({ first: 0, slow: 50, probe: secondWindowMs, next: secondWindowMs + 50 });
});

test.each([
  ["after the first answer of the new one: it takes nothing from it", 30_000, 50, [0, 1], 31_000],
  ["before the first answer of the new one: it gives nothing to it", 12_000, 5_000, [90, 60], secondWindowMs + 5_000],
] as const)(
  "an answer to a request of an earlier window comes %s",
  async (_when, slowMs, probeMs, left, expectedMs) => {
    const arrivals = await play({
      first: firstWindow,
      slow: { atMs: 0, takesMs: slowMs, left },
      probe: { atMs: 100, takesMs: probeMs, left: [40, 60] },
      next: { atMs: slowMs + 1_000, takesMs: 50, left: [39, 60] },
      more: { atMs: slowMs + 1_000, takesMs: 50, left: [38, 60] },
    });
    expect(arrivals).toEqual({ first: 0, slow: 50, probe: secondWindowMs, next: expectedMs, more: expectedMs });
  },
);

test("of more that is left than the limit, no more than the limit counts", async () => {
  const step: Step = { atMs: 0, takesMs: 50, left: [1_000, 30] };
  const steps = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`r${index}`, step]));
  const times = Object.values(await play(steps, 5));
  expect(times.filter((ms) => ms < 30_000)).toHaveLength(5);
});
