import type { ClusterRecord } from "../../../../provider/api/records";
import { ApiError } from "../../../../provider/base/errors";
import type { Properties } from "../../../../provider/contract";
import { closeAll, forget, openBench, settle, writes } from "../harness";
import { asked, atRest, change, reach, refresh, running, scale, stop, toDo } from "../powerHarness";

afterEach(closeAll);

type Shown = "none" | "terminated" | "failed";

interface Moving {
  readonly inputs?: Properties;
  readonly size?: number;
  readonly statusWord?: string;
  readonly stopAnswer?: () => Promise<undefined>;
}

/** A settled cluster that moves to another machine for so long: a word that is not known, and no replica runs. */
async function openMoving(replicas: Shown, ms: number, options: Moving = {}) {
  const { inputs = asked, size, statusWord = "wandering", stopAnswer } = options;
  let untilMs = 0;
  let now = () => 0;
  const moving = () => now() < untilMs;
  const word = <T extends ClusterRecord | undefined>(record: T): T =>
    record && moving() ? { ...record, status: "wandering", ...(size === undefined ? {} : { replicas: size }) } : record;
  const bench = await openBench({
    client: (real) => ({
      getCluster: async (...args) => word(await real.getCluster(...args)),
      scaleCluster: async (...args) => word(await real.scaleCluster(...args)),
      ...(stopAnswer ? { stopCluster: stopAnswer } : {}),
      listClusters: async (...args) => {
        const list = await real.listClusters(...args);
        return { ...list, clusters: list.clusters.map(word) };
      },
      getClusterStatus: async (...args) => {
        const status = await real.getClusterStatus(...args);
        if (!moving()) return status;
        const down = status.replicas.map((replica) => ({ ...replica, healthy: false, status: replicas }));
        return { status: statusWord, replicas: replicas === "none" ? [] : down };
      },
    }),
  });
  now = () => bench.clock.now();
  const made = await settle(bench, inputs);
  await bench.clock.advance(3_600_000);
  forget(bench);
  const startMs = bench.clock.now();
  untilMs = startMs + ms;
  return { bench, made, tookMs: () => bench.clock.now() - startMs };
}

const moves = (["none", "terminated", "failed"] as const).flatMap((shown) =>
  [10_000, 60_000].map((ms) => [shown, ms] as const),
);
const three = { ...asked, replicas: 3 };

describe.each(moves)(
  "a cluster that moves and shows replicas as %s for %i ms, under a word that is not known,",
  (shown, ms) => {
    it("is left alone by a refresh, and waited for by the next update", async () => {
      const { bench, made, tookMs } = await openMoving(shown, ms);
      const found = await refresh(bench, made);
      expect(tookMs()).toBeLessThan(2_000);
      expect(found.state).toMatchObject({ desiredStatus: "running", settled: false });
      expect(toDo(bench, found, asked)).toEqual(["settled"]);
      await reach(bench, found, asked, []);
      expect(tookMs()).toBeLessThan(ms + 30_000);
    });

    it("is only scaled where only the number of replicas changes", async () => {
      const { bench, made } = await openMoving(shown, ms);
      await reach(bench, made, three, [scale]);
    });

    it("gets the stop request that its desired status asks for", async () => {
      const { bench, made } = await openMoving(shown, ms);
      await reach(bench, made, atRest, [stop]);
      expect(running(bench, made).status).toBe("stopped");
    });
  },
);

describe("a stop of a cluster that ran no replica before, under a word that is not known,", () => {
  it("ends by replicas that stay away for a minute", async () => {
    const { bench, made, tookMs } = await openMoving("none", 3_600_000);
    const at = await change(bench, made, atRest);
    expect(tookMs()).toBeGreaterThanOrEqual(60_000);
    expect(tookMs()).toBeLessThan(90_000);
    expect(at.state).toMatchObject({ status: "wandering", settled: true });
  });

  it("does not end while the move only pauses the replicas: the service then runs it again", async () => {
    const { bench, made } = await openMoving("none", 40_000, { stopAnswer: async () => undefined });
    await expect(change(bench, made, atRest, { timeoutMs: 120_000 })).rejects.toMatchObject({
      reasons: [expect.stringMatching(/timed out/)],
    });
  });

  it("ends where the service refuses it because the cluster is stopped", async () => {
    const request = { method: "POST", path: "/stop", status: 422 };
    const refusal = { ...request, outcome: "refused", isApiAnswer: true, isEnvelope: true } as const;
    const stopAnswer = () => Promise.reject(new ApiError("is stopped already", refusal));
    const { bench, made } = await openMoving("none", 3_600_000, { stopAnswer });
    expect((await change(bench, made, atRest)).state).toMatchObject({ status: "wandering", settled: true });
  });
});

describe("a cluster without replicas, under a word that is not known,", () => {
  it("has drifted, and is not stopped, where the service has scaled it to none", async () => {
    const { bench, made } = await openMoving("none", 3_600_000, { size: 0 });
    const found = await refresh(bench, made);
    expect(found.state).toMatchObject({ desiredStatus: "running", replicas: 0 });
    expect(toDo(bench, found, asked)).toContain("replicas");
  });

  it.each([
    ["failed", "provisioning"],
    ["terminated", "running"],
    ["none", "provisioning"],
  ] as const)("is not at rest where its /status (replicas %s) says %s", async (shown, statusWord) => {
    const { bench, made } = await openMoving(shown, 300_000, { statusWord });
    expect((await change(bench, made, three)).state["settled"]).toBe(true);
    expect(writes(bench.simulator)).toEqual([scale]);
  });
});
