import { isRecord } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import {
  type Fixture,
  type FixtureOptions,
  noStatus,
  openFixture,
  openSettled,
  redeploy,
  restart,
  rewriting,
  stop,
  toRun,
  toStop,
} from "../harness";

const upMs = 20_000;
type Json = Record<string, unknown>;

interface Words {
  /** Replaces the status word of a cluster. */
  readonly cluster?: (word: string) => unknown;
  /** Replaces what is reported of a replica. */
  readonly replica?: (replica: Json) => Json;
}

/** A service in other words: `UP` for `running`. */
function saying({ cluster = (word) => word, replica = (same) => same }: Words): Pick<FixtureOptions, "wire"> {
  const inWords = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inWords);
    if (!isRecord(value)) return value;
    const { status, replicas, ...others } = value;
    const isCluster = typeof status === "string" && (String(value["id"]).startsWith("cl_") || Array.isArray(replicas));
    return {
      ...Object.fromEntries(Object.entries(others).map(([name, item]) => [name, inWords(item)])),
      ...(status === undefined ? {} : { status: isCluster ? cluster(status) : status }),
      ...(Array.isArray(replicas) ? { replicas: replicas.map((each: Json) => replica(each)) } : { replicas }),
    };
  };
  return { wire: rewriting(/^\/v1\/clusters/, inWords) };
}

/** Replaces the status and the flag of healthy replicas. */
const ofHealthy =
  (observed: object) =>
  ({ status, healthy, ...others }: Json): Json => ({ ...others, ...(healthy ? observed : { status, healthy }) });
/** Reports the same of every replica. */
const always =
  (observed: object) =>
  ({ id }: Json): Json => ({ id, ...observed });

const create = (fixture: Fixture, inputs = toRun) => fixture.timed(fixture.cluster.create(fixture.ctx(), inputs));

it.each<[string, Words, string]>([
  ["an unknown word", { cluster: (word) => (word === "running" ? "whirring" : word) }, '"whirring"'],
  ["replicas without health", { replica: ofHealthy({}) }, "nothing about its health"],
])("a running cluster is ready after half a minute without change, with one warning: %s", async (_, words, quoted) => {
  const fixture = await openFixture({ ...saying(words), provisioningMs: upMs });
  const { end: made, tookMs } = await create(fixture);
  expect([tookMs >= upMs + 30_000, tookMs < upMs + 60_000]).toEqual([true, true]);
  const [warning = "", ...others] = fixture.warnings();
  expect(others).toEqual([]);
  expect(warning).toMatch(/^warning: cluster "web" \(cl_\w+\): the service shows .*: it counts as ready/);
  expect(warning).toContain(`the service shows ${quoted}`);
  expect(warning).toMatch(/`npx pulumi-gpucluster doctor` shows what is understood$/);
  expect(made.state).toMatchObject({ settled: true, readyReplicas: 2 });
  expect(made.state["replicaStatuses"]).toEqual([1, 2].map(() => expect.objectContaining({ healthy: true })));
  await fixture.expectAtGoal(made, toRun);
});

it("a refresh does not report a cluster as ready whose wait has not ended", async () => {
  const fixture = await openFixture({ ...saying({ replica: ofHealthy({ status: "brewed" }) }), provisioningMs: upMs });
  const failed = await fixture.failingCreate(toRun, { timeoutMs: upMs + 10_000 });
  const found = await fixture.refresh(failed);
  expect(found.state).toMatchObject({ settled: false, readyReplicas: 0 });
  expect(fixture.toDo(found, toRun)).toEqual(["settled"]);
  await fixture.reach(found, toRun, []);
});

describe("a cluster of which nothing is recognized", () => {
  const words: Words = { cluster: () => "whirring", replica: always({ status: "brewed" }) };

  it("ends its wait with one error after five minutes, and the next update continues", async () => {
    const fixture = await openFixture({ ...saying(words), provisioningMs: upMs });
    const { end: failed, tookMs } = await fixture.timed(fixture.failingCreate(toRun, {}));
    expect([tookMs >= 300_000, tookMs < 330_000]).toEqual([true, true]);
    expect(failed.reasons[0]).toMatch(
      /the service shows "whirring" and "brewed", .* nothing changes.*doctor.*`readinessProbe` .*`skipAwait` /,
    );
    expect(fixture.warnings()).toEqual([]);
    expect(failed.state).toMatchObject({ settled: false, readyReplicas: 0, status: "whirring" });
    const found = await fixture.refresh(failed);
    expect(fixture.toDo(found, toRun)).toEqual(["settled"]);
    expect(await fixture.change(found, { ...toRun, skipAwait: true })).toMatchObject({ state: { settled: true } });
  });

  it("is ready if its endpoint answers the probe", async () => {
    const ask = () => async () => ({ status: 200, body: "" });
    const fixture = await openFixture({ ...saying(words), provisioningMs: upMs, ask });
    const { end: made, tookMs } = await create(fixture, { ...toRun, readinessProbe: { path: "/health" } });
    expect(made.state["settled"]).toBe(true);
    expect(fixture.warnings()).toEqual([expect.stringMatching(/: the answer of its endpoint decides\. /)]);
    // It names no healthy replica, because the service shows none.
    expect(fixture.messages.at(-1)).toMatch(/^status: ready after \w+: accepted 0s, GET \/health answered \w+$/);
    expect(tookMs).toBeLessThan(upMs + 60_000);
  });
});

it.each<[string, Words]>([
  ["a replica that is offline", { replica: always({ status: "offline" }) }],
  ["an unknown word, and a replica that starts", { cluster: () => "whirring", replica: always({ status: "init" }) }],
])("a cluster is never ready, however long nothing changes: %s", async (_title, words) => {
  const fixture = await openFixture({ ...saying(words), provisioningMs: upMs });
  const failed = await fixture.failingCreate(toRun, { timeoutMs: 900_000 });
  expect(failed.reasons[0]).toContain("timed out after 15m");
  expect(failed.state["settled"]).toBe(false);
  expect(fixture.warnings()).toEqual([expect.stringMatching(/nothing has changed for 5m/)]);
});

const dimmed = saying({ cluster: (word) => (word === "stopped" ? "dimmed" : word) });

it.each<[evidence: string, Fault[]]>([
  ["its replicas", []],
  ["the word alone", [noStatus]],
])("a cluster whose status word for stopped is unknown is stopped and started: evidence is %s", async (_, faults) => {
  const { fixture, made } = await openSettled(toRun, { dialect: { startedBy: "redeploy" }, faults, ...dimmed });
  const { end: at, tookMs } = await fixture.timed(fixture.reach(made, toStop, [stop]));
  // It has to stay the same for half a minute.
  expect([tookMs >= 30_000, tookMs < 60_000]).toEqual([true, true]);
  expect(at.state).toMatchObject({ status: "dimmed", readyReplicas: 0, replicaStatuses: [] });
  expect(fixture.warnings()).toEqual([]);
  const up = await fixture.reach(await fixture.refresh(at), toRun, [restart, redeploy]);
  expect(fixture.running(up).status).toBe("running");
});
