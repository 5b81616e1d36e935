import type { Client } from "../../../provider/api/client";
import { type Bench, closeAll, countOf, forget, openBench, settle, writes } from "./harness";
import {
  asked,
  atRest,
  change,
  expectAtGoal,
  failingChange,
  redeploy,
  refresh,
  renaming,
  restart,
  running,
  scale,
  stop,
  warnings,
} from "./powerHarness";

afterEach(closeAll);

const runs = { ...asked, healthCheck: "list" };
const rests = { ...atRest, healthCheck: "list" };
const statuses = "GET /v1/clusters/:id/status";

/** Words of the service's own for some states. */
const ownWords =
  (names: Readonly<Record<string, string>>) =>
  (real: Client): Partial<Client> => {
    let client = real;
    for (const [from, to] of Object.entries(names)) client = { ...client, ...renaming(from, to)(client) };
    return client;
  };

const open = (client: (real: Client) => Partial<Client> = renaming("stopped", "offline"), more = {}) =>
  openBench({ client, ...more });

/** Settled, and then stopped, by the word alone. */
async function stopped(bench: Bench) {
  return change(bench, await settle(bench, runs), rests);
}

describe("a cluster whose word alone is believed, and whose word for stopped is not known,", () => {
  it("is stopped when that word has stayed for a minute", async () => {
    const bench = await open();
    const made = await settle(bench, runs);
    const startMs = bench.clock.now();
    const at = await change(bench, made, rests);
    expect(writes(bench.simulator)).toEqual([stop]);
    expect(bench.clock.now() - startMs).toBeGreaterThanOrEqual(60_000);
    expect(bench.clock.now() - startMs).toBeLessThan(90_000);
    expect(at.state).toMatchObject({ status: "offline", settled: true, readyReplicas: 0 });
    await expectAtGoal(bench, at, rests);
    expect(countOf(bench.simulator, statuses)).toBe(0);
  });

  it.each([
    ["restart-or-redeploy", [restart]],
    ["redeploy", [restart, redeploy]],
    ["scale", [restart, redeploy, scale]],
  ] as const)("is started by what changes that word (%s)", async (startedBy, calls) => {
    const bench = await open(undefined, { dialect: { startedBy } });
    const at = await change(bench, await stopped(bench), runs);
    expect(writes(bench.simulator)).toEqual(calls);
    expect(running(bench, at).status).toBe("running");
    await expectAtGoal(bench, at, runs);
  });

  it("takes a new env while it is stopped, at once, and runs it after its start", async () => {
    const bench = await open();
    const held = await stopped(bench);
    const startMs = bench.clock.now();
    const env = { MODEL: "another" };
    const changed = await change(bench, held, { ...rests, env });
    expect(bench.clock.now() - startMs).toBeLessThan(10_000);
    expect(running(bench, changed).status).toBe("stopped");
    const at = await change(bench, changed, { ...runs, env });
    expect(running(bench, at)).toMatchObject({ status: "running", env });
  });

  it("is started also where the word on its way up is not known either", async () => {
    const words = ownWords({ provisioning: "warming-up", stopped: "offline" });
    const bench = await open(words, { provisioningMs: 30_000 });
    const at = await change(bench, await stopped(bench), runs);
    expect(writes(bench.simulator)).toEqual([restart]);
    expect(running(bench, at).status).toBe("running");
  });
});

describe("a cluster whose word alone is believed, and does not tell that it is stopped,", () => {
  it("is not taken for stopped, and its wait says what is seen and what to do", async () => {
    // The stop is accepted, and nothing changes.
    const none = (real: Client): Partial<Client> => ({
      ...renaming("running", "serving")(real),
      stopCluster: async () => undefined,
    });
    const bench = await open(none);
    const seed = { name: "web", gpuType: "h100", replicas: 2, container: String(asked["container"]) };
    const { id } = bench.simulator.addCluster(seed);
    const { env: _env, ...inputs } = { ...rests, env: undefined, name: "web" };
    const held = { id, state: { ...runs, ...inputs, desiredStatus: "running", settled: true, __echo: {} } };
    const failed = await failingChange(bench, held, inputs);
    expect(failed.text).toMatch(/timed out after 20m: serving/);
    expect(failed.state["settled"]).toBe(false);
    expect(warnings(bench)).toEqual([
      expect.stringMatching(/nothing has changed for 5m\d*s?: serving\. The wait continues for 1\dm.*Ctrl-C/),
    ]);
  });
});

