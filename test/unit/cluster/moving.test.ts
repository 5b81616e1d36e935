import type { Client } from "../../../provider/api/client";
import type { ClusterRecord } from "../../../provider/api/records";
import type { Properties } from "../../../provider/core";
import { ApiError } from "../../../provider/errors";
import { type Bench, closeAll, forget, openBench, settle, writes } from "./harness";
import {
  asked,
  atRest,
  change,
  expectAtGoal,
  type Held,
  redeploy,
  refresh,
  restart,
  running,
  scale,
  stop,
  toDo,
} from "./powerHarness";

afterEach(closeAll);

type Shown = "none" | "terminated" | "failed";

interface Moving {
  readonly bench: Bench;
  readonly made: Held;
  move(ms: number): void;
}

/** A settled cluster that moves to another machine for a time: a word that is not known, and no replica runs. */
async function openMoving(
  replicas: Shown,
  {
    inputs = asked,
    size,
    statusWord = "migrating",
    stopAnswer,
  }: {
    readonly inputs?: Properties;
    readonly size?: number;
    readonly statusWord?: string;
    readonly stopAnswer?: () => Promise<undefined>;
  } = {},
): Promise<Moving> {
  let untilMs = 0;
  let now = () => 0;
  const moving = () => now() < untilMs;
  const word = <T extends ClusterRecord | undefined>(record: T): T =>
    record && moving() ? { ...record, status: "migrating", ...(size === undefined ? {} : { replicas: size }) } : record;
  const bench = await openBench({
    client: (real: Client): Partial<Client> => ({
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
  const move = (ms: number) => {
    untilMs = bench.clock.now() + ms;
  };
  return { bench, made, move };
}

const moves = (["none", "terminated", "failed"] as const).flatMap((shown) =>
  [10_000, 60_000].map((ms) => [shown, ms] as const),
);

describe.each(moves)(
  "a cluster that moves and shows replicas as %s for %i ms, under a word that is not known,",
  (shown, ms) => {
    it("is left alone by a refresh, and waited for by the next update", async () => {
      const { bench, made, move } = await openMoving(shown);
      move(ms);
      const startMs = bench.clock.now();
      const found = await refresh(bench, made);
      expect(bench.clock.now() - startMs).toBeLessThan(2_000);
      expect(found.state).toMatchObject({ desiredStatus: "running", settled: false });
      expect(toDo(bench, found, asked)).toEqual(["settled"]);
      const at = await change(bench, found, asked);
      expect(writes(bench.simulator)).toEqual([]);
      expect(bench.clock.now() - startMs).toBeLessThan(ms + 30_000);
      await expectAtGoal(bench, at, asked);
    });

    it("is only scaled where only the number of replicas changes", async () => {
      const { bench, made, move } = await openMoving(shown);
      move(ms);
      const at = await change(bench, made, { ...asked, replicas: 3 });
      expect(writes(bench.simulator)).toEqual([scale]);
      await expectAtGoal(bench, at, { ...asked, replicas: 3 });
    });

    it("gets the stop request that its policy for deletion asks for", async () => {
      const { bench, made, move } = await openMoving(shown, { inputs: { ...asked, deletionPolicy: "stop" } });
      move(ms);
      await bench.run(bench.cluster.delete(bench.ctx(), made.id, made.state));
      expect(writes(bench.simulator)).toEqual([stop]);
      expect(running(bench, made).status).toBe("stopped");
    });

    it("gets the stop request that its desired status asks for", async () => {
      const { bench, made, move } = await openMoving(shown);
      move(ms);
      const at = await change(bench, made, atRest);
      expect(writes(bench.simulator)).toEqual([stop]);
      expect(running(bench, made).status).toBe("stopped");
      await expectAtGoal(bench, at, atRest);
    });
  },
);

describe("a stop of a cluster that ran no replica before, under a word that is not known,", () => {
  it("ends by replicas that stay away for a minute", async () => {
    const { bench, made, move } = await openMoving("none");
    move(3_600_000);
    const startMs = bench.clock.now();
    const at = await change(bench, made, atRest);
    expect(bench.clock.now() - startMs).toBeGreaterThanOrEqual(60_000);
    expect(bench.clock.now() - startMs).toBeLessThan(90_000);
    expect(at.state).toMatchObject({ status: "migrating", settled: true });
  });

  it("does not end while the move only pauses the replicas: the service then runs it again", async () => {
    const { bench, made, move } = await openMoving("none", { stopAnswer: async () => undefined });
    move(40_000);
    const ctx = bench.ctx({ timeoutMs: 120_000 });
    await expect(bench.run(bench.cluster.update(ctx, made.id, made.state, atRest))).rejects.toMatchObject({
      reasons: [expect.stringMatching(/timed out/)],
    });
  });

  it("ends where the service refuses it because the cluster is stopped", async () => {
    const refused = new ApiError("is stopped already", {
      method: "POST",
      path: "/stop",
      status: 422,
      outcome: "refused",
      isApiAnswer: true,
      isEnvelope: true,
    });
    const { bench, made, move } = await openMoving("none", { stopAnswer: () => Promise.reject(refused) });
    move(3_600_000);
    const at = await change(bench, made, atRest);
    expect(at.state).toMatchObject({ status: "migrating", settled: true });
  });
});

describe("a cluster without replicas, under a word that is not known,", () => {
  it("has drifted, and is not stopped, where the service has scaled it to none", async () => {
    const { bench, made, move } = await openMoving("none", { size: 0 });
    move(3_600_000);
    const found = await refresh(bench, made);
    expect(found.state).toMatchObject({ desiredStatus: "running", replicas: 0 });
    expect(toDo(bench, found, asked)).toContain("replicas");
  });

  it.each([
    ["failed", "provisioning"],
    ["terminated", "running"],
    ["none", "provisioning"],
  ] as const)("is not at rest where its /status (replicas %s) says %s", async (shown, statusWord) => {
    const { bench, made, move } = await openMoving(shown, { statusWord });
    move(300_000);
    const at = await change(bench, made, { ...asked, replicas: 3 });
    expect(writes(bench.simulator)).toEqual([scale]);
    expect(at.state["settled"]).toBe(true);
  });

  it("is taken for failed where that stays for two minutes", async () => {
    const { bench, made, move } = await openMoving("failed");
    move(130_000);
    await change(bench, made, { ...asked, replicas: 3 });
    expect(writes(bench.simulator)).toContain(redeploy);
  });

  it("is taken for stopped where that stays for two minutes, and says what it waits for", async () => {
    const { bench, made, move } = await openMoving("none");
    move(130_000);
    await change(bench, made, { ...asked, replicas: 3 });
    expect(writes(bench.simulator)).toContain(restart);
    expect(bench.said).toContainEqual(expect.stringMatching(/^status: migrating, no replica runs, \d+s of 20m$/));
  });
});
