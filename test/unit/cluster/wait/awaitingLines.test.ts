import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type Bench, closeAll, countOf, initErrorOf, openBench, settle } from "../harness";
import { canary } from "../inputs";
import * as power from "../powerHarness";

const {
  asked,
  atRest,
  change,
  expectAtGoal,
  failingChange,
  noStatus,
  renaming,
  running,
  settleStopped,
  toDo,
  warnings,
} = power;
type Held = power.Held;

afterEach(closeAll);

const four: Properties = { ...asked, replicas: 4 };
const oneCluster = { method: "GET", path: "/v1/clusters/*" } as const;
const statusPath = { method: "GET", path: "/v1/clusters/*/status" } as const;

/** Each text with the time at which it was said, in seconds of the operation. */
function timed(bench: Bench) {
  const lines: [number, string][] = [];
  const startMs = bench.clock.now();
  const status = (text: string) => void lines.push([(bench.clock.now() - startMs) / 1000, text]);
  return { lines, status };
}

const create = (bench: Bench, inputs: Properties = asked) => bench.run(bench.cluster.create(bench.ctx(), inputs));

describe("the status line", () => {
  it("comes at the start, on each change, and each 15 s, and says how much of the time is over", async () => {
    const bench = await openBench({ provisioningMs: 120_000 });
    const { lines, status } = timed(bench);
    await bench.run(bench.cluster.create(bench.ctx({ status }), four));
    const progress = lines.filter(([, text]) => text.includes(" of "));
    for (const [seconds, text] of progress) {
      expect(text).toMatch(/^(\d\/4 replicas healthy, provisioning|provisioning), (\dm)?(\d\ds?|\ds)? ?.*of 60m$/);
      expect(text).toContain(seconds < 60 ? `${Math.round(seconds)}s of` : "1m");
    }
    expect(progress[0]?.[0]).toBeLessThanOrEqual(2);
    const pauses = progress.slice(1).map(([seconds], index) => seconds - (progress[index]?.[0] ?? 0));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(15 + 10);
    const counts = new Set(progress.map(([, text]) => text[0]));
    expect([...counts]).toEqual(["0", "1", "2", "3"]);
    expect(lines.at(-1)?.[1]).toBe("4/4 replicas healthy");
  });

  it("says the same for a stop and a start, and at the end what they came to", async () => {
    const bench = await openBench({ deletionMs: 60_000, provisioningMs: 60_000 });
    const made = await settle(bench, asked);
    const stopped = await change(bench, made, atRest, { timeoutMs: 300_000 });
    expect(bench.said).toContainEqual(expect.stringMatching(/^status: stopping, \d+s of 5m$/));
    expect(bench.said.at(-1)).toBe("status: stopped");
    await change(bench, stopped, asked);
    expect(bench.said).toContain("status: starting, by restart");
    expect(bench.said).toContainEqual(
      expect.stringMatching(/^status: 1\/2 replicas healthy, restarting, \d+s of 20m$/),
    );
    expect(bench.said.at(-1)).toBe("status: 2/2 replicas healthy");
  });

  it("shows a word that nobody knows, and waits on", async () => {
    const bench = await openBench({ client: renaming("provisioning", "warming the ovens"), provisioningMs: 60_000 });
    const made = await create(bench);
    expect(bench.said).toContainEqual(expect.stringMatching(/^status: 1\/2 replicas healthy, warming the ovens, /));
    await expectAtGoal(bench, made, asked);
  });
});

describe("nothing that passes ends a wait:", () => {
  it.each<[string, Fault[]]>([
    ["a replica that flaps", [{ kind: "flap", replica: 1, periodMs: 20_000, flaps: 3 }]],
    ["a cluster that is not shown yet", [{ kind: "hidden", ms: 25_000 }]],
    ["errors of the service", [{ ...oneCluster, kind: "status", status: 500, times: 5, after: 2 }]],
    ["errors of /status", [{ ...statusPath, kind: "status", status: 503, times: 5, after: 1 }]],
    ["connections that break", [{ ...oneCluster, kind: "drop", times: 4, after: 2 }]],
    ["answers that end in the middle", [{ ...statusPath, kind: "truncate", times: 4 }]],
    ["web pages of a gateway", [{ ...oneCluster, kind: "html", status: 502, times: 4, after: 1 }]],
    ["one refusal of the key", [{ ...oneCluster, kind: "status", status: 401, times: 1, after: 1 }]],
    ["a 404 between other answers", [{ ...oneCluster, kind: "status", status: 404, times: 1, after: 2 }]],
    ["a rate limit", [{ ...oneCluster, kind: "status", status: 429, times: 3, after: 1 }]],
  ])("%s", async (_title, faults) => {
    for (const more of [[], [noStatus]]) {
      const bench = await openBench({ faults: [...faults, ...more], provisioningMs: 40_000 });
      const made = await create(bench);
      expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(1);
      await bench.clock.advance(300_000);
      await expectAtGoal(bench, made, asked);
    }
  });

  it("a replica that flaps once it was healthy is no drift when it is well again", async () => {
    const bench = await openBench({ faults: [{ kind: "flap", replica: 0, periodMs: 20_000, flaps: 1 }] });
    const made = await create(bench);
    await bench.clock.advance(20_000);
    const sick = await power.refresh(bench, made);
    expect(toDo(bench, sick, asked)).toEqual(["settled"]);
    await bench.clock.advance(60_000);
    expect(toDo(bench, await power.refresh(bench, sick), asked)).toEqual([]);
  });
});

