import { Stacks, stacksOf } from "./stacks";

jest.setTimeout(8 * 60_000);

const windowMs = 10_000;
const provisioningMs = 5_000;

/**
 * The share of refused requests that is allowed (docs/decisions/share-of-a-key.md); it is another one in each run. The other
 * files of this folder run beside it: the 16 begin when no other stacks do. The benchmark has one stack alone.
 */
const maxRefused = [
  [4, 0.03],
  [16, 0.1],
] as const;

test.each(maxRefused)(
  "160 clusters of several stacks on one key all come up, and few requests are refused: %i stacks",
  async (count, max) => {
    const names = stacksOf(count, 160 / count);
    const stacks = await Stacks.open(names, { rateLimit: 100, rateWindowMs: windowMs, provisioningMs });
    const runs = await Promise.all(names.map(({ name }) => stacks.up(name)));
    const { sent, refused } = stacks.traffic();
    const tookMs =
      Math.max(...runs.map(({ endMs }) => endMs)) - Math.min(...stacks.simulator.requests.map(({ at }) => at));
    // The requests that were not refused, 100 in each window, and the last cluster's provisioning.
    const boundMs = Math.ceil((sent * (1 - refused)) / 100) * windowMs + provisioningMs;
    await stacks.close();
    console.info(
      `${count} stacks: ${(tookMs / 1_000).toFixed(1)} s, bound ${boundMs / 1_000} s, ${sent} requests, ${(100 * refused).toFixed(1)} % refused`,
    );
    expect(runs.map(({ code }) => code)).toEqual(names.map(() => 0));
    expect(stacks.simulator.clusters()).toHaveLength(160);
    expect(refused).toBeLessThanOrEqual(max);
    expect(tookMs).toBeLessThanOrEqual(1.4 * boundMs);
  },
);
