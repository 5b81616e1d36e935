import type { Client } from "../../../../provider/api/client";
import type { ReplicaRecord, StatusRecord } from "../../../../provider/api/decode/records";
import { hasBegun, maxUnseenMs } from "../../../../provider/cluster/health/rollout";
import {
  countOf,
  type Fixture,
  type FixtureOptions,
  initErrorOf,
  openFixture,
  rewriting,
  sameReplicas,
  settle,
  writes,
} from "../harness";
import { checked } from "../inputs";
import { change, patch, redeploy, running, warnings } from "../powerHarness";

const env = { MODEL: "another-value" };
const manual = { dialect: { updateRollsOut: false } };

/** A bench whose client may wait; the clock is there only once the bench is open. */
async function openSlow(
  wrap: (real: Client, later: (ms: number, work: () => Promise<unknown>) => void) => Partial<Client>,
  options: FixtureOptions = {},
): Promise<Fixture> {
  const later = (ms: number, work: () => Promise<unknown>) => {
    void bench.clock.sleep(ms).then(work);
  };
  const bench = await openFixture({ ...manual, ...options, client: (real) => wrap(real, later) });
  return bench;
}

/** Changes the env, and looks at the cluster at the very moment in which this is done. */
async function updateEnv(bench: Fixture) {
  const made = await settle(bench, checked);
  const startMs = bench.clock.now();
  const work = bench.cluster.update(bench.ctx(), made.id, made.state, { ...checked, env }).then((state) => ({
    state,
    cluster: bench.simulator.cluster(made.id),
    tookMs: bench.clock.now() - startMs,
  }));
  return bench.run(work);
}

describe("a service that begins to roll out", () => {
  it.each([
    [2_000, 0],
    [8_000, 0],
    [20_000, 1],
  ])("by itself %d ms after the update is waited for, with %d redeploys of ours", async (delayMs, redeploys) => {
    let ours = 0;
    const bench = await openSlow(
      (real, later) => ({
        updateCluster: async (id, ...rest) => {
          const record = await real.updateCluster(id, ...rest);
          later(delayMs, () => real.redeployCluster(id));
          return record;
        },
        redeployCluster: (...args) => {
          ours += 1;
          return real.redeployCluster(...args);
        },
      }),
      { provisioningMs: 60_000 },
    );
    const { state, cluster } = await updateEnv(bench);
    expect(state).toMatchObject({ env, settled: true, readyReplicas: 2 });
    expect(cluster).toMatchObject({ deployed: { env }, status: "running" });
    expect(cluster?.replicaStates.map(({ healthy }) => healthy)).toEqual([true, true]);
    expect(ours).toBe(redeploys);
    expect(warnings(bench)).toEqual([]);
  });

  it("and says so at once, while it lists the old replicas for longer, gets no redeploy", async () => {
    let isUpdating = false;
    const bench: Fixture = await openFixture({
      ...manual,
      provisioningMs: 60_000,
      client: (real) => ({
        updateCluster: async (id, ...rest) => {
          const record = await real.updateCluster(id, ...rest);
          isUpdating = true;
          void bench.clock.sleep(30_000).then(() => {
            isUpdating = false;
            return real.redeployCluster(id);
          });
          return record;
        },
      }),
      wire: (real) => async (request) => {
        const answer = await real(request);
        return isUpdating ? { ...answer, body: answer.body.replaceAll('"running"', '"updating"') } : answer;
      },
    });
    const { state, cluster } = await updateEnv(bench);
    expect(state).toMatchObject({ env, settled: true });
    expect(cluster).toMatchObject({ deployed: { env }, generation: 2, status: "running" });
    expect(countOf(bench.simulator, redeploy)).toBe(1);
  });

  it("only by a redeploy gets one, although a replica that crashes changes by itself", async () => {
    let [isCrashing, reads] = [false, 0];
    const crashing = rewriting(/\/status$/, ({ replicas, ...others }) => {
      const [first, ...rest] = [replicas].flat();
      reads += 1;
      const sick = { ...Object(first), healthy: false, status: reads % 2 === 0 ? "starting" : "unhealthy" };
      return {
        ...others,
        replicas: isCrashing && !bench.simulator.requests.some(isRedeploy) ? [sick, ...rest] : replicas,
      };
    });
    const isRedeploy = ({ path }: { readonly path: string }) => path.endsWith("/redeploy");
    const bench: Fixture = await openFixture({ ...manual, wire: crashing });
    const { id, state } = await settle(bench, checked);
    isCrashing = true;
    await bench.run(bench.cluster.update(bench.ctx(), id, state, { ...checked, env }));
    expect(bench.simulator.cluster(id)?.deployed).toMatchObject({ env });
  });

  it.each([5_000, 25_000])("%d ms after the redeploy is waited for, which is said", async (delayMs) => {
    const bench = await openSlow((real, later) => ({
      redeployCluster: async (id) => {
        later(delayMs, () => real.redeployCluster(id));
        return undefined;
      },
    }));
    const { state, cluster } = await updateEnv(bench);
    expect(state).toMatchObject({ env, settled: true });
    expect(cluster).toMatchObject({ deployed: { env }, generation: 2, status: "running" });
    expect(countOf(bench.simulator, redeploy)).toBe(1);
    expect(warnings(bench)).toEqual([]);
    if (delayMs >= 15_000) expect(bench.said.join("\n")).toContain("status: waiting for the roll-out to begin, ");
  });
});

