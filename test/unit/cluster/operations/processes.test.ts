import { Journal } from "../../../../provider/base/journal";
import { generatedName } from "../../../../provider/cluster/schema/validate";
import type { ResolvedSettings } from "../../../../provider/config/settings";
import type { Properties } from "../../../../provider/contract";
import { newFolder } from "../../../support/folders";
import { type Fixture, type FixtureOptions, failureOf, type Held, openFixture, rewriting, toRun } from "../harness";
import { least, urnOf } from "../inputs";

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

const inputs: Properties = { ...toRun, container: "team/server:1.0", name: "prod" };

interface ProcessOptions {
  readonly port?: number;
  readonly settings?: Partial<ResolvedSettings>;
  /** The folder that the processes of a run share. */
  readonly place?: string;
}

/** A process of the run at this port: its calls for the resource with a label. */
function processOf({ as, ctx, run }: Fixture, seenBy: string, at: ProcessOptions = {}) {
  const { port = 40_000, settings, place = folder } = at;
  const process = as(seenBy, new Journal(`127.0.0.1:${port}`, place), settings);
  const of = (label: string) => ctx({ urn: urnOf(label) });
  return {
    async check(label: string, news: Properties, olds?: Properties) {
      const { failures, inputs } = await run(process.check(of(label), news, olds));
      return { inputs, refusals: failures.map(({ property, reason }) => `${property}: ${reason}`) };
    },
    create: (label: string, news: Properties) => run(process.create(of(label), news)),
    read: (label: string, { id, state }: Held) => run(process.read(of(label), id, state)),
    diff: (label: string, { id, state }: Held, news: Properties) => run(process.diff(of(label), id, state, news)),
    remove: (label: string, { id, state }: Held) => run(process.delete(of(label), id, state)),
  };
}

/** Two processes of the same run; another port is another run. */
function processesOf(fixture: Fixture, port = 40_000, [one, two]: readonly [string, string] = ["seen", "seen"]) {
  return { a: processOf(fixture, one, { port }), b: processOf(fixture, two, { port }) };
}

async function openRun(options: FixtureOptions = {}, keys?: readonly [string, string]) {
  const fixture = await openFixture(options);
  return { fixture, ...processesOf(fixture, undefined, keys) };
}

const statusOf = ({ simulator }: Fixture, id: string) => simulator.cluster(id)?.status;