describe("a list that lags 15 s behind, where several wait,", () => {
  const lagging = { listLagMs: 15_000, provisioningMs: 40_000, deletionMs: 5_000 };
  const web = (news: Properties) => ["web-a", "web-b"].map((name): Properties => ({ ...news, name }));

  /** Creates both, or changes both. */
  async function both(bench: Bench, news: Properties, held: readonly Held[] = []): Promise<Held[]> {
    const work = web(news).map(async (inputs, index) => {
      const { id, state } = held[index] ?? {};
      if (!id || !state) return bench.cluster.create(bench.ctx(), inputs);
      return { id, state: await bench.cluster.update(bench.ctx(), id, state, inputs) };
    });
    return bench.run(Promise.all(work));
  }

  it("neither ends a start with the stop before it, nor a roll-out with the failure before it", async () => {
    const bench = await openBench(lagging);
    const stopped = await both(bench, atRest, await both(bench, asked));
    await bench.clock.advance(20_000);
    const up = await both(bench, asked, stopped);
    for (const at of up) expect(running(bench, at).status).toBe("running");
    for (const { id } of up) bench.simulator.change(id, { status: "failed", message: "node lost" });
    await bench.clock.advance(20_000);
    const env = { MODEL: "another" };
    const healed = await both(bench, { ...asked, env }, up);
    for (const at of healed) expect(running(bench, at)).toMatchObject({ status: "running", env });
  });

  it("neither ends a restart before it has begun, where the word is all that is looked at", async () => {
    const bench = await openBench({ ...lagging, faults: [noStatus] });
    const made = await both(bench, asked);
    await bench.clock.advance(20_000);
    const startMs = bench.clock.now();
    await both(bench, { ...asked, restartTriggers: ["b"] }, made);
    expect(bench.clock.now() - startMs).toBeGreaterThanOrEqual(40_000);
  });
});

describe("a failed state", () => {
  it.each<[string, Fault[]]>([
    ["the replicas", []],
    ["the status word", [noStatus]],
  ])("ends the wait at the next look (health by %s)", async (_health, faults) => {
    const bench = await openBench({ faults, provisioningMs: 600_000 });
    const { lines, status } = timed(bench);
    void bench.clock.sleep(100_000).then(() => {
      for (const { id } of bench.simulator.clusters())
        bench.simulator.change(id, { status: "failed", message: "no node" });
    });
    const startMs = bench.clock.now();
    const error = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ status }), asked)));
    expect(bench.clock.now() - startMs).toBeLessThanOrEqual(111_000);
    expect(error.reasons[0]).toMatch(/was created, but is not ready: it is failed\n/);
    expect(lines.length).toBeGreaterThan(4);
  });
});

describe("a timeout", () => {
  const endless = { provisioningMs: 36_000_000, deletionMs: 36_000_000 };

  it.each<[string, Properties]>([
    ["a scale", four],
    ["an env", { ...asked, env: { MODEL: "another" } }],
    ["a trigger", { ...asked, restartTriggers: [1] }],
    ["a stop", atRest],
    ["a start", asked],
  ])("of %s is honoured to within one look", async (title, wanted) => {
    for (const timeoutMs of [3_000, 95_000]) {
      const bench = await openBench(endless);
      const made = await settle(bench, { ...asked, skipAwait: true });
      if (title === "a start") bench.simulator.change(made.id, { status: "stopped" });
      const awaited = { ...made, state: { ...made.state, skipAwait: false } };
      const held = title === "a start" ? await power.refresh(bench, awaited) : made;
      const startMs = bench.clock.now();
      const failed = await failingChange(bench, held, wanted, { timeoutMs });
      expect(bench.clock.now() - startMs).toBeLessThanOrEqual(timeoutMs + 3_000);
      expect(failed.text).toMatch(/timed out after/);
    }
  });

  it("ends the attempts to start what does not start", async () => {
    const bench = await openBench({ dialect: { actionAnswer: "empty" }, client: () => ignoring() });
    const stopped = await settleStopped(bench);
    const startMs = bench.clock.now();
    const failed = await failingChange(bench, stopped, asked, { timeoutMs: 5_000 });
    expect(bench.clock.now() - startMs).toBeLessThanOrEqual(6_000);
    expect(failed.text).toMatch(/timed out\n.*\n +restart: accepted, but the cluster stays stopped/);
  });
});

