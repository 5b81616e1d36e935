import type { CallOptions, Client } from "../../../../provider/api/client";
import { ConnectionError, InterruptedError } from "../../../../provider/base/errors";
import { ListCache } from "../../../../provider/cluster/service/lookup";
import { VirtualClock } from "../../../support/virtualClock";
import { type Fixture, failingLists, failureOf, type Held, openFixture } from "../harness";

/** A service whose list takes so long, unless the deadline of its request comes first; the first requests fail. */
function open(takesMs = 0, failures = 0) {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const sent: CallOptions[] = [];
  const refusal = { method: "GET", path: "/v1/clusters" } as const;
  const listClusters = async (options: CallOptions = {}) => {
    sent.push(options);
    const leftMs = (options.deadlineMs ?? Number.POSITIVE_INFINITY) - clock.now();
    await clock.sleep(Math.min(takesMs, leftMs));
    if (sent.length <= failures) throw new ConnectionError("no", { ...refusal, outcome: "server-error" });
    if (leftMs < takesMs) throw new ConnectionError("no", { ...refusal, outcome: "ambiguous", hitDeadline: true });
    return { clusters: [], extent: "whole" };
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
  const deadlines = () => sent.map(({ deadlineMs = Number.NaN }) => (deadlineMs - startMs) / 1_000);
  return { lists, clock, sent, waitAll, deadlines };
}

describe("the shared list", () => {
  it("is requested once for all callers that accept its age, and again for a caller that does not", async () => {
    const { lists, clock, sent } = open();
    await clock.run(lists.recent(0));
    await clock.advance(29_999);
    await clock.run(lists.recent(30_000));
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    await clock.run(lists.recent(30_000));
    await clock.run(lists.recent(0));
    expect(sent).toHaveLength(3);
  });
});

it("a request for the list that keeps failing ends with its last caller, and is sent again only for another one", async () => {
  const { service, clock, simulator } = await openFixture({ faults: [failingLists(500)] });
  for (const count of [2, 1]) {
    const callers = Array.from({ length: count }, () => new AbortController());
    const ends = callers.map(({ signal }) => failureOf(service.lists.recent(30_000, { signal })));
    for (const caller of callers) {
      const before = simulator.requests.length;
      await clock.advance(2_000);
      expect(simulator.requests.length).toBeGreaterThan(before);
      caller.abort(new InterruptedError("interrupted"));
    }
    for (const end of ends) expect((await end).message).toBe("interrupted");
  }
  const sent = simulator.requests.length;
  await clock.advance(600_000);
  expect(simulator.requests).toHaveLength(sent);
  expect(clock.sleeping).toBe(0);
});

/** A fixture with so many clusters. */
async function openFleet(count: number) {
  const fixture = await openFixture();
  return { fixture, fleet: await fixture.settleFleet(count) };
}

/** Refreshes all clusters as another process. */
async function refresh(fixture: Fixture, fleet: readonly Held[]) {
  const cluster = fixture.as("seen");
  return fixture.run(Promise.all(fleet.map(({ id, state }) => cluster.read(fixture.ctx(), id, state))));
}

/** The replicas of at most so many clusters are read in any case. */
const full = 40;

describe("a refresh", () => {
  it("reads the replicas of the first 40 clusters, and sends one request for each of the others", async () => {
    const { fixture, fleet } = await openFleet(full + 20);
    // The word of the cluster stays `running`.
    fixture.simulator.change(fleet[0]?.id ?? "", { sickReplica: { replica: 1, message: "hot" } });
    const [sick, ...others] = await refresh(fixture, fleet);
    expect(fixture.simulator.requests).toHaveLength(2 * full + 20);
    expect(sick?.state["settled"]).toBe(false);
    expect(others.map((read) => read?.state)).toEqual(fleet.slice(1).map(({ state }) => state));
  });

  it("finds every drift that the records of the others show, and reads more where they leave doubt", async () => {
    const { fixture, fleet } = await openFleet(full + 10);
    const [scaled, stopped, failed, deleted, changed] = fleet.slice(full);
    fixture.simulator.change(scaled?.id ?? "", { replicas: 5 });
    fixture.simulator.change(stopped?.id ?? "", { status: "stopped" });
    fixture.simulator.change(failed?.id ?? "", { status: "failed", message: "hot" });
    fixture.simulator.change(changed?.id ?? "", { env: { MODEL: "changed" } });
    await fixture.client.deleteCluster(deleted?.id ?? "");
    await fixture.clock.advance(120_000);
    const found = await refresh(fixture, fleet);
    const [a, b, c, d, e, ...others] = found.slice(full);
    expect(a?.inputs["replicas"]).toBe(5);
    expect(b?.inputs["desiredStatus"]).toBe("stopped");
    expect(c?.state).toMatchObject({ settled: false, readyReplicas: 0 });
    expect(d).toBeUndefined();
    expect(e?.state["env"]).toEqual({ MODEL: "changed" });
    expect([...found.slice(0, full), ...others].every((read) => read?.state["settled"] === true)).toBe(true);
  });
});
