import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal } from "../../../../provider/base/journal";
import { generatedName } from "../../../../provider/cluster/schema/validate";
import type { Properties, Resource } from "../../../../provider/contract";
import { type Fixture, type FixtureOptions, failureOf, openFixture, rewriting, toRun, writes } from "../harness";
import { least, urnOf } from "../inputs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "run-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inputs: Properties = { ...toRun, container: "team/server:1.0", name: "prod" };

/** Two processes of the same run; another port is another run. */
function processesOf(fixture: Fixture, port = 40_000, keys: readonly [string, string] = ["seen", "seen"]) {
  const [a, b] = keys.map((seenBy) => fixture.as(seenBy, new Journal(`127.0.0.1:${port}`, folder)));
  if (!a || !b) throw new Error("there are two keys");
  return { a, b };
}

async function openRun(options: FixtureOptions = {}, keys?: readonly [string, string]) {
  const fixture = await openFixture(options);
  return { fixture, ...processesOf(fixture, undefined, keys) };
}

async function check({ run, ctx }: Fixture, process: Resource, label: string, news: Properties, olds?: Properties) {
  const { failures, inputs } = await run(process.check(ctx({ urn: urnOf(label) }), news, olds));
  return { inputs, refusals: failures.map(({ property, reason }) => `${property}: ${reason}`) };
}

const statusOf = ({ simulator }: Fixture, id: string) => simulator.cluster(id)?.status;
const removeAs = (
  { run, ctx }: Fixture,
  process: Resource,
  label: string,
  { id, state }: { id: string; state: Properties },
) => run(process.delete(ctx({ urn: urnOf(label) }), id, state));
const createAs = ({ run, ctx }: Fixture, process: Resource, label: string, news: Properties) =>
  run(process.create(ctx({ urn: urnOf(label) }), news));
const diffAs = (
  { run, ctx }: Fixture,
  process: Resource,
  label: string,
  made: { id: string; state: Properties },
  news: Properties,
) => run(process.diff(ctx({ urn: urnOf(label) }), made.id, made.state, news));

