import { playWorkers, workers } from "./sharedKey";

/** Of the numbers that stand for latencies and jitter. */
const seed = 1;

describe("processes that share a key", () => {
  test("are never refused and use each window if there is only one", async () => {
    const { refused, tookMs } = await playWorkers(workers(1, { clusters: 160, provisioningMs: 5_000, everyMs: 0 }), {
      windowMs: 10_000,
      seed,
    });
    // 160 creations, 160 confirmations and a few lists take four windows; the last one begins after 30 s.
    expect([refused, tookMs < 42_000]).toEqual([0, true]);
  });

  test.each([
    [100, 30, 210],
    [100, 300, 240],
  ])(
    "send few requests if there is only one: %i clusters of %i s, at most %i requests",
    async (clusters, seconds, maxRequests) => {
      const fleet = workers(1, { clusters, provisioningMs: seconds * 1_000, everyMs: 0 });
      const { refused, sent } = await playWorkers(fleet, { windowMs: 60_000, seed });
      expect(refused).toBe(0);
      expect(sent).toBeLessThanOrEqual(maxRequests);
    },
  );

  test("are rarely refused and end soon: sixteen with 160 clusters in all", async () => {
    const each = { clusters: 10, provisioningMs: 5_000, everyMs: 700 };
    const { refused, tookMs, sent } = await playWorkers(workers(16, each), { windowMs: 10_000, seed });
    expect(refused).toBeLessThan(0.1);
    expect(tookMs).toBeLessThan(1.4 * (Math.ceil((sent * (1 - refused)) / 100) * 10_000 + 5_000));
  });

  test("leave permits to one that creates, and return soon after their clusters are ready: eight that wait", async () => {
    const waiting = workers(8, { clusters: 1, provisioningMs: 150_000, everyMs: 300 });
    const ninth = { name: "ninth", clusters: 1, provisioningMs: 5_000, startMs: 75_000 };
    const { results, refused } = await playWorkers([...waiting, ninth], { windowMs: 60_000, seed });
    expect(Math.max(...results.map(({ lagMs }) => lagMs))).toBeLessThan(10_000);
    expect(results.at(-1)?.waitedMs).toBeLessThan(5_000);
    expect(refused).toBeLessThan(0.02);
  });

  test("let a small fleet that comes later create within the next window", async () => {
    const large = { name: "large", clusters: 300, provisioningMs: 5_000, startMs: 0 };
    const small = { name: "small", clusters: 1, provisioningMs: 5_000, startMs: 6_000 };
    const { results } = await playWorkers([large, small], { windowMs: 60_000, seed });
    expect(results[1]?.waitedMs).toBeLessThan(62_000);
    expect(results[1]?.tookMs).toBeLessThan(0.5 * (results[0]?.tookMs ?? 0));
  });
});
