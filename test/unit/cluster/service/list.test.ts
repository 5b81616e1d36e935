import type { CallOptions, Client } from "../../../../provider/api/client";
import { ConnectionError, InterruptedError } from "../../../../provider/base/errors";
import { ListCache } from "../../../../provider/cluster/service/list";
import { VirtualClock } from "../../../support/virtualClock";
import { type Fixture, failureOf, openFixture, requestLines } from "../harness";
import { checked } from "../inputs";
import { failingLists, lists } from "../operations/createOnceHarness";
import type { Held } from "../powerHarness";

/** A service whose list takes so long, unless the deadline of its request comes first; the first ones fail so often. */
function open(takesMs = 0, failures = 0) {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const asked: CallOptions[] = [];
  const refusal = { method: "GET", path: "/v1/clusters" } as const;
  const listClusters = async (options: CallOptions = {}) => {
    asked.push(options);
    const leftMs = (options.deadlineMs ?? Number.POSITIVE_INFINITY) - clock.now();
    await clock.sleep(Math.min(takesMs, leftMs));
    if (asked.length <= failures) throw new ConnectionError("no", { ...refusal, outcome: "server-error" });
    if (leftMs < takesMs) throw new ConnectionError("no", { ...refusal, outcome: "ambiguous", hitDeadline: true });
    return { clusters: [], complete: true };
  };
  const lists = new ListCache({ listClusters } as unknown as Client, clock);
  /** When each of the callers is answered, or gives up. */
  const waitAll = (...seconds: number[]) => {
    const wait = (deadline: number) =>
      lists.recent(30_000, { deadlineMs: startMs + deadline * 1_000, subject: `cluster "c${deadline}"` }).then(
        () => `answered after ${(clock.now() - startMs) / 1_000} s`,
        (error: Error) => `${error.message} after ${(clock.now() - startMs) / 1_000} s`,
      );
    return clock.run(Promise.all(seconds.map(wait)));
  };
  const deadlines = () => asked.map(({ deadlineMs = Number.NaN }) => (deadlineMs - startMs) / 1_000);
  return { lists, clock, asked, waitAll, deadlines };
}

describe("the shared list", () => {
  it("is asked for once by all who are content with its age, and anew by who is not", async () => {
    const { lists, clock, asked } = open();
    await clock.run(lists.recent(0));
    await clock.advance(29_999);
    await clock.run(lists.recent(30_000));
    expect(asked).toHaveLength(1);
    await clock.advance(1);
    await clock.run(lists.recent(30_000));
    await clock.run(lists.recent(0));
    expect(asked).toHaveLength(3);
  });

  it("is left at the own deadline by who waits for it, and does not end for others", async () => {
    const { waitAll, deadlines } = open(10_000);
    const [long, short] = await waitAll(1_200, 1);
    expect(long).toBe("answered after 10 s");
    expect(short).toMatch(/^GET \/v1\/clusters for cluster "c1": .*time limit is reached after 1 s$/);
    expect(deadlines()).toEqual([1_200]);
  });

  it("is asked for anew when the one who asked had no more time, by one of those who have more", async () => {
    const { waitAll, deadlines } = open(10_000);
    const [first, ...others] = await waitAll(1, 2, 3, 1_200);
    expect(first).toMatch(/after 1 s$/);
    expect(others[0]).toMatch(/after 2 s$/);
    expect(others[2]).toBe("answered after 13 s");
    expect(deadlines()).toEqual([1, 2, 3, 1_200]);
  });

  it("that fails is asked for again, once, for callers that allow more attempts", async () => {
    const { lists, asked, clock } = open(1, 1);
    const poll = expect(lists.recent(30_000, { attempts: 1 })).rejects.toThrow("no");
    const creations = Promise.all([1, 2, 3].map(() => lists.recent(30_000)));
    await clock.run(Promise.all([poll, creations]));
    expect(asked.map(({ attempts }) => attempts)).toEqual([1, undefined]);
  });
});

