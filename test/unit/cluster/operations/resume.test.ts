import { generatedName } from "../../../../provider/cluster/schema/validate";
import type { Properties, Resource } from "../../../../provider/contract";
import type { ForeignCluster } from "../../../../simulator";
import { type Fixture, type FixtureOptions, failureOf, laterLists, openFixture, patch } from "../harness";
import { canary, least, urnOf } from "../inputs";

const salt = "salt-7f3a9e51";
const urn = urnOf("web");
const name = generatedName(urn, "", salt);
const program: Properties = { ...least, replicas: 2, env: { MODEL: "llama" } };

function open(options: FixtureOptions = {}): Promise<Fixture> {
  return openFixture({ ...options, settings: { resume: salt, ...options.settings } });
}

/** Adds the cluster of a run that was killed before the state had its id. */
function leave(fixture: Fixture, changes: Partial<ForeignCluster> = {}): string {
  const { gpuType, container, replicas, env } = program as unknown as ForeignCluster;
  const at = { createdAt: fixture.clock.now() - 600_000 };
  return fixture.simulator.addCluster({ name, gpuType, container, replicas, env, ...at, ...changes }).id;
}

/** One process, as the engine runs it for a resource that is not in its state. */
async function up(fixture: Fixture, news: Properties = program, process: Resource = fixture.as("seen")) {
  const { inputs, failures } = await fixture.run(process.check(fixture.ctx(), news));
  expect(failures).toEqual([]);
  return { process, inputs, ...(await fixture.run(process.create(fixture.ctx(), inputs))) };
}

async function preview(fixture: Fixture, news: Properties = program) {
  const { failures } = await fixture.run(fixture.as("seen").check(fixture.ctx(), news));
  return failures.map(({ reason }) => reason);
}