/** A service that accepts every start and does nothing. */
function ignoring() {
  const accepted = async () => undefined;
  return { restartCluster: accepted, redeployCluster: accepted, scaleCluster: accepted };
}

describe("a failure", () => {
  it("says cluster, id, states, each sick replica with its reason, and what is next, one line each", async () => {
    const bench = await openBench({
      provisioningMs: 30_000,
      faults: [
        { kind: "sick-replica", replica: 1, message: `cannot pull: ${canary}` },
        { ...oneCluster, kind: "status", status: 503, message: "try later", after: 6, times: 1 },
      ],
    });
    const error = await bench.run(initErrorOf(bench.cluster.create(bench.ctx({ timeoutMs: 120_000 }), asked)));
    const { id } = error;
    expect(error.reasons).toHaveLength(1);
    const lines = error.reasons[0].split("\n").map((line) => line.trim());
    expect(lines).toEqual([
      `cluster "web" (${id}) was created, but is not ready: timed out after 2m: 1/2 replicas healthy, provisioning`,
      "It is kept in the state: run `pulumi up` again to continue from here",
      expect.stringMatching(
        /^seen: 0\/2 replicas healthy, provisioning \(\d+ times\), then 1\/2 replicas healthy, provisioning/,
      ),
      expect.stringMatching(
        /^the last poll that failed: GET \/v1\/clusters\/cl_\w+ for cluster "web" \(cl_\w+\): try later /,
      ),
      expect.stringMatching(/^replica rep_\S+: unhealthy, cannot pull: \[secret\]$/),
    ]);
    expect(error.reasons.join()).not.toContain(canary);
    expect(error.reasons.join()).not.toMatch(/ {4}at |\.ts:\d/);
  });

  it("of a start says what each attempt came to", async () => {
    const bench = await openBench({ client: () => ignoring() });
    const failed = await failingChange(bench, await settleStopped(bench), asked);
    expect(failed.text.split("\n").map((line) => line.trim())).toEqual([
      `cluster "web" (${failed.id}) was not changed completely: it does not start`,
      "It is kept in the state: run `pulumi up` again to continue from here",
      "restart: accepted, but the cluster stays stopped",
      "redeploy: accepted, but the cluster stays stopped",
      "scale: accepted, but the cluster stays stopped",
    ]);
  });
});

describe("a wait in which nothing changes", () => {
  it.each<[string, string, number]>([
    ["five minutes, where no word says that it is on its way", "glowing", 5],
    ["half of its time, where a word says so", "provisioning", 30],
  ])("says once, after %s, what it sees and what can be done", async (_title, word, minutes) => {
    const bench = await openBench({ client: renaming("provisioning", word), provisioningMs: 4 * 3_600_000 });
    await bench.run(bench.cluster.create(bench.ctx({ timeoutMs: 3_600_000 }), asked).catch(() => undefined));
    expect(warnings(bench)).toHaveLength(1);
    const [text = ""] = warnings(bench);
    expect(text).toMatch(/^warning: cluster "web" \(cl_\w+\): nothing has changed for (\d+)m/);
    expect(Number(/for (\d+)m/.exec(text)?.[1])).toBe(minutes);
    expect(text).toContain(`0/2 replicas healthy, ${word}`);
    expect(text).toMatch(/The wait continues for \d+m\d*s?\. Check the cluster .*Ctrl-C/);
  });

  it("says nothing while replicas come up one after the other", async () => {
    const bench = await openBench({ client: renaming("provisioning", "glowing"), provisioningMs: 16 * 60_000 });
    bench.simulator.setGpuType("h100", { stock: 64 });
    await bench.run(bench.cluster.create(bench.ctx({ timeoutMs: 3_600_000 }), { ...asked, replicas: 8 }));
    expect(warnings(bench)).toEqual([]);
  });

  it("says so also where no look succeeds", async () => {
    const bench = await openBench();
    const made = await settle(bench, asked);
    bench.simulator.fault({ kind: "status", status: 500, method: "GET", after: 1, times: 100_000 });
    await failingChange(bench, made, { ...asked, replicas: 3 }).catch(() => undefined);
    expect(warnings(bench)).toEqual([expect.stringMatching(/nothing has changed for 5m\d*s?: cannot poll: .*500/)]);
  });

  it("is no word of a short one", async () => {
    const bench = await openBench();
    await change(bench, await settle(bench, asked), { ...asked, replicas: 3 });
    expect(warnings(bench)).toEqual([]);
  });
});
