import { isRecord } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type FixtureOptions, initErrorOf, openFixture, openSettled, rewriting, writes } from "../harness";
import {
  asked,
  atRest,
  change,
  expectAtGoal,
  failingChange,
  type Held,
  noStatus,
  reach,
  redeploy,
  refresh,
  restart,
  running,
  scale,
  stop,
  toDo,
  warnings,
} from "../powerHarness";

const upMs = 20_000;
type Json = Record<string, unknown>;

interface Words {
  /** Replaces the status word of a cluster. */
  readonly cluster?: (word: string) => unknown;
  /** Replaces what is shown of a replica. */
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

const whileRunning = (shown: unknown) => (word: string) => (word === "running" ? shown : word);
/** Replaces the status and the flag of healthy replicas. */
const ofHealthy =
  (shown: object) =>
  ({ status, healthy, ...others }: Json): Json => ({ ...others, ...(healthy ? shown : { status, healthy }) });
/** Shows the same of every replica. */
const always =
  (shown: object) =>
  ({ id }: Json): Json => ({ id, ...shown });

const doctor = /`npx pulumi-gpucluster doctor` shows what is understood$/;

/** Creates a cluster in other words, and measures how long that takes. */
async function create(words: Words) {
  const bench = await openFixture({ ...saying(words), provisioningMs: upMs });
  const startMs = bench.clock.now();
  const made = await bench.run(bench.cluster.create(bench.ctx(), asked));
  return { bench, made, tookMs: bench.clock.now() - startMs };
}

it.each<[string, Words, string]>([
  ["an unknown word beside healthy replicas", { cluster: whileRunning("whirring") }, '"whirring"'],
  ["replicas without health", { replica: ofHealthy({}) }, "nothing about its health"],
])("a running cluster is ready after half a minute without change, with one warning: %s", async (_, words, quoted) => {
  const { bench, made, tookMs } = await create(words);
  expect(tookMs).toBeGreaterThanOrEqual(upMs + 30_000);
  expect(tookMs).toBeLessThan(upMs + 60_000);
  const [warning = "", ...others] = warnings(bench);
  expect(others).toEqual([]);
  expect(warning).toMatch(/^warning: cluster "web" \(cl_\w+\): the service shows .*: it counts as ready/);
  expect(warning).toContain(`the service shows ${quoted}`);
  expect(warning).toMatch(doctor);
  expect(made.state).toMatchObject({ settled: true, readyReplicas: 2 });
  expect(made.state["replicaStatuses"]).toEqual([1, 2].map(() => expect.objectContaining({ healthy: true })));
  await expectAtGoal(bench, made, asked);
});

it("a running cluster of a service that shows no health of replicas is ready after half a minute of the same", async () => {
  const bench = await openFixture({ faults: [noStatus], provisioningMs: upMs });
  const startMs = bench.clock.now();
  const made = await bench.run(bench.cluster.create(bench.ctx(), asked));
  expect(bench.clock.now() - startMs).toBeGreaterThanOrEqual(upMs + 30_000);
  expect(bench.clock.now() - startMs).toBeLessThan(upMs + 40_000);
  expect(warnings(bench)).toEqual([]);
  await expectAtGoal(bench, made, asked);
});

it("a refresh does not report a cluster as ready whose wait has not ended", async () => {
  const bench = await openFixture({ ...saying({ replica: ofHealthy({ status: "brewed" }) }), provisioningMs: upMs });
  const ctx = bench.ctx({ timeoutMs: upMs + 10_000 });
  const failed: Held = await bench.run(initErrorOf(bench.cluster.create(ctx, asked)));
  const found = await refresh(bench, failed);
  expect(found.state).toMatchObject({ settled: false, readyReplicas: 0 });
  expect(toDo(bench, found, asked)).toEqual(["settled"]);
  await reach(bench, found, asked, []);
});

describe("a cluster of which nothing is recognized", () => {
  const words: Words = { cluster: () => "whirring", replica: always({ status: "brewed" }) };

  it("ends its wait with one error after five minutes, and the next update continues", async () => {
    const bench = await openFixture({ ...saying(words), provisioningMs: upMs });
    const startMs = bench.clock.now();
    const failed = await bench.run(initErrorOf(bench.cluster.create(bench.ctx(), asked)));
    expect(bench.clock.now() - startMs).toBeGreaterThanOrEqual(300_000);
    expect(bench.clock.now() - startMs).toBeLessThan(330_000);
    expect(failed.reasons[0]).toMatch(
      /the service shows "whirring" and "brewed", .* nothing changes.*doctor.*`readinessProbe` .*`skipAwait` /,
    );
    expect(warnings(bench)).toEqual([]);
    expect(failed.state).toMatchObject({ settled: false, readyReplicas: 0, status: "whirring" });
    const found = await refresh(bench, failed);
    expect(toDo(bench, found, asked)).toEqual(["settled"]);
    expect(await change(bench, found, { ...asked, skipAwait: true })).toMatchObject({ state: { settled: true } });
  });

  it("is ready if its endpoint answers the probe", async () => {
    const ask = () => async () => ({ status: 200, body: "" });
    const bench = await openFixture({ ...saying(words), provisioningMs: upMs, ask });
    const startMs = bench.clock.now();
    const inputs = { ...asked, readinessProbe: { path: "/health" } };
    const made = await bench.run(bench.cluster.create(bench.ctx(), inputs));
    expect(made.state["settled"]).toBe(true);
    expect(warnings(bench)).toEqual([expect.stringMatching(/: the answer of its endpoint decides\. /)]);
    expect(bench.clock.now() - startMs).toBeLessThan(upMs + 60_000);
  });
});

it.each<[string, Words]>([
  ["a replica that is offline", { replica: always({ status: "offline" }) }],
  ["an unknown word, and a replica that starts", { cluster: () => "whirring", replica: always({ status: "init" }) }],
])("a cluster is never ready, however long nothing changes: %s", async (_title, words) => {
  const bench = await openFixture({ ...saying(words), provisioningMs: upMs });
  const failed = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 900_000 }), asked)));
  expect(failed.reasons[0]).toContain("timed out after 15m");
  expect(failed.state["settled"]).toBe(false);
  expect(warnings(bench)).toEqual([expect.stringMatching(/nothing has changed for 5m/)]);
});

