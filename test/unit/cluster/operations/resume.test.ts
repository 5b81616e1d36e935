import { generatedName } from "../../../../provider/cluster/schema/validate";
import type { Properties, Resource } from "../../../../provider/contract";
import type { ForeignCluster } from "../../../../simulator";
import {
  type Fixture,
  type FixtureOptions,
  failureOf,
  forget,
  laterLists,
  living,
  openFixture,
  patch,
  writes,
} from "../harness";
import { canary, least, urnOf } from "../inputs";

const salt = "salt-7f3a9e51";
const urn = urnOf("web");
const name = generatedName(urn, "", salt);
const program: Properties = { ...least, replicas: 2, env: { MODEL: "llama" } };

function open(options: FixtureOptions = {}): Promise<Fixture> {
  return openFixture({ ...options, settings: { resume: salt, ...options.settings } });
}

/** Adds the cluster of a run that was killed before the state had its id. */
function leave(bench: Fixture, changes: Partial<ForeignCluster> = {}): string {
  const { gpuType, container, replicas, env } = program as unknown as ForeignCluster;
  const at = { createdAt: bench.clock.now() - 600_000 };
  return bench.simulator.addCluster({ name, gpuType, container, replicas, env, ...at, ...changes }).id;
}

/** One process, as the engine runs it for a resource that is not in its state. */
async function up(bench: Fixture, news: Properties = program, process: Resource = bench.as("seen")) {
  const { inputs, failures } = await bench.run(process.check(bench.ctx(), news));
  expect(failures).toEqual([]);
  return { process, inputs, ...(await bench.run(process.create(bench.ctx(), inputs))) };
}

async function preview(bench: Fixture, news: Properties = program) {
  const { failures } = await bench.run(bench.as("seen").check(bench.ctx(), news));
  return failures.map(({ reason }) => reason);
}

describe("a cluster that an interrupted run has created", () => {
  it("is adopted by the next run with a message, and no create request is sent", async () => {
    const bench = await open();
    const id = leave(bench);
    expect(await preview(bench)).toEqual([]);
    const message = `^info: web: adopts ${id} \\("${name}"\\), which an interrupted run has created .*: nothing is`;
    expect(bench.messages[0]).toMatch(new RegExp(message));
    const { id: held, state, process, inputs } = await up(bench);
    expect(held).toBe(id);
    expect(state).toMatchObject({ name, settled: true, __generatedName: true });
    expect(writes(bench.simulator)).toEqual([]);
    expect(await bench.run(process.diff(bench.ctx(), id, state, inputs))).toMatchObject({ changes: {} });
    expect(bench.messages.join()).not.toContain(salt);
  });

  it("is corrected like any adopted cluster if it has another env and the second type", async () => {
    const bench = await open();
    const id = leave(bench, { env: { MODEL: "other" }, createdAt: bench.clock.now() - 47 * 3_600_000 });
    const made = await up(bench, { ...program, gpuType: "h200", fallbackGpuTypes: ["h100"] });
    expect(made).toMatchObject({ id, state: { settled: true } });
    expect(writes(bench.simulator)).toEqual([patch]);
    expect(bench.simulator.cluster(id)).toMatchObject({ status: "running", env: program["env"] });
  });
});

