import type { ReplicaRecord, StatusRecord } from "../../../../provider/api/decode/records";
import { rolloutCondition, showsRollout } from "../../../../provider/cluster/health/health";
import { type Fixture, openFixture } from "../harness";
import { checked } from "../inputs";

const env = { MODEL: "another-value" };
const manual = { dialect: { updateRollsOut: false } };

/** Changes the env of a settled cluster. */
async function updateEnv(fixture: Fixture) {
  const { id, state } = await fixture.change(await fixture.settle(checked), { ...checked, env });
  return { state, cluster: fixture.simulator.cluster(id) };
}

/** A service that accepts a redeploy, and begins its rollout so much later. Its endpoint always answers. */
async function openLate(ms: number): Promise<Fixture> {
  const fixture: Fixture = await openFixture({
    ...manual,
    ask: () => async () => ({ status: 200 }),
    client: (real) => ({
      redeployCluster: async (id) => {
        void fixture.clock.sleep(ms).then(() => real.redeployCluster(id));
        return undefined;
      },
    }),
  });
  return fixture;
}

describe("a rollout after an update", () => {
  it.each([
    ["uses that of the service if it begins soon", 8_000, 0],
    ["uses one redeploy if the service begins late", 20_000, 1],
  ])("%s", async (_title, delayMs, redeploys) => {
    let sent = 0;
    const fixture: Fixture = await openFixture({
      ...manual,
      provisioningMs: 60_000,
      client: (real) => ({
        updateCluster: async (id, ...others) => {
          const record = await real.updateCluster(id, ...others);
          void fixture.clock.sleep(delayMs).then(() => real.redeployCluster(id));
          return record;
        },
        redeployCluster: (...args) => {
          sent += 1;
          return real.redeployCluster(...args);
        },
      }),
    });
    const { state, cluster } = await updateEnv(fixture);
    expect(state).toMatchObject({ env, settled: true, readyReplicas: 2 });
    expect(cluster).toMatchObject({ deployed: { env }, status: "running" });
    expect(cluster?.replicaStates.map(({ healthy }) => healthy)).toEqual([true, true]);
    expect(sent).toBe(redeploys);
    expect(fixture.warnings()).toEqual([]);
  });

  it("that nothing shows, as during a slow pull of the image, ends after a minute, with a warning", async () => {
    const inputs = { ...checked, onFailedUpdate: "rollBack", readinessProbe: { path: "/" } };
    const fixture = await openLate(300_000);
    const made = await fixture.settle(inputs);
    const { end, tookMs } = await fixture.timed(fixture.change(made, { ...inputs, env }));
    expect(end.state).toMatchObject({ env, settled: true });
    expect([tookMs >= 60_000, tookMs < 90_000]).toEqual([true, true]);
    expect(fixture.running(made)).toMatchObject({ generation: 1, env: checked["env"] });
    const text = "no poll showed a replica that restarts, so the old ones may still run and answer `readinessProbe`";
    expect(fixture.warnings()).toEqual([`warning: cluster "web" (${made.id}): ${text}`]);
  });
});

/** Replicas by `<id>` for a healthy one, `<id>!` for one that starts, `<id>?` for one that is unhealthy. */
function statusOf(replicas: string, status?: string): StatusRecord {
  const read = (text: string): ReplicaRecord => {
    const id = text.charAt(0);
    if (text.endsWith("!")) return { id, status: "starting", healthy: false };
    return text.endsWith("?")
      ? { id, status: "unhealthy", healthy: false, message: "out of memory" }
      : { id, status: "running", healthy: true };
  };
  return { ...(status ? { status } : {}), replicas: replicas.split(" ").filter(Boolean).map(read) };
}

type Row = [string, before: StatusRecord | undefined, after: StatusRecord];

describe("two observations", () => {
  it.each<Row>([
    ["all replicas are new", statusOf("a b"), statusOf("c d")],
    ["a healthy replica starts again", statusOf("a b"), statusOf("a! b")],
    ["a healthy cluster gets a replica", statusOf("a b"), statusOf("a b c!")],
    ["a healthy cluster loses a replica", statusOf("a b"), statusOf("a")],
    ["the status word becomes a pending one", statusOf("a b", "running"), statusOf("a b", "updating")],
    ["a failed cluster runs again", statusOf("a? b", "failed"), statusOf("a b", "running")],
    ["a healthy cluster fails", statusOf("a b", "running"), statusOf("a? b?", "failed")],
    ["a cluster with a sick replica fails", statusOf("a? b", "running"), statusOf("a? b?", "failed")],
    ["a running cluster of which only the word is known fails", statusOf("", "running"), statusOf("", "failed")],
    ["a healthy flag turns false", { replicas: [], overall: true }, { replicas: [], overall: false }],
  ])("prove a rollout: %s", (_title, before, after) => {
    expect(showsRollout(before, after)).toBe(true);
  });

  const up = (message: string) => ({ replicas: [{ id: "a", status: `Up ${message} s`, healthy: true, message }] });
  it.each<Row>([
    ["nothing is known before", undefined, statusOf("a b")],
    ["nothing changes", statusOf("a b"), statusOf("a b")],
    ["replicas come while others start", statusOf("a b!", "provisioning"), statusOf("a b! c!")],
    ["a replica that crashes changes", statusOf("a b?"), statusOf("a b!")],
    ["a cluster that was changing fails", statusOf("a! b!", "deploying"), statusOf("a? b?", "failed")],
    ["replicas that were starting fail", statusOf("a! b!", "running"), statusOf("a? b?", "failed")],
    ["the status word stays a pending one", statusOf("a b!", "updating"), statusOf("a b!", "updating")],
    ["no replicas are listed", statusOf("a b", "running"), statusOf("", "running")],
    ["the healthy flag stays", { replicas: [], overall: true }, { replicas: [], overall: true }],
    ["only messages change", up("1"), up("2")],
  ])("prove no rollout: %s", (_title, before, after) => {
    expect(showsRollout(before, after)).toBe(false);
  });
});

test("replicas that share an id, such as that of their node, are not renewed by what the other one shows", () => {
  const status = statusOf("a a?");
  const found = { record: { id: "cl_1", status: "running" }, status };
  const goal = { replicas: 2, enough: 1, isProbed: false };
  const rollout = { before: status, requestedAtMs: 0, hasBegun: true };
  expect(rolloutCondition(found, goal, rollout, { previous: undefined, nowMs: 1 })).toMatchObject({ kind: "pending" });
});