describe("a request for the shared list that keeps failing", () => {
  /** Two callers, the first of which is interrupted after 1 s, and the second one after so long; the requests from then on. */
  async function interrupted(secondMs: number) {
    const { service, clock, simulator } = await openFixture({ faults: [failingLists(500)] });
    const [first, second] = [new AbortController(), new AbortController()];
    const ends = [first, second].map(({ signal }) => failureOf(service.lists.recent(30_000, { signal })));
    await clock.advance(1_000);
    first.abort(new InterruptedError("interrupted"));
    expect((await ends[0])?.message).toBe("interrupted");
    await clock.advance(secondMs - 1_000);
    const before = simulator.requests.length;
    second.abort(new InterruptedError("interrupted"));
    await ends[1];
    await clock.advance(600_000);
    return { before, after: simulator.requests.length - before, sleeping: clock.sleeping };
  }

  it("ends with its last caller: nothing is sent after that", async () => {
    expect(await interrupted(1_000)).toMatchObject({ after: 0, sleeping: 0 });
  });

  it("goes on while another caller waits for it", async () => {
    const early = await interrupted(1_000);
    const late = await interrupted(60_000);
    expect(late.before).toBeGreaterThan(early.before);
    expect(late).toMatchObject({ after: 0, sleeping: 0 });
  });

  it("is sent anew by a caller that comes after that", async () => {
    const { service, run, simulator, clock } = await openFixture({
      faults: [{ ...lists, kind: "status", status: 500 }],
    });
    const caller = new AbortController();
    const end = failureOf(service.lists.recent(30_000, { signal: caller.signal }));
    await clock.advance(0);
    caller.abort(new InterruptedError("interrupted"));
    expect(await run(service.lists.recent(30_000))).toMatchObject({ clusters: [] });
    await end;
    expect(simulator.requests).toHaveLength(2);
  });
});

/** As many clusters as are given, each as a state of its own, and nothing in the record of requests. */
async function openFleet(count: number): Promise<{ bench: Fixture; fleet: Held[] }> {
  const bench = await openFixture();
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
async function refresh(bench: Fixture, fleet: readonly Held[]) {
  const cluster = bench.as("seen");
  return bench.run(Promise.all(fleet.map(({ id, state }) => cluster.read(bench.ctx(), id, state))));
}

/** The replicas of so many clusters are read in any case. */
const full = 40;

describe("a refresh", () => {
  it("of many clusters takes one request for each beyond the first 40, and finds them as they were", async () => {
    const { bench, fleet } = await openFleet(60);
    const found = await refresh(bench, fleet);
    expect(bench.simulator.requests.length).toBe(2 * full + 20);
    expect(found.map((read) => read?.state)).toEqual(fleet.map(({ state }) => state));
  });

  it("of many clusters finds every drift that their records show, and looks closer where it is in doubt", async () => {
    const { bench, fleet } = await openFleet(full + 10);
    const [scaled, stopped, failed, deleted, changed] = fleet.slice(full);
    bench.simulator.change(scaled?.id ?? "", { replicas: 5 });
    bench.simulator.change(stopped?.id ?? "", { status: "stopped" });
    bench.simulator.change(failed?.id ?? "", { status: "failed", message: "hot" });
    bench.simulator.change(changed?.id ?? "", { env: { MODEL: "changed" } });
    await bench.client.deleteCluster(deleted?.id ?? "");
    await bench.clock.advance(120_000);
    const found = await refresh(bench, fleet);
    const [a, b, c, d, e, ...others] = found.slice(full);
    expect(a?.inputs["replicas"]).toBe(5);
    expect(b?.inputs["desiredStatus"]).toBe("stopped");
    expect(c?.state).toMatchObject({ settled: false, readyReplicas: 0 });
    expect(d).toBeUndefined();
    expect(e?.state["env"]).toEqual({ MODEL: "changed" });
    expect([...found.slice(0, full), ...others].every((read) => read?.state["settled"] === true)).toBe(true);
  });

  it("of up to 40 clusters looks at the replicas of each", async () => {
    const { bench, fleet } = await openFleet(5);
    // The word of the cluster stays `running`.
    bench.simulator.change(fleet[0]?.id ?? "", { sickReplica: { replica: 1, message: "hot" } });
    const found = await refresh(bench, fleet);
    expect(requestLines(bench.simulator).filter((line) => line.endsWith("/status"))).toHaveLength(5);
    expect(found.map((read) => read?.state["settled"])).toEqual([false, true, true, true, true]);
  });
});