describe("the processes of one run", () => {
  it("give a name to one resource, whatever its capitals", async () => {
    const { fixture, a, b } = await openRun();
    expect((await check(fixture, a, "one", inputs)).refusals).toEqual([]);
    const { refusals } = await check(fixture, b, "two", { ...inputs, name: "Prod" });
    expect(refusals).toEqual([expect.stringMatching(/^name: .*::one has the name/)]);
  });

  it("let two keys use one name, because each may belong to an organization of its own", async () => {
    const { fixture, a, b } = await openRun({}, ["seen", "other"]);
    expect((await check(fixture, a, "one", inputs)).refusals).toEqual([]);
    expect((await check(fixture, b, "two", inputs)).refusals).toEqual([]);
  });

  it("do not advise to adopt the cluster of another resource of the program", async () => {
    const { fixture, a, b } = await openRun();
    const { state } = await createAs(fixture, a, "one", inputs);
    const later = processesOf(fixture, 40_001);
    expect((await check(fixture, later.a, "one", inputs, state)).refusals).toEqual([]);
    for (const process of [later.a, later.b])
      expect((await check(fixture, process, "two", inputs)).refusals).toEqual([
        expect.stringMatching(/^name: the resource .*::one has the name "prod" too; .*: set another$/),
      ]);
    expect((await check(fixture, b, "one", inputs, state)).refusals).toEqual([]);
  });

  it("advise another name if the holder is a renamed resource that is checked later", async () => {
    const { fixture, a } = await openRun();
    const made = await createAs(fixture, a, "web", inputs);
    const { a: process } = processesOf(fixture, 40_001);
    const { refusals } = await check(fixture, process, "web", inputs);
    expect(refusals).toEqual([
      expect.stringMatching(/is already the name of .*; if another resource has it, .*`name`/),
    ]);
    expect((await check(fixture, process, "web-old", inputs, made.state)).refusals).toEqual([
      expect.stringMatching(/the resource .*::web has the name "prod" too/),
    ]);
  });

  it.each<[string, readonly [string, string]]>([
    ["of the same key", ["seen", "seen"]],
    ["of another key", ["seen", "other"]],
  ])("do not delete what a process %s adopts", async (_title, keys) => {
    const { fixture, a, b } = await openRun({}, keys);
    const made = await createAs(fixture, b, "old", inputs);
    const adopting = { ...inputs, adopt: made.id };
    expect((await check(fixture, a, "new", adopting)).refusals).toEqual([]);
    const early = await failureOf(removeAs(fixture, b, "old", made));
    expect(early.message).toMatch(/another resource adopts it/);
    await createAs(fixture, a, "new", adopting);
    await removeAs(fixture, b, "old", made);
    expect(statusOf(fixture, made.id)).toBe("running");
    expect(fixture.warnings().join()).toMatch(/not deleted, because another resource of this program has adopted it/);
    // The adoption counts in its own run alone.
    await removeAs(fixture, processesOf(fixture, 40_001).a, "new", made);
    expect(statusOf(fixture, made.id)).toBe("gone");
  });

  it("do not delete what another resource of the program has, as after an import", async () => {
    const { fixture, a } = await openRun();
    const made = await createAs(fixture, a, "kept", inputs);
    const later = processesOf(fixture, 40_001);
    const { inputs: checked } = await check(fixture, later.a, "kept", inputs, made.state);
    await diffAs(fixture, later.a, "kept", made, checked);
    await removeAs(fixture, later.b, "twice", made);
    expect(statusOf(fixture, made.id)).toBe("running");
    expect(fixture.warnings().join()).toMatch(/another resource of this program has the same cluster/);
    await removeAs(fixture, later.a, "kept", made);
    expect(statusOf(fixture, made.id)).toBe("gone");
  });

  it("delete what no resource has any more: a refresh alone keeps nothing", async () => {
    const { fixture, a } = await openRun();
    const made = await createAs(fixture, a, "twice", inputs);
    const later = processesOf(fixture, 40_001);
    await fixture.run(later.a.read(fixture.ctx({ urn: urnOf("once") }), made.id, made.state));
    await diffAs(fixture, later.a, "once", made, made.state);
    await removeAs(fixture, later.b, "twice", made);
    expect(statusOf(fixture, made.id)).toBe("gone");
  });

  it("delete a replaced cluster under the old name of its resource", async () => {
    const { fixture, a } = await openRun();
    const made = await createAs(fixture, a, "old", inputs);
    const { a: process } = processesOf(fixture, 40_001);
    const news = { ...inputs, gpuType: "h200", name: "next" };
    const { inputs: checked } = await check(fixture, process, "renamed", news, made.state);
    await diffAs(fixture, process, "renamed", made, checked);
    const { inputs: again } = await check(fixture, process, "renamed", news);
    await createAs(fixture, process, "renamed", again);
    await removeAs(fixture, process, "old", made);
    expect(statusOf(fixture, made.id)).toBe("gone");
  });

  it.each<[string, (fixture: Fixture, process: Resource, id: string) => Promise<unknown>]>([
    ["reads", ({ ctx }, process, id) => process.read(ctx({ urn: urnOf("other") }), id, {})],
    [
      "adopts with another key",
      ({ ctx }, process, adopt) => process.check(ctx({ urn: urnOf("other") }), { ...inputs, name: "left", adopt }),
    ],
  ])("do not resume a cluster that another one %s", async (_title, manage) => {
    const salt = "salt-7f3a9e51";
    const { fixture, a, b } = await openRun({ settings: { resume: salt } }, ["other", "seen"]);
    const program = { ...least, replicas: 2 };
    const left = {
      name: generatedName(urnOf("web"), "", salt),
      gpuType: "h100",
      container: "acme/model:1",
      replicas: 2,
    };
    const { id } = fixture.simulator.addCluster(left);
    await fixture.run(manage(fixture, a, id));
    const { refusals } = await check(fixture, b, "web", program);
    expect(refusals).toEqual([
      expect.stringMatching(/gpucluster:resume does not adopt it, because the stack manages it/),
    ]);
  });

  it("know which cluster one of them has deleted, although a list still shows it", async () => {
    let stale: object[] | undefined;
    const wire = rewriting(/\/v1\/clusters$/, (body) => (stale ? { clusters: stale } : body));
    const { fixture, a, b } = await openRun({ wire });
    const made = await createAs(fixture, a, "old", inputs);
    await removeAs(fixture, a, "old", made);
    stale = [{ id: made.id, name: "prod", status: "running" }];
    await fixture.clock.advance(60_000);
    fixture.simulator.requests.length = 0;
    await createAs(fixture, b, "old", { ...inputs, skipAwait: true });
    expect(writes(fixture.simulator)).toContain("POST /v1/clusters");
  });

  it("have one stock", async () => {
    const { fixture, a, b } = await openRun({ settings: { previewChecks: "strict" } });
    const many = (name: string) => ({ ...inputs, gpuType: "h200", replicas: 20, name });
    expect((await check(fixture, a, "one", many("one"))).refusals).toEqual([]);
    const { refusals } = await check(fixture, b, "two", many("two"));
    expect(refusals.join()).toMatch(/20 x h200 needed, 40 for all clusters/);
  });

  it("count the GPUs of each service for itself", async () => {
    const { fixture, a } = await openRun({ settings: { previewChecks: "strict" } });
    const other = await openRun({ settings: { previewChecks: "strict" } });
    const many = { ...inputs, gpuType: "h200", replicas: 20 };
    expect((await check(fixture, a, "one", many)).refusals).toEqual([]);
    expect((await check(other.fixture, other.a, "two", { ...many, name: "other" })).refusals).toEqual([]);
  });

  it("have one limit of costs, whatever the key", async () => {
    const { fixture, a, b } = await openRun({ settings: { maxHourlyCost: 4 } }, ["seen", "other"]);
    expect((await check(fixture, a, "one", { ...inputs, replicas: 1, name: "one" })).refusals).toEqual([]);
    const { refusals } = await check(fixture, b, "two", { ...inputs, replicas: 1, name: "two" });
    expect(refusals.join()).toMatch(/maxHourlyCost is 4.*one 2\.\d+ .*two 2\.\d+/);
  });

  const one = (name: string) => ({ ...inputs, replicas: 1, name });
  const withOwnLimit = (fixture: Fixture, limit: number) =>
    fixture.as("seen", new Journal("127.0.0.1:40000", folder), { providerMaxHourlyCost: limit });

  it("count for the limit of a provider its own clusters, even if another provider has the same limit", async () => {
    const { fixture, a } = await openRun();
    const [first, second] = [withOwnLimit(fixture, 3), withOwnLimit(fixture, 3)];
    expect((await check(fixture, a, "one", one("one"))).refusals).toEqual([]);
    expect((await check(fixture, first, "two", one("two"))).refusals).toEqual([]);
    expect((await check(fixture, second, "three", one("three"))).refusals).toEqual([]);
    const { refusals } = await check(fixture, second, "four", one("four"));
    expect(refusals.join()).toMatch(/maxHourlyCost.* is 3.*four 2\.\d+ .*three 2\.\d+|three 2\.\d+ .*four 2/);
    expect(refusals.join()).not.toMatch(/one 2|two 2/);
  });

  it("count for the limit of the stack all clusters, even those of a provider with a limit of its own", async () => {
    const { fixture, a } = await openRun({ settings: { maxHourlyCost: 4 } });
    const own = withOwnLimit(fixture, 3);
    expect((await check(fixture, a, "one", one("one"))).refusals).toEqual([]);
    const { refusals } = await check(fixture, own, "two", one("two"));
    expect(refusals.join()).toMatch(/gpucluster:maxHourlyCost is 4.*one 2\.\d+ .*two 2\.\d+/);
  });

  it("ignore what another version of the package writes", async () => {
    const { fixture, a } = await openRun();
    const other = new Journal("127.0.0.1:40000", folder);
    for (const entry of [["owner", "seen prod", 5], ["later", "x", 1], ["cost", "u", {}], ["kept"], {}])
      other.append(entry);
    expect((await check(fixture, a, "one", inputs)).refusals).toEqual([]);
  });

  it("say so at an adoption if they cannot share", async () => {
    const fixture = await openFixture();
    const { id } = fixture.simulator.addCluster({
      name: "prod",
      gpuType: "h100",
      replicas: 1,
      container: "team/server:1.0",
    });
    const alone = fixture.as("seen", new Journal("127.0.0.1:40000", "/dev/null"));
    await check(fixture, alone, "one", inputs);
    expect(fixture.warnings()).toEqual([]);
    await check(fixture, alone, "one", { ...inputs, adopt: id });
    expect(fixture.warnings().join()).toMatch(/cannot share what they know.*ENOTDIR|ENOENT/);
  });
});