describe("a cluster that is not certainly that of an interrupted run", () => {
  const hour = 3_600_000;
  const startMs = Date.parse("2030-01-01T00:00:00Z");
  const at = (ageHours: number) => ({ created_at: new Date(startMs - ageHours * hour).toISOString() });
  const container = least["container"];
  const record = { id: "cl_left", name, status: "running", gpu_type: "h100", replicas: 2, container, ...at(1) };
  const twin = { ...record, id: "cl_twin" };

  it.each<[string, object[], RegExp]>([
    ["it has a twin", [record, twin], /several clusters have the name/],
    ["the list is not complete", [record, { name: "no id" }], /the list of clusters is not complete/],
    ["its type differs", [{ ...record, gpu_type: "l4" }], /it has another `gpuType`/],
    ["its type is not reported", [{ ...record, gpu_type: undefined }], /the service does not show its GPU type/],
    ["its container differs", [{ ...record, container: "a/b:9" }], /it has another `container`/],
    ["it is stopped", [{ ...record, status: "stopped" }], /because it is stopped/],
    ["its age is not reported", [{ ...record, created_at: undefined }], /the service does not show its age/],
    ["it is 49 hours old", [{ ...record, ...at(49) }], /it is more than two days old/],
  ])("is refused with the reason: %s", async (_title, clusters, reason) => {
    const bench = await open({ faults: [laterLists(clusters, 0)] });
    const refusals = await preview(bench);
    expect(refusals).toEqual([expect.stringMatching(/is already the name of cl_left.*set `adopt: "/)]);
    expect(refusals[0]).toMatch(reason);
    expect(refusals[0]).toMatch(/gpucluster:resume does not adopt it, because /);
    expect(refusals[0]).not.toContain(salt);
  });

  it.each<[string, (bench: Fixture, id: string) => Promise<unknown>]>([
    [
      "the program adopts it",
      ({ cluster, ctx }, id) => cluster.check(ctx({ urn: urnOf("other") }), { ...least, name, adopt: id }),
    ],
    ["a refresh has read it", ({ cluster, ctx }, id) => cluster.read(ctx(), id, {})],
  ])("is refused: %s", async (_title, manage) => {
    const bench = await open();
    const id = leave(bench);
    await bench.run(manage(bench, id));
    const { failures } = await bench.run(bench.cluster.check(bench.ctx(), program));
    const reason = expect.stringMatching(/because the stack manages it already/);
    expect(failures).toContainEqual({ property: "name", reason });
  });
});

describe("a list that changes between the check and the creation", () => {
  it("shows a cluster that is not adopted: the reason hides a secret that its status quotes", async () => {
    const bench = await open();
    const process = bench.as("seen");
    const news = { ...program, env: { TOKEN: canary } };
    const { inputs } = await bench.run(process.check(bench.ctx(), news));
    const left = { id: "cl_left", name, status: `waits for ${canary}` };
    bench.simulator.fault({ kind: "body", path: "/v1/clusters", body: JSON.stringify([left]), times: 9 });
    await bench.clock.advance(31_000);
    const { message } = await bench.run(failureOf(process.create(bench.ctx(), inputs)));
    expect(message).toContain("gpucluster:resume does not adopt it, because it is waits for [secret]");
    expect(message).not.toContain(canary);
  });

  it("shows the cluster of an interrupted run, which is adopted", async () => {
    const bench = await open();
    const process = bench.as("seen");
    const { inputs } = await bench.run(process.check(bench.ctx(), program));
    const id = leave(bench);
    await bench.clock.advance(31_000);
    expect(await bench.run(process.create(bench.ctx(), inputs))).toMatchObject({ id, state: { settled: true } });
    expect(writes(bench.simulator)).toEqual([]);
    expect(bench.messages.join()).toContain(`${id}): adopted, because an interrupted run has created it`);
  });

  it("hides another container, so the record decides: the cluster is not adopted, and nothing is created", async () => {
    const bench = await open();
    const id = leave(bench, { container: "a/b:9" });
    bench.simulator.fault(
      laterLists([{ id, name, status: "running", gpu_type: "h100", created_at: new Date(bench.clock.now()) }], 0),
    );
    const process = bench.as("seen");
    const { inputs, failures } = await bench.run(process.check(bench.ctx(), program));
    const reason = expect.stringMatching(/gpucluster:resume does not adopt it, because it has another `container`$/);
    expect([failures, bench.messages]).toEqual([[{ property: "name", reason }], []]);
    const { message } = await bench.run(failureOf(process.create(bench.ctx(), inputs)));
    expect(message).toMatch(/was not adopted: it has another `container`/);
    expect(writes(bench.simulator)).toEqual([]);
  });
});

describe("a replacement whose old name the engine does not give, as with --replace,", () => {
  it("replaces and deletes nothing, even in later runs", async () => {
    const bench = await open();
    const old = await up(bench);
    forget(bench);
    const again = await up(bench);
    expect(again.id).toBe(old.id);
    const remove = (process: Resource) => bench.run(process.delete(bench.ctx(), old.id, old.state));
    await remove(again.process);
    const later = bench.as("seen");
    const { inputs } = await bench.run(later.check(bench.ctx(), program, again.inputs));
    await bench.run(later.diff(bench.ctx(), again.id, again.state, inputs));
    await bench.run(later.read(bench.ctx(), old.id, old.state));
    await remove(later);
    expect(writes(bench.simulator)).toEqual([]);
    const text = /not deleted, because this resource has adopted the same cluster, so it is not replaced: `--replace`/;
    expect(bench.messages.filter((line) => text.test(line))).toHaveLength(2);
    await bench.run(bench.as("seen").delete(bench.ctx(), again.id, again.state));
    expect(living(bench.simulator)).toEqual([]);
  });

  it("creates a new cluster if the old one is deleted first", async () => {
    const bench = await open();
    const old = await up(bench);
    const process = bench.as("seen");
    const news = { ...program, __deleteBeforeReplace: true };
    const { inputs, failures } = await bench.run(process.check(bench.ctx(), news));
    expect(failures).toEqual([]);
    expect(bench.messages.join("\n")).toMatch(/adopts cl_.*, unless a replacement deletes it first/);
    await bench.run(process.delete(bench.ctx(), old.id, old.state));
    const next = await bench.run(process.create(bench.ctx(), inputs));
    expect(living(bench.simulator).map(({ id }) => id)).toEqual([next.id]);
    expect(next.id).not.toBe(old.id);
  });
});
