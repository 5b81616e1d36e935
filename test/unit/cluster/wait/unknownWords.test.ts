import type { Client } from "../../../../provider/api/client";
import type { ClusterRecord } from "../../../../provider/api/records";
import { isRecord } from "../../../../provider/contract";
import type { Dialect, Fault } from "../../../../simulator";
import {
  type Bench,
  type BenchOptions,
  bareStatus,
  countOf,
  forget,
  initErrorOf,
  openBench,
  openSettled,
  rewriting,
  settle,
  writes,
} from "../harness";
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
  renaming,
  restart,
  running,
  scale,
  settleStopped,
  stop,
  toDo,
  warnings,
} from "../powerHarness";

const upMs = 20_000;
const hourMs = 3_600_000;
type Json = Record<string, unknown>;

interface Words {
  /** The word of a cluster that shows this one. */
  readonly cluster?: (word: string) => unknown;
  /** What is said of a replica that says this; `nth` counts the answers with replicas. */
  readonly replica?: (replica: Json, nth: number) => Json;
}

/** A service in other words: `UP` for `running`. */
function saying({ cluster = (word) => word, replica = (own) => own }: Words): Pick<BenchOptions, "wire"> {
  let nth = 0;
  const inWords = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inWords);
    if (!isRecord(value)) return value;
    const { status, replicas, ...others } = value;
    const isCluster = typeof status === "string" && (String(value["id"]).startsWith("cl_") || Array.isArray(replicas));
    return {
      ...Object.fromEntries(Object.entries(others).map(([name, item]) => [name, inWords(item)])),
      ...(status === undefined ? {} : { status: isCluster ? cluster(status) : status }),
      ...(Array.isArray(replicas) ? { replicas: replicas.map((each: Json) => replica(each, nth)) } : { replicas }),
    };
  };
  return {
    wire: (real) => async (request) => {
      const answer = await real(request);
      if (request.path.endsWith("/status")) nth += 1;
      const isAbout = request.path.startsWith("/v1/clusters") && answer.status < 300 && answer.body !== "";
      return isAbout ? { ...answer, body: JSON.stringify(inWords(JSON.parse(answer.body))) } : answer;
    },
  };
}

const whileRunning = (said: unknown) => (word: string) => (word === "running" ? said : word);
/** What a replica says that is healthy, in place of its word and its flag. */
const ofHealthy =
  (said: object) =>
  ({ status, healthy, ...own }: Json): Json => ({ ...own, ...(healthy ? said : { status, healthy }) });
/** A replica that never says anything else. */
const always =
  (said: object) =>
  ({ id }: Json): Json => ({ id, ...said });

const doctor = /`npx pulumi-gpucluster doctor` shows what is understood$/;

/** Creates a cluster in other words, and tells how long that took. */
async function create(words: Words, inputs: Json = asked) {
  const bench = await openBench({ ...saying(words), provisioningMs: upMs });
  const startMs = bench.clock.now();
  const made = await bench.run(bench.cluster.create(bench.ctx(), inputs));
  return { bench, made, tookMs: bench.clock.now() - startMs };
}

/** The error of a creation in other words, and how long that took. */
async function failToCreate(words: Words, inputs: Json = asked, timeoutMs = hourMs) {
  const bench = await openBench({ ...saying(words), provisioningMs: upMs });
  const startMs = bench.clock.now();
  const failed = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs }), inputs)));
  return { bench, failed, text: failed.reasons.join("\n"), tookMs: bench.clock.now() - startMs };
}

describe.each<[string, Words, string]>([
  ["a word that nobody knows beside healthy replicas", { cluster: whileRunning("whirring") }, '"whirring"'],
  ["replicas whose words nobody knows", { replica: ofHealthy({ status: "brewed" }) }, '"brewed"'],
  ["replicas that say nothing", { replica: ofHealthy({}) }, "nothing about its health"],
])("a running cluster with %s", (_title, words, quoted) => {
  it("is ready after half a minute of the same, with one warning", async () => {
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
  });

  it("stays ready for a refresh, and is scaled, stopped and started", async () => {
    const { bench, made } = await create(words);
    await expectAtGoal(bench, made, asked);
    const scaled = await reach(bench, made, { ...asked, replicas: 3 });
    const stopped = await reach(bench, scaled, { ...atRest, replicas: 3 }, [stop]);
    await reach(bench, stopped, { ...asked, replicas: 3 });
  });
});

it("a refresh does not call a cluster ready whose wait has not ended", async () => {
  const bench = await openBench({ ...saying({ replica: ofHealthy({ status: "brewed" }) }), provisioningMs: upMs });
  const ctx = bench.ctx({ timeoutMs: upMs + 10_000 });
  const failed: Held = await bench.run(initErrorOf(bench.cluster.create(ctx, asked)));
  const found = await refresh(bench, failed);
  expect(found.state).toMatchObject({ settled: false, readyReplicas: 0 });
  expect(toDo(bench, found, asked)).toEqual(["settled"]);
  await reach(bench, found, asked, []);
});