const dimmed = saying({ cluster: (word) => (word === "stopped" ? "dimmed" : word) });

/** What shows that a cluster is stopped if its status word is not known. */
const ways: [evidence: string, Fault[]][] = [
  ["its replicas", []],
  ["the word alone", [noStatus]],
];

it.each(ways)(
  "a cluster whose status word for stopped is unknown is stopped and started: evidence is %s",
  async (_, faults) => {
    const { bench, made } = await openSettled(asked, { dialect: { startedBy: "redeploy" }, faults, ...dimmed });
    const startMs = bench.clock.now();
    const at = await reach(bench, made, atRest, [stop]);
    const tookMs = bench.clock.now() - startMs;
    // It has to stay the same for half a minute.
    expect([tookMs >= 30_000, tookMs < 60_000]).toEqual([true, true]);
    expect(at.state).toMatchObject({ status: "dimmed", readyReplicas: 0, replicaStatuses: [] });
    expect(warnings(bench)).toEqual([]);
    const up = await reach(bench, await refresh(bench, at), asked, [restart, redeploy]);
    expect(running(bench, up).status).toBe("running");
  },
);

it("a cluster that another user stopped, with an unknown status word, is not settled, and no update starts it", async () => {
  const { bench, made } = await openSettled(asked, dimmed);
  bench.simulator.change(made.id, { status: "stopped" });
  const found = await refresh(bench, made);
  expect(found.state).toMatchObject({ desiredStatus: "running", status: "dimmed", settled: false });
  expect(toDo(bench, found, asked)).toEqual(["settled"]);
  const failed = await failingChange(bench, found, { ...asked, replicas: 3 });
  expect(writes(bench.simulator)).toEqual([scale]);
  expect(failed.text).toMatch(/timed out after 20m: 0\/3 .*, dimmed/);
});