const startedByOthers: [string, number, Record<string, string>][] = [
  ["running", 180_000, {}],
  ["not known", 180_000, { running: "serving" }],
  ["not known on its way up", 5_000, { restarting: "warming-up" }],
];

describe.each(startedByOthers)(
  "a cluster that others have started again, whose word is %s after %i ms,",
  (_title, afterMs, names) => {
    it.each([true, false])("is not started once more (after a refresh: %s)", async (isRefreshed) => {
      const bench = await open(ownWords({ stopped: "offline", ...names }), { provisioningMs: 120_000 });
      const ctx = bench.ctx({ timeoutMs: 300_000 });
      const made = await bench.run(bench.cluster.create(ctx, runs).catch(({ id, state }) => ({ id, state })));
      const left = await change(bench, made, rests);
      expect(left.state).toMatchObject({ status: "offline", settled: true });
      await bench.run(bench.client.restartCluster(left.id));
      await bench.clock.advance(afterMs);
      const held = isRefreshed ? await refresh(bench, left) : left;
      forget(bench);
      const short = bench.ctx({ timeoutMs: 300_000 });
      await bench.run(bench.cluster.update(short, held.id, held.state, runs).catch(() => undefined));
      expect(writes(bench.simulator)).toEqual([]);
    });
  },
);

/** A service without `/status`; or one that has none of this cluster from the time at which it was settled. */
const without = [
  { status: 405, code: "method_not_allowed", isMissingFirst: true },
  { status: 404, code: "not_found", isMissingFirst: false },
];

describe.each(without)("a cluster without replicas to look at ($status)", ({ status, code, isMissingFirst }) => {
  const fault = { kind: "status", status, code, method: "GET", path: "/v1/clusters/*/status", times: 1e6 } as const;
  const settled = async (names: Record<string, string>) => {
    const bench = await open(ownWords({ stopped: "offline", ...names }), isMissingFirst ? { faults: [fault] } : {});
    const ctx = bench.ctx({ timeoutMs: 60_000 });
    const made = await bench.run(bench.cluster.create(ctx, asked).catch(({ id, state }) => ({ id, state })));
    if (!isMissingFirst) bench.simulator.fault(fault);
    return { bench, made };
  };

  it("is stopped once its new word, which is not known, has stayed for a minute, and started by what changes it", async () => {
    const { bench, made } = await settled({});
    const startMs = bench.clock.now();
    const at = await change(bench, made, atRest);
    expect(bench.clock.now() - startMs).toBeLessThan(90_000);
    expect(at.state).toMatchObject({ status: "offline", settled: true });
    await expectAtGoal(bench, at, atRest);
    forget(bench);
    const back = await bench.run(bench.cluster.update(bench.ctx(), at.id, at.state, asked).catch(({ state }) => state));
    expect(writes(bench.simulator)).toEqual([restart]);
    expect(back.status).toBe("running");
  });

  it.each([true, false])(
    "is not started once more where others started it (after a refresh: %s)",
    async (isRefreshed) => {
      const { bench, made } = await settled({ running: "serving" });
      const left = await change(bench, made, atRest);
      expect(left.state["settled"]).toBe(true);
      await bench.run(bench.client.restartCluster(left.id));
      await bench.clock.advance(120_000);
      const held = isRefreshed ? await refresh(bench, left) : left;
      forget(bench);
      const ctx = bench.ctx({ timeoutMs: 60_000 });
      await bench.run(bench.cluster.update(ctx, held.id, held.state, asked).catch(() => undefined));
      expect(writes(bench.simulator)).toEqual([]);
    },
  );
});