describe("the processes of one run", () => {
  it("give a name to one resource, whatever its capitals", async () => {
    const { a, b } = await openRun();
    expect((await a.check("one", inputs)).refusals).toEqual([]);
    const { refusals } = await b.check("two", { ...inputs, name: "Prod" });
    expect(refusals).toEqual([expect.stringMatching(/^name: .*::one has the name/)]);
  });

  it("let two keys use one name, because each may belong to an organization of its own", async () => {
    const { a, b } = await openRun({}, ["seen", "other"]);
    expect((await a.check("one", inputs)).refusals).toEqual([]);
    expect((await b.check("two", inputs)).refusals).toEqual([]);
  });

  it("do not advise to adopt the cluster of another resource of the program", async () => {
    const { fixture, a, b } = await openRun();
    const { state } = await a.create("one", inputs);
    const later = processesOf(fixture, 40_001);
    expect((await later.a.check("one", inputs, state)).refusals).toEqual([]);
    for (const process of [later.a, later.b])
      expect((await process.check("two", inputs)).refusals).toEqual([
        expect.stringMatching(/^name: the resource .*::one has the name "prod" too; .*: set another$/),
      ]);
    expect((await b.check("one", inputs, state)).refusals).toEqual([]);
  });

  it("advise another name if the holder is a renamed resource that is checked later", async () => {
    const { fixture, a } = await openRun();
    const made = await a.create("web", inputs);
    const { a: process } = processesOf(fixture, 40_001);
    const { refusals } = await process.check("web", inputs);
    expect(refusals).toEqual([
      expect.stringMatching(/is already the name of .*; if another resource has it, .*`name`/),
    ]);
    expect((await process.check("web-old", inputs, made.state)).refusals).toEqual([
      expect.stringMatching(/the resource .*::web has the name "prod" too/),
    ]);
  });

  it.each<[string, readonly [string, string]]>([
    ["of the same key", ["seen", "seen"]],
    ["of another key", ["seen", "other"]],
  ])("do not delete what a process %s adopts", async (_title, keys) => {
    const { fixture, a, b } = await openRun({}, keys);
    const made = await b.create("old", inputs);
    const adopting = { ...inputs, adopt: made.id };
    expect((await a.check("new", adopting)).refusals).toEqual([]);
    const early = await failureOf(b.remove("old", made));
    expect(early.message).toMatch(/another resource adopts it/);
    await a.create("new", adopting);
    await b.remove("old", made);
    expect(statusOf(fixture, made.id)).toBe("running");
    expect(fixture.warnings().join()).toMatch(/not deleted, because another resource of this program has adopted it/);
    // The adoption counts in its own run alone.
    await processesOf(fixture, 40_001).a.remove("new", made);
    expect(statusOf(fixture, made.id)).toBe("gone");
  });

  it("do not delete what another resource of the program has, as after an import", async () => {
    const { fixture, a } = await openRun();
    const made = await a.create("kept", inputs);
    const later = processesOf(fixture, 40_001);
    const { inputs: checked } = await later.a.check("kept", inputs, made.state);
    await later.a.diff("kept", made, checked);
    await later.b.remove("twice", made);
    expect(statusOf(fixture, made.id)).toBe("running");
    expect(fixture.warnings().join()).toMatch(/another resource of this program has the same cluster/);
    await later.a.remove("kept", made);
    expect(statusOf(fixture, made.id)).toBe("gone");
  });

  it("delete what no resource has any more: a refresh alone keeps nothing", async () => {
    const { fixture, a } = await openRun();
    const made = await a.create("twice", inputs);
    const later = processesOf(fixture, 40_001);
    await later.a.read("once", made);
    await later.a.diff("once", made, made.state);
    await later.b.remove("twice", made);
    expect(statusOf(fixture, made.id)).toBe("gone");
  });

  it("delete a replaced cluster under the old name of its resource", async () => {
    const { fixture, a } = await openRun();
    const made = await a.create("old", inputs);
    const { a: process } = processesOf(fixture, 40_001);
    const news = { ...inputs, gpuType: "h200", name: "next" };
    const { inputs: checked } = await process.check("renamed", news, made.state);
    await process.diff("renamed", made, checked);
    const { inputs: again } = await process.check("renamed", news);
    await process.create("renamed", again);
    await process.remove("old", made);
    expect(statusOf(fixture, made.id)).toBe("gone");
  });

  it.each<[string, (process: ReturnType<typeof processOf>, id: string) => Promise<unknown>]>([
    ["reads", ({ read }, id) => read("other", { id, state: {} })],
    ["adopts with another key", ({ check }, adopt) => check("other", { ...inputs, name: "left", adopt })],
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
    await manage(a, id);
    const { refusals } = await b.check("web", program);
    expect(refusals).toEqual([
      expect.stringMatching(/gpucluster:resume does not adopt it, because the stack manages it/),
    ]);
  });

  it("know which cluster one of them has deleted, although a list still shows it", async () => {
    let stale: object[] | undefined;
    const wire = rewriting(/\/v1\/clusters$/, (body) => (stale ? { clusters: stale } : body));
    const { fixture, a, b } = await openRun({ wire });
    const made = await a.create("old", inputs);
    await a.remove("old", made);
    stale = [{ id: made.id, name: "prod", status: "running" }];
    await fixture.clock.advance(60_000);
    fixture.simulator.requests.length = 0;
    await b.create("old", { ...inputs, skipAwait: true });
    expect(fixture.writes()).toContain("POST /v1/clusters");
  });

  it("have one stock", async () => {
    const { a, b } = await openRun({ settings: { previewChecks: "strict" } });
    const many = (name: string) => ({ ...inputs, gpuType: "h200", replicas: 20, name });
    expect((await a.check("one", many("one"))).refusals).toEqual([]);
    const { refusals } = await b.check("two", many("two"));
    expect(refusals.join()).toMatch(/20 x h200 needed, 40 for all clusters/);
  });

  it("count the GPUs of each service for itself", async () => {
    const { a } = await openRun({ settings: { previewChecks: "strict" } });
    const other = await openRun({ settings: { previewChecks: "strict" } });
    const many = { ...inputs, gpuType: "h200", replicas: 20 };
    expect((await a.check("one", many)).refusals).toEqual([]);
    expect((await other.a.check("two", { ...many, name: "other" })).refusals).toEqual([]);
  });

  it("have one limit of costs, whatever the key", async () => {
    const { a, b } = await openRun({ settings: { maxHourlyCost: 4 } }, ["seen", "other"]);
    expect((await a.check("one", { ...inputs, replicas: 1, name: "one" })).refusals).toEqual([]);
    const { refusals } = await b.check("two", { ...inputs, replicas: 1, name: "two" });
    expect(refusals.join()).toMatch(/maxHourlyCost is 4.*one 2\.\d+ .*two 2\.\d+/);
  });

  const one = (name: string) => ({ ...inputs, replicas: 1, name });
  const withOwnLimit = (fixture: Fixture, limit: number) =>
    processOf(fixture, "seen", { settings: { providerMaxHourlyCost: limit } });

  it("count for the limit of a provider its own clusters, even if another provider has the same limit", async () => {
    const { fixture, a } = await openRun();
    const [first, second] = [withOwnLimit(fixture, 3), withOwnLimit(fixture, 3)];
    expect((await a.check("one", one("one"))).refusals).toEqual([]);
    expect((await first.check("two", one("two"))).refusals).toEqual([]);
    expect((await second.check("three", one("three"))).refusals).toEqual([]);
    const { refusals } = await second.check("four", one("four"));
    expect(refusals.join()).toMatch(/maxHourlyCost.* is 3.*four 2\.\d+ .*three 2\.\d+|three 2\.\d+ .*four 2/);
    expect(refusals.join()).not.toMatch(/one 2|two 2/);
  });

  it("count for the limit of the stack all clusters, even those of a provider with a limit of its own", async () => {
    const { fixture, a } = await openRun({ settings: { maxHourlyCost: 4 } });
    const own = withOwnLimit(fixture, 3);
    expect((await a.check("one", one("one"))).refusals).toEqual([]);
    const { refusals } = await own.check("two", one("two"));
    expect(refusals.join()).toMatch(/gpucluster:maxHourlyCost is 4.*one 2\.\d+ .*two 2\.\d+/);
  });

  it("ignore what another version of the package writes", async () => {
    const { a } = await openRun();
    const other = new Journal("127.0.0.1:40000", folder);
    for (const entry of [["owner", "seen prod", 5], ["later", "x", 1], ["cost", "u", {}], ["kept"], {}])
      other.append(entry);
    expect((await a.check("one", inputs)).refusals).toEqual([]);
  });

  it("say so at an adoption if they cannot share", async () => {
    const fixture = await openFixture();
    const { id } = fixture.simulator.addCluster({
      name: "prod",
      gpuType: "h100",
      replicas: 1,
      container: "team/server:1.0",
    });
    const alone = processOf(fixture, "seen", { place: "/dev/null" });
    await alone.check("one", inputs);
    expect(fixture.warnings()).toEqual([]);
    await alone.check("one", { ...inputs, adopt: id });
    expect(fixture.warnings().join()).toMatch(/cannot share what they know.*ENOTDIR|ENOENT/);
  });
});
