import type { CallOptions, Client } from "../../../provider/api/client";
import { ListCache } from "../../../provider/cluster/listCache";
import { ConnectionError } from "../../../provider/errors";
import { VirtualClock } from "../../support/virtualClock";

/** Lists that each know when they were asked for, by a clock that can be set. */
function open() {
  let nowMs = 1_000_000;
  const clock = { now: () => nowMs, sleep: () => Promise.resolve() };
  let asked = 0;
  const listClusters = () => {
    asked += 1;
    return Promise.resolve({ clusters: [], complete: true });
  };
  const lists = new ListCache({ listClusters } as unknown as Client, clock);
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

describe("who waits for the shared list", () => {
  /** A service whose list takes `takesMs`, unless the deadline of its request comes first. */
  function slow(takesMs: number) {
    const clock = new VirtualClock();
    const startMs = clock.now();
    const asked: number[] = [];
    const listClusters = async ({ deadlineMs = Number.POSITIVE_INFINITY }: CallOptions = {}) => {
      asked.push(deadlineMs - startMs);
      const leftMs = deadlineMs - clock.now();
      await clock.sleep(Math.min(takesMs, leftMs));
      const [method, path] = ["GET", "/v1/clusters"];
      if (leftMs < takesMs) throw new ConnectionError("too late", { method, path, outcome: "ambiguous", isCut: true });
      return { clusters: [], complete: true };
    };
    const lists = new ListCache({ listClusters } as unknown as Client, clock);
    const wait = (seconds: number) =>
      lists.recent(30_000, { deadlineMs: startMs + seconds * 1_000, subject: `cluster "c${seconds}"` }).then(
        () => `answered after ${(clock.now() - startMs) / 1_000} s`,
        (error: Error) => `${error.message} after ${(clock.now() - startMs) / 1_000} s`,
      );
    return { asked, waitAll: (...seconds: number[]) => clock.run(Promise.all(seconds.map(wait))) };
  }

  it("leaves at the own deadline, and does not end it for others", async () => {
    const { asked, waitAll } = slow(10_000);
    const [long, short] = await waitAll(1_200, 1);
    expect(long).toBe("answered after 10 s");
    expect(short).toMatch(/^GET \/v1\/clusters for cluster "c1": .*time limit after 1 s$/);
    expect(asked).toEqual([1_200_000]);
  });

  it("asks anew when the one who asked had no more time, once for all who have more", async () => {
    const { asked, waitAll } = slow(10_000);
    const [first, ...others] = await waitAll(1, 2, 3, 1_200);
    expect(first).toMatch(/after 1 s$/);
    expect(others[0]).toMatch(/after 2 s$/);
    expect(others[1]).toMatch(/after 3 s$/);
    expect(others[2]).toBe("answered after 11 s");
    expect(asked).toEqual([1_000, 1_200_000]);
  });

  it("has the failure of the service itself together with all others", async () => {
    const clock = new VirtualClock();
    let asked = 0;
    const listClusters = () => {
      asked += 1;
      return Promise.reject(new ConnectionError("down", { method: "GET", path: "/", outcome: "ambiguous" }));
    };
    const lists = new ListCache({ listClusters } as unknown as Client, clock);
    const waits = [1, 2, 3].map((seconds) => lists.recent(30_000, { deadlineMs: clock.now() + seconds * 1_000 }));
    const ends = await clock.run(Promise.allSettled(waits));
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(asked).toBe(1);
  });
});

describe("a shared request that fails", () => {
  const refusal = { method: "GET", path: "/v1/clusters", outcome: "refused" } as const;
  const hiccup = { ...refusal, outcome: "server-error" } as const;

  /** A service whose list fails as often as it is said, and then answers. */
  function openFailing(times: number, failure: typeof refusal | typeof hiccup) {
    const asked: (number | undefined)[] = [];
    const listClusters = async ({ attempts }: CallOptions = {}) => {
      asked.push(attempts);
      await Promise.resolve();
      if (asked.length <= times) throw new ConnectionError("no", failure);
      return { clusters: [], complete: true };
    };
    return { lists: new ListCache({ listClusters } as unknown as Client, new VirtualClock()), asked };
  }

  it("is sent again, once, for callers that allow more attempts", async () => {
    const { lists, asked } = openFailing(1, hiccup);
    const poll = lists.recent(30_000, { attempts: 1 });
    const creations = [1, 2, 3].map(() => lists.recent(30_000));
    await expect(poll).rejects.toThrow("no");
    await expect(Promise.all(creations)).resolves.toHaveLength(3);
    expect(asked).toEqual([1, undefined]);
  });

  it("is not sent again if the service refuses it, or if it allowed as many attempts", async () => {
    const refused = openFailing(1, refusal);
    const poll = refused.lists.recent(30_000, { attempts: 1 });
    await expect(refused.lists.recent(30_000)).rejects.toThrow("no");
    await expect(poll).rejects.toThrow("no");
    const failed = openFailing(1, hiccup);
    const first = failed.lists.recent(30_000);
    await expect(failed.lists.recent(30_000, { attempts: 1 })).rejects.toThrow("no");
    await expect(first).rejects.toThrow("no");
    expect([refused.asked, failed.asked]).toEqual([[1], [undefined]]);
  });
});
