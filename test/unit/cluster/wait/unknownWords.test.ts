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
  scale,
  stop,
  toRun,
  toStop,
  writes,
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

const create = (bench: Fixture, inputs = toRun) => bench.timed(bench.cluster.create(bench.ctx(), inputs));

it.each<[string, Words, string]>([
  ["an unknown word", { cluster: (word) => (word === "running" ? "whirring" : word) }, '"whirring"'],
  ["replicas without health", { replica: ofHealthy({}) }, "nothing about its health"],
])("a running cluster is ready after half a minute without change, with one warning: %s", async (_, words, quoted) => {
  const bench = await openFixture({ ...saying(words), provisioningMs: upMs });
  const { end: made, tookMs } = await create(bench);
  expect([tookMs >= upMs + 30_000, tookMs < upMs + 60_000]).toEqual([true, true]);
  const [warning = "", ...others] = bench.warnings();
  expect(others).toEqual([]);
  expect(warning).toMatch(/^warning: cluster "web" \(cl_\w+\): the service shows .*: it counts as ready/);
  expect(warning).toContain(`the service shows ${quoted}`);
  expect(warning).toMatch(/`npx pulumi-gpucluster doctor` shows what is understood$/);
  expect(made.state).toMatchObject({ settled: true, readyReplicas: 2 });
  expect(made.state["replicaStatuses"]).toEqual([1, 2].map(() => expect.objectContaining({ healthy: true })));
  await bench.expectAtGoal(made, toRun);
});

it("a running cluster of a service that shows no health of replicas is ready after half a minute of the same", async () => {
  const bench = await openFixture({ faults: [noStatus], provisioningMs: upMs });
  const { end: made, tookMs } = await create(bench);
  expect([tookMs >= upMs + 30_000, tookMs < upMs + 40_000]).toEqual([true, true]);
  expect(bench.warnings()).toEqual([]);
  await bench.expectAtGoal(made, toRun);
});

it("a refresh does not report a cluster as ready whose wait has not ended", async () => {
  const bench = await openFixture({ ...saying({ replica: ofHealthy({ status: "brewed" }) }), provisioningMs: upMs });
  const failed = await bench.failingCreate(toRun, { timeoutMs: upMs + 10_000 });
  const found = await bench.refresh(failed);
  expect(found.state).toMatchObject({ settled: false, readyReplicas: 0 });
  expect(bench.toDo(found, toRun)).toEqual(["settled"]);
  await bench.reach(found, toRun, []);
});

describe("a cluster of which nothing is recognized", () => {
  const words: Words = { cluster: () => "whirring", replica: always({ status: "brewed" }) };

  it("ends its wait with one error after five minutes, and the next update continues", async () => {
    const bench = await openFixture({ ...saying(words), provisioningMs: upMs });
    const { end: failed, tookMs } = await bench.timed(bench.failingCreate(toRun, {}));
    expect([tookMs >= 300_000, tookMs < 330_000]).toEqual([true, true]);
    expect(failed.reasons[0]).toMatch(
      /the service shows "whirring" and "brewed", .* nothing changes.*doctor.*`readinessProbe` .*`skipAwait` /,
    );
    expect(bench.warnings()).toEqual([]);
    expect(failed.state).toMatchObject({ settled: false, readyReplicas: 0, status: "whirring" });
    const found = await bench.refresh(failed);
    expect(bench.toDo(found, toRun)).toEqual(["settled"]);
    expect(await bench.change(found, { ...toRun, skipAwait: true })).toMatchObject({ state: { settled: true } });
  });

  it("is ready if its endpoint answers the probe", async () => {
    const ask = () => async () => ({ status: 200, body: "" });
    const bench = await openFixture({ ...saying(words), provisioningMs: upMs, ask });
    const { end: made, tookMs } = await create(bench, { ...toRun, readinessProbe: { path: "/health" } });
    expect(made.state["settled"]).toBe(true);
    expect(bench.warnings()).toEqual([expect.stringMatching(/: the answer of its endpoint decides\. /)]);
    expect(tookMs).toBeLessThan(upMs + 60_000);
  });
});

it.each<[string, Words]>([
  ["a replica that is offline", { replica: always({ status: "offline" }) }],
  ["an unknown word, and a replica that starts", { cluster: () => "whirring", replica: always({ status: "init" }) }],
])("a cluster is never ready, however long nothing changes: %s", async (_title, words) => {
  const bench = await openFixture({ ...saying(words), provisioningMs: upMs });
  const failed = await bench.failingCreate(toRun, { timeoutMs: 900_000 });
  expect(failed.reasons[0]).toContain("timed out after 15m");
  expect(failed.state["settled"]).toBe(false);
  expect(bench.warnings()).toEqual([expect.stringMatching(/nothing has changed for 5m/)]);
});

const dimmed = saying({ cluster: (word) => (word === "stopped" ? "dimmed" : word) });

it.each<[evidence: string, Fault[]]>([
  ["its replicas", []],
  ["the word alone", [noStatus]],
])("a cluster whose status word for stopped is unknown is stopped and started: evidence is %s", async (_, faults) => {
  const { bench, made } = await openSettled(toRun, { dialect: { startedBy: "redeploy" }, faults, ...dimmed });
  const { end: at, tookMs } = await bench.timed(bench.reach(made, toStop, [stop]));
  // It has to stay the same for half a minute.
  expect([tookMs >= 30_000, tookMs < 60_000]).toEqual([true, true]);
  expect(at.state).toMatchObject({ status: "dimmed", readyReplicas: 0, replicaStatuses: [] });
  expect(bench.warnings()).toEqual([]);
  const up = await bench.reach(await bench.refresh(at), toRun, [restart, redeploy]);
  expect(bench.running(up).status).toBe("running");
});

it("a cluster that another user stopped, with an unknown status word, is not settled, and no update starts it", async () => {
  const { bench, made } = await openSettled(toRun, dimmed);
  bench.simulator.change(made.id, { status: "stopped" });
  const found = await bench.refresh(made);
  expect(found.state).toMatchObject({ desiredStatus: "running", status: "dimmed", settled: false });
  expect(bench.toDo(found, toRun)).toEqual(["settled"]);
  const failed = await bench.failingChange(found, { ...toRun, replicas: 3 });
  expect(writes(bench.simulator)).toEqual([scale]);
  expect(failed.text).toMatch(/timed out after 20m: 0\/3 .*, dimmed/);
});
