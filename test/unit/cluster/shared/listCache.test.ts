import type { CallOptions, Client } from "../../../../provider/api/client";
import { ConnectionError } from "../../../../provider/base/errors";
import { ListCache } from "../../../../provider/cluster/shared/listCache";
import type { SimulatorOptions } from "../../../../simulator";
import { VirtualClock } from "../../../support/virtualClock";
import { type Bench, openBench, requestLines } from "../harness";
import { checked } from "../inputs";
import type { Held } from "../powerHarness";

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
      if (leftMs < takesMs)
        throw new ConnectionError("too late", { method, path, outcome: "ambiguous", hitDeadline: true });
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

/** As many clusters as are given, each as a state of its own, and nothing in the record of requests. */
async function openFleet(count: number, options: SimulatorOptions = {}): Promise<{ bench: Bench; fleet: Held[] }> {
  const bench = await openBench(options);
  const fleet = await bench.run(
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        bench.cluster.create(bench.ctx(), { ...checked, name: `web-${index}` }),
      ),
    ),
  );
  bench.simulator.requests.length = 0;
  return { bench, fleet };
}

/** A refresh is a process of its own. */
async function refresh(bench: Bench, fleet: readonly Held[]) {
  const cluster = bench.as("seen");
  return bench.run(Promise.all(fleet.map(({ id, state }) => cluster.read(bench.ctx(), id, state))));
}

const listsOf = (bench: Bench) => requestLines(bench.simulator).filter((line) => line === "GET /v1/clusters");

/** So many reads of a process are full ones, each of the record and its replicas. */
const full = 40;
const listShowsAll = { containerEcho: "none", envEcho: "none" } as const;
const statusesOf = (bench: Bench) => requestLines(bench.simulator).filter((line) => line.endsWith("/status"));

describe("a refresh of many clusters", () => {
  it.each(["plain", "terse"])(
    "takes few requests beyond the first 40 where the list shows all (%s)",
    async (dialect) => {
      const { bench, fleet } = await openFleet(60, { dialect: dialect === "plain" ? listShowsAll : dialect });
      const found = await refresh(bench, fleet);
      expect(bench.simulator.requests.length).toBeLessThanOrEqual(2 * full + listsOf(bench).length);
      expect(listsOf(bench).length).toBeLessThanOrEqual(3);
      expect(found.map((read) => read?.state)).toEqual(fleet.map(({ state }) => state));
    },
  );

  it("finds every drift that the list shows, and looks closer where it is in doubt", async () => {
    const { bench, fleet } = await openFleet(full + 10, { dialect: listShowsAll });
    const [scaled, stopped, failed, deleted] = fleet.slice(full);
    bench.simulator.change(scaled?.id ?? "", { replicas: 5 });
    bench.simulator.change(stopped?.id ?? "", { status: "stopped" });
    bench.simulator.change(failed?.id ?? "", { status: "failed", message: "hot" });
    await bench.client.deleteCluster(deleted?.id ?? "");
    await bench.clock.advance(60_000);
    const found = await refresh(bench, fleet);
    const [a, b, c, d, ...others] = found.slice(full);
    expect(a?.inputs["replicas"]).toBe(5);
    expect(b?.inputs["desiredStatus"]).toBe("stopped");
    expect(c?.state).toMatchObject({ settled: false, readyReplicas: 0 });
    expect(d).toBeUndefined();
    expect([...found.slice(0, full), ...others].every((read) => read?.state["settled"] === true)).toBe(true);
  });

  it("drops none because a list leaves it out", async () => {
    const { bench, fleet } = await openFleet(full + 5, { dialect: listShowsAll });
    bench.simulator.fault({
      kind: "body",
      body: JSON.stringify({ clusters: [] }),
      path: "/v1/clusters",
      method: "GET",
      times: 100,
    });
    const found = await refresh(bench, fleet);
    expect(found.map((read) => read?.state)).toEqual(fleet.map(({ state }) => state));
  });
});

describe("a refresh of up to 40 clusters", () => {
  it("looks at the replicas of each, whatever other clusters the organization has", async () => {
    const { bench, fleet } = await openFleet(5, { dialect: listShowsAll });
    for (let index = 0; index < 30; index += 1) bench.simulator.addCluster({ name: `foreign-${index}`, gpuType: "l4" });
    const [first] = fleet;
    // The word of the cluster stays `running`.
    bench.simulator.change(first?.id ?? "", { sickReplica: { replica: 1, message: "hot" } });
    const found = await refresh(bench, fleet);
    expect(statusesOf(bench)).toHaveLength(5);
    expect(found.map((read) => read?.state["settled"])).toEqual([false, true, true, true, true]);
  });
});