describe("a cluster of which nothing is known", () => {
  const words: Words = { cluster: () => "whirring", replica: always({ status: "brewed" }) };

  it("ends its wait with one error after five minutes, and the next update goes on", async () => {
    const { bench, failed, text, tookMs } = await failToCreate(words);
    expect(tookMs).toBeGreaterThanOrEqual(300_000);
    expect(tookMs).toBeLessThan(330_000);
    expect(text).toMatch(
      /the service shows "whirring" and "brewed", which this version does not know, and nothing changes/,
    );
    expect(text).toMatch(/`npx pulumi-gpucluster doctor` .*`readinessProbe` .*`skipAwait` /);
    expect(warnings(bench)).toEqual([]);
    expect(failed.state).toMatchObject({ settled: false, readyReplicas: 0, status: "whirring" });
    expect(bench.simulator.clusters()).toHaveLength(1);
    const found = await refresh(bench, failed);
    expect(toDo(bench, found, asked)).toEqual(["settled"]);
    await expect(change(bench, found, asked)).rejects.toThrow(/whirring/);
    expect(await change(bench, found, { ...asked, skipAwait: true })).toMatchObject({ state: { settled: true } });
  });

  it("is ready if its probe says so", async () => {
    const bench = await openBench({
      ...saying(words),
      provisioningMs: upMs,
      ask: () => async () => ({ status: 200, body: "" }),
    });
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
  ["a bad word deep inside", { replica: always({ status: "brewed", pod: { containers: [{ state: "oom_killed" }] } }) }],
  ["a cluster that is degraded", { cluster: whileRunning("DEGRADED") }],
  [
    "a word that nobody knows, and a replica that starts",
    { cluster: () => "whirring", replica: always({ status: "init" }) },
  ],
])("%s is never ready, however long nothing changes", async (_title, words) => {
  const { bench, failed, text } = await failToCreate(words, asked, 900_000);
  expect(text).toContain("timed out after 15m");
  expect(failed.state["settled"]).toBe(false);
  // The stall is said once; nothing is said to be ready.
  expect(warnings(bench)).toEqual([expect.stringMatching(/nothing has changed for/)]);
});

const dimmed = renaming("stopped", "dimmed");

interface Way {
  readonly by: "this package" | "somebody else";
  readonly shown: string;
  readonly wire?: BenchOptions["wire"];
  readonly faults?: Fault[];
}

/** A service that shows no replicas of a stopped cluster. */
const noReplicas = rewriting(/\/status$/, ({ replicas, ...others }) => ({
  ...others,
  replicas: others["status"] === "stopped" ? [] : replicas,
}));

/** Who stops the cluster, and by what that can be told. */
const byReplicas = (["this package", "somebody else"] as const).flatMap((by) =>
  (["listed", "none"] as const).map(
    (stoppedReplicas): Way => ({
      by,
      shown: `replicas: ${stoppedReplicas}`,
      ...(stoppedReplicas === "none" && { wire: noReplicas }),
    }),
  ),
);
const byWord: Way = { by: "this package", shown: "the word alone", faults: [noStatus] };
const ways = [...byReplicas, byWord];
const byOthers = byReplicas.filter(({ by }) => by === "somebody else");
const byUs = ways.filter(({ by }) => by === "this package");

const openStarted = ({ wire, faults = [] }: Way, dialect: Partial<Dialect> = {}) =>
  openSettled(asked, { dialect, faults, client: dimmed, ...(wire && { wire }) });

async function openStopped(way: Way, dialect: Partial<Dialect> = {}) {
  const { bench, made } = await openStarted(way, dialect);
  const isOurs = way.by === "this package";
  if (!isOurs) bench.simulator.change(made.id, { status: "stopped" });
  const held = isOurs ? await change(bench, made, atRest) : made;
  const startMs = bench.clock.now();
  return { bench, held, tookMs: () => bench.clock.now() - startMs };
}

describe.each(byUs)("a cluster that this package stopped, under a word that is not known ($shown),", (way) => {
  it.each([
    ["restart-or-redeploy", [restart]],
    ["redeploy", [restart, redeploy]],
    ["scale", [restart, redeploy, scale]],
  ] as const)("is started by what works (%s)", async (startedBy, calls) => {
    const { bench, held, tookMs } = await openStopped(way, { startedBy });
    const at = await reach(bench, await refresh(bench, held), asked, calls);
    expect(tookMs()).toBeLessThan(way === byWord ? 180_000 : 60_000);
    expect(running(bench, at).status).toBe("running");
  });
});

describe.each(byUs)("a service whose word for stopped is not known ($shown)", (way) => {
  it("has a cluster stopped once it runs no replica, or the word stays for a minute", async () => {
    const { bench, made } = await openStarted(way);
    const startMs = bench.clock.now();
    const at = await reach(bench, made, atRest, [stop]);
    const tookMs = bench.clock.now() - startMs;
    expect([tookMs >= 60_000, tookMs < 90_000]).toEqual([way === byWord, true]);
    expect(at.state).toMatchObject({ status: "dimmed", readyReplicas: 0, replicaStatuses: [] });
    expect(warnings(bench)).toEqual([]);
    if (way === byWord) expect(countOf(bench.simulator, "GET /v1/clusters/:id/status")).toBe(0);
  });
});

describe.each(byOthers)("a cluster that others stopped, under a word that is not known ($shown),", (way) => {
  it("is not settled for a refresh, nor for the next one: the next update finds out", async () => {
    const { bench, held, tookMs } = await openStopped(way);
    const found = await refresh(bench, held);
    expect(tookMs()).toBeLessThan(2_000);
    expect(found.state).toMatchObject({ desiredStatus: "running", status: "dimmed", settled: false });
    expect(toDo(bench, found, asked)).toEqual(["settled"]);
    expect((await refresh(bench, found)).state).toEqual(found.state);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("is not started by an update with replicas, whose wait ends with what the service shows", async () => {
    const { bench, held } = await openStopped(way);
    const failed = await failingChange(bench, held, { ...asked, replicas: 3 });
    expect(writes(bench.simulator)).toEqual([scale]);
    const [listed, none] = [/timed out after 20m: 0\/3 .*, dimmed/, /shows "dimmed", which .* not know, and nothing/];
    expect(failed.text).toMatch(way.wire ? none : listed);
    expect(failed.state["settled"]).toBe(false);
  });
});

describe("a cluster that comes up under a word that is not known, and shows no replica yet,", () => {
  /** A service with a word of its own for what comes up, which has no replicas until it runs. */
  const slow = (real: Client): Partial<Client> => ({
    ...renaming("provisioning", "glowing")(real),
    getClusterStatus: async (...args) => {
      const status = await real.getClusterStatus(...args);
      return status.replicas.every(({ healthy }) => healthy) ? status : { replicas: [], status: "glowing" };
    },
  });
  const openSlow = () => openBench({ client: slow, provisioningMs: 120_000 });

  it("is waited for by an update that goes on with it, and never started", async () => {
    const bench = await openSlow();
    const ctx = bench.ctx({ timeoutMs: 20_000 });
    const failed = await bench.run(bench.cluster.create(ctx, asked).catch((error) => error));
    const found = await refresh(bench, failed);
    expect(found.state).toMatchObject({ desiredStatus: "running", settled: false });
    await reach(bench, found, asked, []);
  });
});

it("a service that says no state at all has its cluster stopped and started by what its replicas show", async () => {
  const bench: Bench = await openBench({
    dialect: { actionAnswer: "empty" },
    wire: bareStatus,
    client: (real) => ({
      getCluster: async (...args) => {
        const { status: _status, ...record } = await real.getCluster(...args);
        return record;
      },
    }),
  });
  const stopped = await settleStopped(bench);
  expect(running(bench, stopped).status).toBe("stopped");
  await expectAtGoal(bench, stopped, atRest);
  expect(running(bench, await reach(bench, stopped, asked)).status).toBe("running");
});

type Shown = "none" | "failed";

/** A settled cluster that moves to another machine for so long: a word that is not known, and no replica runs. */
async function openMoving(replicas: Shown, ms: number) {
  let untilMs = 0;
  let now = () => 0;
  const moving = () => now() < untilMs;
  const word = <T extends ClusterRecord | undefined>(record: T): T =>
    record && moving() ? { ...record, status: "wandering" } : record;
  const bench = await openBench({
    client: (real) => ({
      getCluster: async (...args) => word(await real.getCluster(...args)),
      scaleCluster: async (...args) => word(await real.scaleCluster(...args)),
      listClusters: async (...args) => {
        const list = await real.listClusters(...args);
        return { ...list, clusters: list.clusters.map(word) };
      },
      getClusterStatus: async (...args) => {
        const status = await real.getClusterStatus(...args);
        if (!moving()) return status;
        const down = status.replicas.map((replica) => ({ ...replica, healthy: false, status: replicas }));
        return { status: "wandering", replicas: replicas === "none" ? [] : down };
      },
    }),
  });
  now = () => bench.clock.now();
  const made = await settle(bench, asked);
  await bench.clock.advance(3_600_000);
  forget(bench);
  const startMs = bench.clock.now();
  untilMs = startMs + ms;
  return { bench, made, tookMs: () => bench.clock.now() - startMs };
}

it.each<Shown>(["none", "failed"])(
  "a cluster that moves and shows replicas as %s, under a word that is not known, is left alone by a refresh, and waited for",
  async (shown) => {
    const { bench, made, tookMs } = await openMoving(shown, 60_000);
    const found = await refresh(bench, made);
    expect(tookMs()).toBeLessThan(2_000);
    expect(found.state).toMatchObject({ desiredStatus: "running", settled: false });
    expect(toDo(bench, found, asked)).toEqual(["settled"]);
    await reach(bench, found, asked, []);
    expect(tookMs()).toBeLessThan(90_000);
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
});
