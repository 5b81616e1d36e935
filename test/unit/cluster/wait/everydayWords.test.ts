import { isRecord } from "../../../../provider/contract";
import { getClusterStatus } from "../../../../provider/functions/clusters";
import { type Bench, type BenchOptions, closeAll, forget, initErrorOf, openBench, settle, writes } from "../harness";
import { asked, atRest, change, expectAtGoal, type Held, reach, refresh, stop, toDo, warnings } from "../powerHarness";

afterEach(closeAll);

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

const doctor = /`npx pulumi-gpucluster doctor` shows what is understood of this service$/;

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

it.each<[string, Words]>([
  ["a cluster that is up", { cluster: whileRunning("up") }],
  ["a cluster that is ONLINE", { cluster: whileRunning("ONLINE") }],
  ["replicas that are UP", { replica: ofHealthy({ status: "UP" }) }],
  ["replicas whose health passes", { replica: ofHealthy({ health: { status: "pass" } }) }],
  ["replicas that serve", { cluster: whileRunning("operational"), replica: ofHealthy({ state: "serving" }) }],
  ["a health that nobody knows beside a word", { replica: ofHealthy({ status: "live", health: "brewed" }) }],
])("%s needs no wait and no warning", async (_title, words) => {
  const { bench, made, tookMs } = await create(words);
  expect(tookMs).toBeLessThan(upMs + 3_000);
  expect(warnings(bench)).toEqual([]);
  expect(made.state).toMatchObject({ settled: true, readyReplicas: 2 });
});

describe.each<[string, Words, string]>([
  ["a word that nobody knows beside healthy replicas", { cluster: whileRunning("whirring") }, '"whirring"'],
  ["replicas whose words nobody knows", { replica: ofHealthy({ status: "brewed" }) }, '"brewed"'],
  [
    "one such replica",
    { replica: (own) => (String(own["id"]).endsWith("1") ? ofHealthy({ status: "brewed" })(own) : own) },
    '"brewed"',
  ],
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

it.each([
  ["running", true],
  ["whirring", false],
])(
  "a data function shows replicas of a cluster that says %s, whose words nobody knows, as healthy: %s",
  async (word, healthy) => {
    const words = { cluster: whileRunning(word), replica: ofHealthy({ status: "brewed" }) };
    const bench = await openBench(saying(words));
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "h100", replicas: 2, container: "a/b:1" });
    const { replicas, readyReplicas } = await bench.run(getClusterStatus(bench.client, { id }));
    expect(replicas.map((replica) => replica.healthy)).toEqual([healthy, healthy]);
    expect(readyReplicas).toBe(healthy ? 2 : 0);
  },
);

it("words that change start the time again", async () => {
  const replica = (own: Json, nth: number) =>
    ofHealthy({ status: nth < 60 ? `brewed-${"x".repeat(nth % 2)}` : "brewed" })(own);
  const { tookMs } = await create({ replica });
  expect(tookMs).toBeGreaterThan(upMs + 60_000);
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

  it("quotes no secret", async () => {
    const env = { TOKEN: "whirring-for-secret-reasons" };
    const { text } = await failToCreate(
      { ...words, cluster: () => "WHIRRING whirring-for-secret-reasons" },
      { ...asked, env },
    );
    expect(text).toMatch(/the service shows "WHIRRING \[secret\]"/);
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
  ["a replica whose health fails", { replica: always({ status: "UP", health: { status: "fail" } }) }],
  ["a replica with a flag that says no", { replica: (own) => ({ ...own, status: "brewed", ready: false }) }],
  ["a replica that is offline", { replica: always({ status: "offline" }) }],
  ["a replica that starts", { replica: always({ status: "ContainerCreating" }) }],
  ["a bad word deep inside", { replica: always({ status: "brewed", pod: { containers: [{ state: "oom_killed" }] } }) }],
  ["a cluster that is down", { cluster: whileRunning("down") }],
  ["a cluster that is degraded", { cluster: whileRunning("DEGRADED") }],
  [
    "a word that nobody knows, and a replica that starts",
    { cluster: () => "whirring", replica: always({ status: "init" }) },
  ],
  ["a word that nobody knows, and a bad one", { cluster: () => "whirring", replica: always({ status: "lost" }) }],
])("%s is never ready, however long nothing changes", async (_title, words) => {
  const { bench, failed, text } = await failToCreate(words, asked, 900_000);
  expect(text).toContain("timed out after 15m");
  expect(failed.state["settled"]).toBe(false);
  // The stall is said once; nothing is said to be ready.
  expect(warnings(bench)).toEqual([expect.stringMatching(/nothing has changed for/)]);
});

it.each(["offline", "halted", "Exited", "powered_off", "deallocated"])(
  "a stop ends under the word %s",
  async (word) => {
    const bench: Bench = await openBench(saying({ cluster: (own) => (own === "stopped" ? word : own) }));
    const made = await settle(bench, asked);
    forget(bench);
    const at = await reach(bench, made, atRest, [stop]);
    expect(at.state).toMatchObject({ status: word, settled: true });
    await reach(bench, at, asked);
  },
);

it.each(["destroyed", "removed", "gone", "released", "deprovisioned"])(
  "a deletion ends under the word %s",
  async (word) => {
    let isDeleted = false;
    const bench = await openBench({
      ...saying({ cluster: (own) => (isDeleted ? word : own) }),
      deletionMs: hourMs,
    });
    const made = await settle(bench, asked);
    const work = bench.cluster.delete(bench.ctx(), made.id, made.state);
    isDeleted = true;
    const startMs = bench.clock.now();
    await bench.run(work);
    expect(writes(bench.simulator)).toEqual(["DELETE /v1/clusters/:id"]);
    expect(bench.clock.now() - startMs).toBeLessThan(10_000);
  },
);

it.each(["removed", "gone", "released"])("a cluster that says %s of itself is not forgotten", async (word) => {
  let isSaid = false;
  const bench = await openBench(saying({ cluster: (own) => (isSaid ? word : own) }));
  const made = await settle(bench, asked);
  isSaid = true;
  expect((await refresh(bench, made)).state).toMatchObject({ status: word, settled: false });
});
