import type { Properties } from "../../../provider/core";
import { type BenchOptions, closeAll, failureOf, forget, openBench, settle, writes } from "./harness";
import {
  asked,
  atRest,
  expectAtGoal,
  failingChange,
  restart,
  running,
  settleStopped,
  stop,
  warnings,
} from "./powerHarness";

afterEach(closeAll);

const kept: Properties = { ...asked, deletionPolicy: "stop" };
const remove = "DELETE /v1/clusters/:id";

async function openKept(options: BenchOptions = {}) {
  const bench = await openBench(options);
  return { bench, ...(await settle(bench, kept)) };
}

/** The one line that says what becomes of it. */
const farewell = (id: string) =>
  `warning: cluster "web" (${id}): stopped and not deleted, because of \`deletionPolicy: "stop"\`. It may still be billed. ` +
  `To start and manage it again, set \`adopt: "${id}"\``;

describe("a resource whose deletionPolicy is stop", () => {
  it("leaves a stopped cluster, says which, and how to take it up again, which starts it", async () => {
    const { bench, id, state } = await openKept();
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect(writes(bench.simulator)).toEqual([stop]);
    expect(running(bench, { id, state }).status).toBe("stopped");
    expect(warnings(bench)).toEqual([farewell(id)]);
    forget(bench);
    const inputs = { ...kept, adopt: id };
    const at = await bench.run(bench.as("seen").create(bench.ctx(), inputs));
    expect(writes(bench.simulator)).toEqual([restart]);
    await expectAtGoal(bench, at, inputs);
  });

  it.each([
    ["is stopped", "stopped", []],
    ["has failed", "failed", [stop]],
  ] as const)("leaves it stopped where it %s already", async (_title, status, calls) => {
    const { bench, id, state } = await openKept();
    bench.simulator.change(id, { status });
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect(writes(bench.simulator)).toEqual(calls);
    expect(running(bench, { id, state }).status).toBe("stopped");
    expect(warnings(bench)).toEqual([farewell(id)]);
  });

  it("that shall be stopped anyway is left alone", async () => {
    const bench = await openBench();
    const { id, state } = await settleStopped(bench, { ...atRest, deletionPolicy: "stop" });
    forget(bench);
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect(writes(bench.simulator)).toEqual([]);
    expect(warnings(bench)).toEqual([farewell(id)]);
  });

  it.each(["never", "changing"] as const)("stops it in the middle of its provisioning (busy: %s)", async (busyWhen) => {
    const bench = await openBench({ dialect: { busyWhen }, provisioningMs: 120_000 });
    const made = bench.run(bench.cluster.create(bench.ctx({ timeoutMs: 5_000 }), kept));
    const { id, state } = await made.catch((error: { id: string; state: Properties }) => error);
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect(running(bench, { id, state }).status).toBe("stopped");
    expect(writes(bench.simulator)).not.toContain(remove);
  });

  it("is content where the cluster is gone, and nothing is left to stop", async () => {
    const { bench, id, state } = await openKept();
    bench.simulator.change(id, { status: "gone" });
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect(writes(bench.simulator)).toEqual([]);
    expect(warnings(bench)).toEqual([]);
  });

  it("is content where the cluster is being deleted by somebody", async () => {
    const { bench, id, state } = await openKept({ deletionMs: 600_000 });
    await bench.client.deleteCluster(id);
    forget(bench);
    await bench.run(bench.cluster.delete(bench.ctx(), id, state));
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("takes no 404 of another key for gone", async () => {
    const { bench, id, state } = await openKept();
    bench.simulator.change(id, { status: "gone" });
    const error = await bench.run(failureOf(bench.as("other").delete(bench.ctx(), id, state)));
    expect(error.message).toContain(`cluster "web" (${id}) is not known to this service and API key`);
  });

  it.each([
    ["refused", { kind: "status", status: 422, message: "not now" }, /was not stopped: POST .*: not now \(/],
    ["forbidden", { kind: "status", status: 403 }, /was not stopped: POST .*HTTP 403/],
  ] as const)("keeps its entry where the stop is %s", async (_title, fault, text) => {
    const { bench, id, state } = await openKept();
    bench.simulator.fault({ ...fault, path: "**/stop", times: 9 });
    const error = await bench.run(failureOf(bench.cluster.delete(bench.ctx(), id, state)));
    expect(error.message).toMatch(text);
    expect(error.message).toContain(`cluster "web" (${id})`);
    expect(running(bench, { id, state }).status).toBe("running");
    expect(writes(bench.simulator)).not.toContain(remove);
    expect(warnings(bench)).toEqual([]);
  });

  it("keeps its entry where the stop takes longer than the operation may", async () => {
    const { bench, id, state } = await openKept({ deletionMs: 3_600_000 });
    const startMs = bench.clock.now();
    const error = await bench.run(failureOf(bench.cluster.delete(bench.ctx({ timeoutMs: 120_000 }), id, state)));
    expect(error.message).toMatch(/was not stopped: timed out after 2m: stopping/);
    expect(bench.clock.now() - startMs).toBeLessThanOrEqual(120_000);
  });

  it("is the one of the state, not of the program: its change takes an update without a request", async () => {
    const bench = await openBench();
    const { id, state } = await settle(bench, asked);
    bench.simulator.requests.length = 0;
    const next = await bench.run(bench.cluster.update(bench.ctx(), id, state, kept));
    expect(bench.simulator.requests).toEqual([]);
    await bench.run(bench.cluster.delete(bench.ctx(), id, next));
    expect(running(bench, { id, state }).status).toBe("stopped");
  });

  it("is kept by an update that fails", async () => {
    const bench = await openBench();
    const made = await settle(bench, asked);
    bench.simulator.fault({ kind: "status", status: 422, path: "**/scale" });
    const failed = await failingChange(bench, made, { ...kept, replicas: 4 });
    expect(failed.state).toMatchObject({ deletionPolicy: "stop", settled: false });
  });
});
