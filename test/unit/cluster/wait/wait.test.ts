import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type Fixture, type Held, noStatus, openFixture, openSettled, patch, toRun, toStop } from "../harness";
import { canary } from "../inputs";

const env = { MODEL: "another" };

describe("skipAwait", () => {
  const hasty: Properties = { ...toRun, skipAwait: true };

  it("ends an update as soon as an env is accepted", async () => {
    const { fixture, made } = await openSettled(hasty, { provisioningMs: 600_000 });
    const { end: at, tookMs } = await fixture.timed(fixture.change(made, { ...hasty, env }));
    expect(tookMs).toBeLessThan(15_000);
    expect(fixture.writes()).toEqual([patch]);
    expect(fixture.toDo(at, { ...hasty, env })).toEqual([]);
  });

  it("ends a creation with the accepted cluster, which shows no drift while it starts", async () => {
    const fixture = await openFixture({ provisioningMs: 600_000 });
    const made = await fixture.settle(hasty);
    expect(made.state).toMatchObject({ settled: true, status: "provisioning" });
    expect(fixture.toDo(made, hasty)).toEqual([]);
    expect(fixture.toDo(await fixture.refresh(made), hasty)).toEqual([]);
    await fixture.clock.advance(600_000);
    await fixture.expectAtGoal(await fixture.refresh(made), hasty);
  });

  it("waits until the service shows a new cluster, so that no later read takes it for gone", async () => {
    const dialect = { injectedEnv: { GPU_HOST: "node-7" } };
    const fixture = await openFixture({ dialect, faults: [{ kind: "hidden", ms: 20_000 }] });
    const made = await fixture.settle(hasty);
    expect(made.state["unverifiedInputs"]).toEqual([]);
    await fixture.clock.advance(60_000);
    await fixture.expectAtGoal(await fixture.refresh(made), hasty);
  });
});

describe("minHealthyReplicas", () => {
  const sick = { kind: "sick-replica", replica: 3, message: "no driver" } as const;

  it("of 3 is reached even if the last of four replicas stays unhealthy forever", async () => {
    const fixture = await openFixture({ faults: [sick], provisioningMs: 20_000 });
    const inputs = { ...toRun, replicas: 4, minHealthyReplicas: 3 };
    const made = await fixture.make(inputs);
    expect(made.state).toMatchObject({ settled: true, readyReplicas: 3 });
    await fixture.expectAtGoal(made, inputs);
    expect(fixture.messages.at(-1)).toMatch(/^status: ready after \d+s: .*, 3\/4 replicas healthy \d+s$/);
  });

  it("after a restart counts renewed replicas, not old ones that are still healthy", async () => {
    const fixture = await openFixture({ provisioningMs: 120_000 });
    const inputs: Properties = { ...toRun, replicas: 4, minHealthyReplicas: 2 };
    const made = await fixture.settle(inputs);
    await fixture.clock.advance(120_000);
    const restart = fixture.change(await fixture.refresh(made), { ...inputs, restartTriggers: ["b"] });
    const { end: at, tookMs } = await fixture.timed(restart);
    expect([tookMs >= 60_000, tookMs < 80_000]).toEqual([true, true]);
    expect(at.state).toMatchObject({ settled: true, readyReplicas: 2 });
    expect(fixture.warnings()).toEqual([]);
  });
});

const oneCluster = { method: "GET", path: "/v1/clusters/*" } as const;

describe("the line at the end of a wait", () => {
  const create = ({ run, cluster, ctx }: Fixture, inputs: Properties) => run(cluster.create(ctx(), inputs));
  const lastOf = ({ messages }: { readonly messages: readonly string[] }) => messages.at(-1);

  it("says when the creation was accepted, and when the first replica and all of them were healthy", async () => {
    const fixture = await openFixture({
      provisioningMs: 120_000,
      client: ({ createCluster }) => ({
        createCluster: (...args) => fixture.clock.sleep(9_000).then(() => createCluster(...args)),
      }),
    });
    await create(fixture, { ...toRun, replicas: 4 });
    expect(lastOf(fixture)).toBe(
      "status: ready after 2m13s: accepted 9s, first healthy 42s, 4/4 replicas healthy 2m13s",
    );
  });

  it("names no first replica if the service shows one word for all of them", async () => {
    const fixture = await openFixture({ faults: [noStatus], provisioningMs: 40_000 });
    await create(fixture, toRun);
    expect(lastOf(fixture)).toBe("status: ready after 1m12s: accepted 0s, 2/2 replicas healthy 1m12s");
  });

  it("has no counterpart in a failure that reached nothing", async () => {
    const fixture = await openFixture({ provisioningMs: 600_000 });
    const error = await fixture.failingCreate(toRun, { timeoutMs: 60_000 });
    expect(error.reasons[0]).toContain("timed out after 1m: 0/2 replicas healthy, provisioning");
    expect(error.reasons[0]).not.toContain("reached: ");
  });
});