describe("an update of a cluster whose replicas are not healthy", () => {
  it.each([
    ["by itself", true, [patch]],
    ["only after a redeploy", false, [patch, redeploy]],
  ])("is rolled out %s, as a healthy cluster of the same run has shown", async (_title, updateRollsOut, calls) => {
    const dialect = { updateRollsOut, runningWhen: "always" } as const;
    const bench = await openFixture({ dialect, wire: sameReplicas, provisioningMs: 20_000 });
    const [healthy, sick] = [await settle(bench, checked), await settle(bench, { ...checked, name: "other" })];
    await change(bench, healthy, { ...checked, env });
    bench.simulator.change(sick.id, { sickReplica: { replica: 0, message: "no driver" } });
    void bench.clock.sleep(30_000).then(() => bench.simulator.change(sick.id, { sickReplica: undefined }));
    const at = await change(bench, sick, { ...checked, name: "other", env });
    expect(writes(bench.simulator)).toEqual(calls);
    expect(running(bench, at)).toMatchObject({ status: "running", generation: 2, env });
  });
});

it("an update of a failed cluster gets a redeploy if its word stays the same, whatever healthy clusters have shown", async () => {
  const ours: string[] = [];
  const bench: Fixture = await openFixture({
    ...manual,
    client: (real) => ({
      updateCluster: async (id, ...rest) => {
        const record = await real.updateCluster(id, ...rest);
        if (bench.simulator.cluster(id)?.status === "running") await real.redeployCluster(id);
        return record;
      },
      redeployCluster: (id, ...rest) => {
        ours.push(id);
        return real.redeployCluster(id, ...rest);
      },
    }),
  });
  const [healthy, failed] = [await settle(bench, checked), await settle(bench, { ...checked, name: "other" })];
  await change(bench, healthy, { ...checked, env });
  expect(ours).toEqual([]);
  bench.simulator.change(failed.id, { status: "failed", message: "node lost" });
  const at = await change(bench, failed, { ...checked, name: "other", env });
  expect(ours).toEqual([failed.id]);
  expect(running(bench, at)).toMatchObject({ status: "running", env });
});

it.each(["is deleting it", "stopped it"])(
  "a wait for the rollout of a failed cluster ends at once if someone else %s",
  async (end) => {
    let endedMs = 0;
    const bench = await openSlow(
      (real, later) => ({
        // The service accepts the redeploy, and begins nothing.
        redeployCluster: async (id) => {
          later(5_000, async () => {
            endedMs = bench.clock.now();
            await (end === "stopped it" ? bench.simulator.change(id, { status: "stopped" }) : real.deleteCluster(id));
          });
          return undefined;
        },
      }),
      { deletionMs: 0, dialect: { ...manual.dialect, tombstone: "readable" } },
    );
    const { id, state } = await settle(bench, checked);
    bench.simulator.change(id, { status: "failed", message: "node lost" });
    const work = initErrorOf(bench.cluster.update(bench.ctx(), id, state, { ...checked, env }));
    const tookMs = work.then(() => bench.clock.now() - endedMs);
    expect((await bench.run(work)).reasons[0]).toContain(`someone else ${end}`);
    expect(await tookMs).toBeLessThan(6_000);
  },
);

