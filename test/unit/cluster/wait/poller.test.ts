import fc from "fast-check";
import { pollIntervalMs, type Waits } from "../../../../provider/cluster/wait/poller";
import type { Fault } from "../../../../simulator";
import { openFixture } from "../harness";

const lists = "GET /v1/clusters";
const later = { path: "/v1/clusters", method: "GET", after: 1, times: 1_000 } as const;

describe("many waits", () => {
  it("share their lists: 20 waits list as often as one, and read each status once", async () => {
    const fixture = await openFixture({ provisioningMs: 60_000 });
    const { tookMs } = await fixture.timed(fixture.createFleet(20));
    expect(fixture.countOf(lists)).toBeLessThanOrEqual(62);
    expect(fixture.countOf("GET /v1/clusters/:id/status")).toBeLessThanOrEqual(20 + 3);
    expect(fixture.simulator.requests.length).toBeLessThanOrEqual(20 + 62 + 20 + 2 * 3);
    expect(tookMs).toBeLessThanOrEqual(66_000 + 2_000);
  });

  it.each<[string, Fault]>([
    ["the list does not contain the cluster", { ...later, kind: "body", body: '{"clusters":[]}' }],
    ["the key is not allowed to list", { ...later, kind: "status", status: 403 }],
  ])("read clusters by id: %s", async (_title, fault) => {
    const fixture = await openFixture({ provisioningMs: 10_000, faults: [fault] });
    const fleet = await fixture.createFleet(6);
    expect(fleet.every(({ state }) => state["settled"])).toBe(true);
  });
});

const free = { limit: 100, left: 96, resetInMs: 60_000, queued: 0 };
const one: Waits = { youngestMs: 0, count: 1, rateLimit: free };

describe("the interval between two polls", () => {
  it.each<[string, Partial<Waits>, number]>([
    ["takes half of a fresh window, beyond one request for each wait", { count: 67 }, 4_310],
    ["takes less of a window that other processes use too", { rateLimit: { ...free, left: 51 } }, 4_706],
    ["leaves room for queued requests", { rateLimit: { ...free, queued: 75 } }, 6_250],
    ["waits for the next window if no request is left", { rateLimit: { ...free, left: 0, resetInMs: 9_000 } }, 9_000],
    ["is 8 % of the time waited", { youngestMs: 40_000 }, 3_200],
    ["is at most 4 s in the first ten minutes", { youngestMs: 600_000 }, 4_000],
    ["grows again after that", { youngestMs: 1_200_000 }, 8_000],
    ["is at most 15 s", { youngestMs: 36_000_000 }, 15_000],
    ["is 2 s before the first answer", { count: 500, rateLimit: { limit: 100, queued: 0 } }, 2_000],
  ])("%s", (_title, waiting, ms) => {
    expect(Math.round(pollIntervalMs({ ...one, ...waiting }))).toBe(ms);
  });

  it("never uses up a window before its end, and never stops", () => {
    const limits = fc.record({
      limit: fc.constant(100),
      left: fc.integer({ min: 0, max: 100 }),
      queued: fc.constant(0),
      resetInMs: fc.integer({ min: 1, max: 60_000 }),
    });
    fc.assert(
      fc.property(
        limits,
        fc.integer({ min: 0, max: 4e6 }),
        fc.integer({ min: 1, max: 500 }),
        (rateLimit, age, count) => {
          const interval = pollIntervalMs({ youngestMs: age, count, rateLimit });
          expect(interval).toBeGreaterThanOrEqual(2_000);
          expect(interval).toBeLessThanOrEqual(15_000);
          const polls = Math.floor(rateLimit.resetInMs / interval);
          if (interval > 2_000 && interval < 15_000) expect(polls).toBeLessThanOrEqual(Math.max(1, rateLimit.left / 2));
        },
      ),
    );
  });
});