describe("a cluster that an interrupted run has created", () => {
  it("is adopted by the next run with a message, and no create request is sent", async () => {
    const fixture = await open();
    const id = leave(fixture);
    expect(await preview(fixture)).toEqual([]);
    const message = `^info: web: adopts ${id} \\("${name}"\\), which an interrupted run has created: nothing is`;
    expect(fixture.messages[0]).toMatch(new RegExp(message));
    const { id: held, state, process, inputs } = await up(fixture);
    expect(held).toBe(id);
    expect(state).toMatchObject({ name, settled: true, __generatedName: true });
    expect(fixture.writes()).toEqual([]);
    expect(await fixture.run(process.diff(fixture.ctx(), id, state, inputs))).toMatchObject({ changes: {} });
    expect(fixture.messages.join()).not.toContain(salt);
  });

  it("is corrected like any adopted cluster if it has another env and the second type", async () => {
    const fixture = await open();
    const id = leave(fixture, { env: { MODEL: "other" }, createdAt: fixture.clock.now() - 47 * 3_600_000 });
    const made = await up(fixture, { ...program, gpuType: "h200", fallbackGpuTypes: ["h100"] });
    expect(made).toMatchObject({ id, state: { settled: true } });
    expect(fixture.writes()).toEqual([patch]);
    expect(fixture.simulator.cluster(id)).toMatchObject({ status: "running", env: program["env"] });
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
    const fixture = await open({ faults: [laterLists(clusters, 0)] });
    const refusals = await preview(fixture);
    expect(refusals).toEqual([expect.stringMatching(/is already the name of cl_left.*set `adopt: "/)]);
    expect(refusals[0]).toMatch(reason);
    expect(refusals[0]).toMatch(/gpucluster:resume does not adopt it, because /);
    expect(refusals[0]).not.toContain(salt);
  });

  it("is refused: a refresh has read it", async () => {
    const fixture = await open();
    await fixture.read({ id: leave(fixture), state: {} });
    const { failures } = await fixture.run(fixture.cluster.check(fixture.ctx(), program));
    const reason = expect.stringMatching(/because the stack manages it already/);
    expect(failures).toEqual([{ property: "name", reason }]);
  });

  it("is refused: the program adopts it for another resource, which the reason names", async () => {
    const fixture = await open();
    const adopting = { ...least, name, adopt: leave(fixture) };
    await fixture.run(fixture.cluster.check(fixture.ctx({ urn: urnOf("other") }), adopting));
    const { failures } = await fixture.run(fixture.cluster.check(fixture.ctx(), program));
    const reason = expect.stringMatching(/^the resource .*::other has the name .* too/);
    expect(failures).toEqual([{ property: "name", reason }]);
  });
});

describe("a list that changes between the check and the creation", () => {
  it("shows a cluster that is not adopted: the reason hides a secret that its status quotes", async () => {
    const fixture = await open();
    const process = fixture.as("seen");
    const news = { ...program, env: { TOKEN: canary } };
    const { inputs } = await fixture.run(process.check(fixture.ctx(), news));
    const left = { id: "cl_left", name, status: `waits for ${canary}` };
    fixture.simulator.fault({ kind: "body", path: "/v1/clusters", body: JSON.stringify([left]), times: 9 });
    await fixture.clock.advance(31_000);
    const { message } = await fixture.run(failureOf(process.create(fixture.ctx(), inputs)));
    expect(message).toContain("gpucluster:resume does not adopt it, because it is waits for [secret]");
    expect(message).not.toContain(canary);
  });

  it("shows the cluster of an interrupted run, which is adopted", async () => {
    const fixture = await open();
    const process = fixture.as("seen");
    const { inputs } = await fixture.run(process.check(fixture.ctx(), program));
    const id = leave(fixture);
    await fixture.clock.advance(31_000);
    expect(await fixture.run(process.create(fixture.ctx(), inputs))).toMatchObject({ id, state: { settled: true } });
    expect(fixture.writes()).toEqual([]);
    expect(fixture.messages.join()).toContain(`${id}): adopted, because an interrupted run has created it`);
  });

  it("hides another container, so the record decides: the cluster is not adopted, and nothing is created", async () => {
    const fixture = await open();
    const id = leave(fixture, { container: "a/b:9" });
    fixture.simulator.fault(
      laterLists([{ id, name, status: "running", gpu_type: "h100", created_at: new Date(fixture.clock.now()) }], 0),
    );
    const process = fixture.as("seen");
    const { inputs, failures } = await fixture.run(process.check(fixture.ctx(), program));
    const reason = expect.stringMatching(/gpucluster:resume does not adopt it, because it has another `container`$/);
    expect([failures, fixture.messages]).toEqual([[{ property: "name", reason }], []]);
    const { message } = await fixture.run(failureOf(process.create(fixture.ctx(), inputs)));
    expect(message).toMatch(/was not adopted: it has another `container`/);
    expect(fixture.writes()).toEqual([]);
  });
});

describe("a replacement whose old name the engine does not give, as with --replace,", () => {
  it("replaces and deletes nothing, even in later runs", async () => {
    const fixture = await open();
    const old = await up(fixture);
    fixture.forget();
    const again = await up(fixture);
    expect(again.id).toBe(old.id);
    const remove = (process: Resource) => fixture.run(process.delete(fixture.ctx(), old.id, old.state));
    await remove(again.process);
    const later = fixture.as("seen");
    const { inputs } = await fixture.run(later.check(fixture.ctx(), program, again.inputs));
    await fixture.run(later.diff(fixture.ctx(), again.id, again.state, inputs));
    await fixture.run(later.read(fixture.ctx(), old.id, old.state));
    await remove(later);
    expect(fixture.writes()).toEqual([]);
    const text = /not deleted, because this resource has adopted the same cluster, so it is not replaced: `--replace`/;
    expect(fixture.messages.filter((line) => text.test(line))).toHaveLength(2);
    await fixture.run(fixture.as("seen").delete(fixture.ctx(), again.id, again.state));
    expect(fixture.living()).toEqual([]);
  });

  it("creates a new cluster if the old one is deleted first", async () => {
    const fixture = await open();
    const old = await up(fixture);
    const process = fixture.as("seen");
    const news = { ...program, __deleteBeforeReplace: true };
    const { inputs, failures } = await fixture.run(process.check(fixture.ctx(), news));
    expect(failures).toEqual([]);
    expect(fixture.messages.join("\n")).toMatch(/adopts cl_.*, unless a replacement deletes it first/);
    await fixture.run(process.delete(fixture.ctx(), old.id, old.state));
    const next = await fixture.run(process.create(fixture.ctx(), inputs));
    expect(fixture.living().map(({ id }) => id)).toEqual([next.id]);
    expect(next.id).not.toBe(old.id);
  });
});