describe("a roll-out that is too fast to be seen", () => {
  /** Replicas without ids of their own, which are healthy at once. */
  const invisible = (real: Client): Partial<Client> => ({
    getClusterStatus: async (...args) => {
      const { replicas, ...status } = await real.getClusterStatus(...args);
      return { ...status, replicas: replicas.map((replica, index) => ({ ...replica, id: String(index) })) };
    },
  });

  it("is over after a minute, and that is said as a warning", async () => {
    const bench = await openFixture({ ...manual, provisioningMs: 0, client: invisible });
    const { state, cluster, tookMs } = await updateEnv(bench);
    expect(state).toMatchObject({ env, settled: true });
    expect(cluster).toMatchObject({ deployed: { env }, generation: 2 });
    expect(maxUnseenMs).toBe(60_000);
    expect(tookMs).toBeGreaterThanOrEqual(60_000);
    expect(tookMs).toBeLessThanOrEqual(90_000);
    expect(warnings(bench)).toEqual([
      expect.stringMatching(/^warning: cluster "web" \(cl_\w+\): no poll showed a replica that restarts/),
    ]);
    expect(countOf(bench.simulator, redeploy)).toBe(1);
  });
});

/** Replicas by `<id>` for a healthy one, `<id>!` for one that starts, `<id>?text` for one that is sick. */
function statusOf(replicas: string, status?: string): StatusRecord {
  const read = (text: string): ReplicaRecord => {
    const [, id = "", mark = "", message] = /^(\w+)([!?]?)(.*)$/.exec(text) ?? [];
    if (mark === "") return { id, status: "running", healthy: true };
    return mark === "!"
      ? { id, status: "starting", healthy: false }
      : { id, status: "unhealthy", healthy: false, message: message ?? "" };
  };
  return { ...(status ? { status } : {}), replicas: replicas.split(" ").filter(Boolean).map(read) };
}

/** What is shown before and after, and whether a roll-out has begun. */
type Pair = StatusRecord | undefined;
const pairs: [string, Pair, Pair, boolean][] = [
  ["nothing is known before", undefined, statusOf("a b"), false],
  ["all are as they were", statusOf("a b"), statusOf("a b"), false],
  ["all are others", statusOf("a b"), statusOf("c d"), true],
  ["one that stayed starts again", statusOf("a b"), statusOf("a! b"), true],
  ["one that stayed is sick", statusOf("a b"), statusOf("a b?x"), true],
  ["one came", statusOf("a b"), statusOf("a b c!"), true],
  ["one came while others came up", statusOf("a b!", "provisioning"), statusOf("a b! c!"), false],
  ["one went", statusOf("a b"), statusOf("a"), true],
  ["one was replaced by another one", statusOf("a b"), statusOf("a c!"), true],
  ["one that crashes changes by itself", statusOf("a b?x"), statusOf("a b!"), false],
  ["the status word becomes a pending one", statusOf("a b", "running"), statusOf("a b", "updating"), true],
  ["the status word stays a pending one", statusOf("a b!", "updating"), statusOf("a b!", "updating"), false],
  ["a failed cluster runs again", statusOf("a?x b", "failed"), statusOf("a b", "running"), true],
  ["a failed cluster begins again", statusOf("a?x b", "failed"), statusOf("a?x b", "deploying"), true],
  ["none is listed while the cluster says so", statusOf("a b"), statusOf("", "updating"), true],
  ["none is listed for a moment", statusOf("a b", "running"), statusOf("", "running"), false],
];

describe("of the replicas before and after", () => {
  it.each(pairs)("where %s", (_title, before, after, expected) => {
    expect(hasBegun(before, after)).toBe(expected);
  });

  it("texts that change by themselves prove nothing", () => {
    const up = (message: string) => ({ replicas: [{ id: "a", status: `Up ${message} s`, healthy: true, message }] });
    expect(hasBegun(up("1"), up("2"))).toBe(false);
  });

  it("a cluster of which only the whole is shown is seen to become unhealthy", () => {
    const whole = (overall: boolean) => ({ replicas: [], overall });
    for (const overall of [true, false]) expect(hasBegun(whole(true), whole(overall))).toBe(!overall);
  });
});
