import { rateBudget } from "../../../../provider/api/http/rateLimiter";
import type { RequestKind, Urgency } from "../../../../provider/api/http/send";
import { VirtualClock } from "../../../support/virtualClock";
import { requestOf } from "../fakes";
import { rateService } from "./rateHarness";

/** The same numbers each time, between 0 and 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Processes that share nothing but the key: each creates its clusters, and polls each 5 s until all have come up. */
async function play(processes: number, clusters: number, seed: number) {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const random = numbers(seed);
  const wayMs = () => [30 + random() * 40, 30 + random() * 40] as const;
  const service = rateService(clock, { limit: 100, phaseMs: random() * 60_000, wayMs });
  const run = async () => {
    const handler = rateBudget({ clock, random })(service.send);
    const send = async (kind: RequestKind, urgency?: Urgency): Promise<void> => {
      // As `retry` does: a 429 costs nothing but time.
      const { status } = await handler(requestOf(kind, { urgency, maxQueueMs: 60 * 60_000 }));
      if (status === 429) await send(kind, urgency);
    };
    await send("read");
    let isOver = false;
    const polls = (async () => {
      while (!isOver) await Promise.all([send("read", "poll"), clock.sleep(5_000)]);
    })();
    await Promise.all(Array.from({ length: clusters }, () => send("create")));
    await clock.sleep(30_000);
    isOver = true;
    await polls;
    await Promise.all(Array.from({ length: clusters }, () => send("delete")));
  };
  await clock.run(Promise.all(Array.from({ length: processes }, run)));
  return { refused: service.excess(), sent: service.seen.length, seconds: (clock.now() - startMs) / 1000 };
}

test.each([1, 2])("one process alone is never refused (%i)", async (seed) => {
  expect(await play(1, 100, seed)).toMatchObject({ refused: 0 });
});

test.each([1, 2])("three processes with 100 clusters each share one key by its headers alone (%i)", async (seed) => {
  const { refused, sent, seconds } = await play(3, 100, seed);
  // 600 creations and deletions, and their polls: no more than a few windows longer than one process would take for all.
  expect(seconds).toBeLessThan((Math.ceil((sent - refused) / 100) + 2) * 62);
  expect(refused / sent).toBeLessThan(0.05);
});
