import type { Client } from "../../../provider/api/client";
import { type Bench, closeAll, countOf, openBench, settle, writes } from "./harness";
import {
  asked,
  atRest,
  change,
  expectAtGoal,
  failingChange,
  redeploy,
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
    const words = (real: Client): Partial<Client> => {
      const inner = { ...real, ...renaming("provisioning", "warming-up")(real) };
      return { ...inner, ...renaming("stopped", "offline")(inner) };
    };
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
    expect(failed.text).toMatch(/timed out after 20m\n +seen: serving/);
    expect(failed.state["settled"]).toBe(false);
    expect(warnings(bench)).toEqual([
      expect.stringMatching(/nothing has changed for 5m\d*s?: serving\. The wait goes on for 1\dm.*Ctrl-C/),
    ]);
  });
});