describe("a temporary problem", () => {
  it.each<[string, Fault[]]>([
    ["a replica that flaps", [{ kind: "flap", replica: 1, periodMs: 20_000, flaps: 3 }]],
    ["a cluster that is not shown yet", [{ kind: "hidden", ms: 25_000 }]],
    ["errors of the service", [{ ...oneCluster, kind: "status", status: 500, times: 5, after: 2 }]],
    ["one refusal of the key", [{ ...oneCluster, kind: "status", status: 401, times: 1, after: 1 }]],
    ["a 404 between other answers", [{ ...oneCluster, kind: "status", status: 404, times: 1, after: 2 }]],
  ])("does not end a wait: %s", async (_title, faults) => {
    for (const more of [[], [noStatus]]) {
      const fixture = await openFixture({ faults: [...faults, ...more], provisioningMs: 40_000 });
      const made = await fixture.settle(toRun);
      await fixture.clock.advance(300_000);
      await fixture.expectAtGoal(made, toRun);
    }
  });
});

it("a list that lags 30 s does not end a start with the stop before it, nor a rollout with the failure before it", async () => {
  const fixture = await openFixture({ listLagMs: 30_000, provisioningMs: 40_000, deletionMs: 5_000 });
  const changeAll = (fleet: readonly Held[], news: Properties) =>
    Promise.all(fleet.map((held) => fixture.change(held, { ...news, name: held.state["name"] })));
  const stopped = await changeAll(await fixture.settleFleet(2, toRun), toStop);
  await fixture.clock.advance(40_000);
  const up = await changeAll(stopped, toRun);
  for (const at of up) expect(fixture.running(at).status).toBe("running");
  for (const { id } of up) fixture.simulator.change(id, { status: "failed", message: "node lost" });
  await fixture.clock.advance(40_000);
  const healed = await changeAll(up, { ...toRun, env });
  for (const at of healed) expect(fixture.running(at)).toMatchObject({ status: "running", env });
});

it("a failure names cluster, id, next step, states, and each unhealthy replica with its reason, one line each", async () => {
  const fixture = await openFixture({
    provisioningMs: 30_000,
    faults: [
      { kind: "sick-replica", replica: 1, message: `cannot pull: ${canary}` },
      { ...oneCluster, kind: "status", status: 503, message: "try later", after: 6, times: 1 },
    ],
  });
  const error = await fixture.failingCreate(toRun, { timeoutMs: 120_000 });
  expect(error.reasons).toHaveLength(1);
  expect(error.state).toMatchObject({ ...toRun, settled: false, endpoint: expect.any(String), __seenBy: "seen" });
  expect(JSON.parse(JSON.stringify(error.state))).toStrictEqual(error.state);
  const [reason] = error.reasons;
  expect(reason.split("\n").map((line) => line.trim())).toEqual([
    `cluster "web" (${error.id}) was created, but is not ready: timed out after 2m: 1/2 replicas healthy, provisioning`,
    "It is kept in the state: correct `container`, or what the reasons name, then run `pulumi up`. Without a change, it continues",
    expect.stringMatching(/^reached: accepted 0s, first healthy \d+s$/),
    expect.stringMatching(
      /^seen: 0\/2 replicas healthy, provisioning \(\d+ times\), then 1\/2 replicas healthy, provisioning/,
    ),
    expect.stringMatching(/^the last poll that failed: GET \/v1\/clusters\/cl_\w+: try later /),
    expect.stringMatching(/^replica rep_\S+: unhealthy, cannot pull: \[secret\]$/),
  ]);
});

it("a timeout names the reasons of the replicas even if one list serves several waits", async () => {
  const sick = { kind: "sick-replica", replica: 0, message: "cannot pull the image", times: 2 } as const;
  const fixture = await openFixture({ provisioningMs: 30_000, faults: [sick] });
  const made = ["a", "b"].map((name) => fixture.failingCreate({ ...toRun, name }, { timeoutMs: 120_000 }));
  for (const { reasons } of await fixture.run(Promise.all(made))) {
    expect(reasons[0]).toMatch(/timed out after 2m/);
    expect(reasons[0]).toMatch(/\n +replica rep_\S+: unhealthy, cannot pull the image$/);
  }
});

it.each([1, 3])("a failed cluster ends its wait even if /status cannot be read: %i clusters", async (count) => {
  const unavailable = { kind: "status", status: 503, method: "GET", path: "/v1/clusters/*/status" } as const;
  const fixture = await openFixture({
    provisioningMs: 20_000,
    faults: [
      { kind: "fail", message: "no driver", times: count },
      { ...unavailable, times: 10_000 },
    ],
  });
  const made = ["a", "b", "c"].slice(0, count).map((name) => fixture.failingCreate({ ...toRun, name }, {}));
  const { end: errors, tookMs } = await fixture.timed(Promise.all(made));
  for (const { reasons } of errors) expect(reasons[0]).toContain("it is failed");
  expect(tookMs).toBeLessThan(60_000);
});

it("a wait without change warns once, after half of its time, with what it observes and what can be done", async () => {
  const fixture = await openFixture({ provisioningMs: 4 * 3_600_000 });
  await fixture.failingCreate(toRun, { timeoutMs: 3_600_000 });
  expect(fixture.warnings()).toHaveLength(1);
  const [text = ""] = fixture.warnings();
  expect(text).toMatch(/^warning: cluster "web" \(cl_\w+\): nothing has changed for 30m/);
  expect(text).toContain("0/2 replicas healthy, provisioning");
  expect(text).toMatch(/The wait continues for \d+m\d*s?\. Check the cluster .*Ctrl-C/);
});
