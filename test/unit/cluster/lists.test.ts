import type { Client } from "../../../provider/api/client";
import { ClusterLists } from "../../../provider/cluster/lists";

/** Lists that each know when they were asked for, by a clock that can be set. */
function open() {
  let nowMs = 1_000_000;
  const clock = { now: () => nowMs, sleep: () => Promise.resolve() };
  let asked = 0;
  const listClusters = () => {
    asked += 1;
    return Promise.resolve({ clusters: [], complete: true });
  };
  const lists = new ClusterLists({ listClusters } as unknown as Client, clock);
  return { lists, asked: () => asked, set: (ms: number) => (nowMs = ms), nowMs: () => nowMs };
}

describe("the shared list", () => {
  it("is asked for once by all who are content with its age, and anew by who is not", async () => {
    const { lists, asked, set, nowMs } = open();
    await lists.recent(0);
    set(nowMs() + 29_999);
    await lists.recent(30_000);
    expect(asked()).toBe(1);
    set(nowMs() + 1);
    await lists.recent(30_000);
    expect(asked()).toBe(2);
    await lists.recent(0);
    expect(asked()).toBe(3);
  });

  it("is asked for anew when the clock was set back: nobody knows how old the last one is", async () => {
    const { lists, asked, set, nowMs } = open();
    await lists.recent(0);
    set(nowMs() - 3_600_000);
    await lists.recent(0);
    await lists.recent(30_000);
    expect(asked()).toBe(2);
  });
});
