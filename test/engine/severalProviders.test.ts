import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { closeFixtures, type Fixture, living, openFixture, until } from "./harness";
import { findProviders } from "./processes";

/** The engine starts one process for all dynamic clusters, and one for each other provider. */

afterAll(closeFixtures);

/** A cluster of a program: served by the dynamic provider, by the engine's own plugin, or by an explicit provider. */
interface Declared {
  readonly by: "dynamic" | "default" | "one" | "two";
  readonly label: string;
  readonly args?: object;
  readonly options?: object;
  /** The label of the cluster that it depends on: otherwise the engine may check either one first. */
  readonly after?: string;
}

/** The program declares what the config lists, and gives each of its providers the same limit of costs. */
const program = `
const native = require("pulumi-gpucluster/native");
const { Provider } = native;
const settings = { maxHourlyCost: config.getNumber("limit") };
const providers = { one: new Provider("one", settings), two: new Provider("two", settings) };
const made = {};
for (const { by, label, args, options, after } of config.requireObject("clusters")) {
  const { Cluster } = by === "dynamic" ? gpu : native;
  const inputs = { gpuType: "h100", container: "acme/model:1", ...args };
  const dependsOn = after ? [made[after]] : [];
  made[label] = new Cluster(label, inputs, { ...options, provider: providers[by], dependsOn });
}
`;

const declare = (...clusters: Declared[]) => ["--config", `engine-test:clusters=${JSON.stringify(clusters)}`];
const idOf = ({ workspace }: Fixture) => String(workspace.storedClusters()[0]?.id);

async function openWith(...clusters: Declared[]): Promise<Fixture> {
  const fixture = await openFixture(program);
  const { code, output } = await fixture.workspace.up(...declare(...clusters));
  if (code !== 0) throw new Error(output);
  fixture.writes();
  return fixture;
}

describe("a cluster that moves to a resource of another provider in one run", () => {
  it.each([
    ["dynamic", "default", "adopt", 16],
    ["default", "dynamic", "adopt", 1],
    ["one", "two", "adopt", 1],
    ["dynamic", "one", "import", 16],
  ] as const)("is kept: from %s to %s by `%s`, with --parallel %i", async (from, to, how, parallel) => {
    const fixture = await openWith({ by: from, label: "web", args: { name: "prod" } });
    const { workspace, simulator, writes } = fixture;
    const id = idOf(fixture);
    const args = how === "adopt" ? { name: "prod", adopt: id } : { name: "prod", replicas: 1 };
    const moved = declare({ by: to, label: "moved", args, options: how === "import" ? { import: id } : {} });
    const { code, output } = await workspace.up("--parallel", String(parallel), ...moved);
    expect(output).toMatch(/not deleted, because another resource of this program has (adopted it|the same cluster)/);
    expect(code).toBe(0);
    expect(writes()).toEqual([]);
    expect(living(simulator)).toMatchObject([{ id, name: "prod" }]);
    expect(workspace.storedClusters()).toMatchObject([{ id }]);
    expect((await workspace.preview("--expect-no-changes", ...moved)).code).toBe(0);
    // A later run knows nothing of it.
    expect((await workspace.up(...declare())).code).toBe(0);
    expect(living(simulator)).toEqual([]);
  });

  it.each([
    ["dynamic", "native"],
    ["default", "dynamic"],
  ] as const)(
    "is kept, from %s, if the adopting provider (%s) is killed, and the next up goes on",
    async (from, killed) => {
      const fixture = await openWith({ by: from, label: "web", args: { name: "prod" } });
      const { workspace, simulator } = fixture;
      const id = idOf(fixture);
      const to = killed === "native" ? "default" : "dynamic";
      const moved = declare({ by: to, label: "moved", args: { name: "prod", adopt: id, replicas: 3 } });
      simulator.fault({ kind: "delay", ms: 5_000, method: "POST", path: "/v1/clusters/*/scale", when: "before" });
      // Without this option, the engine deletes nothing after a failure.
      const run = workspace.start("up", "--yes", "--skip-preview", "--continue-on-error", ...moved);
      await until("the adoption sends a change", () => simulator.openRequests().length > 0, 60_000);
      for (const pid of findProviders(run.pid, killed)) process.kill(pid, "SIGKILL");
      const { code, output } = await run.ended;
      expect(output).toContain("not deleted, because another resource of this program has adopted it");
      expect(code).not.toBe(0);
      expect(living(simulator)).toMatchObject([{ id }]);
      expect((await workspace.up(...moved)).code).toBe(0);
      expect(living(simulator)).toMatchObject([{ id, replicas: 3 }]);
      expect(workspace.storedClusters()).toMatchObject([{ id }]);
    },
  );

  it("is kept where the processes cannot share a file, if the program keeps both, and a warning says so", async () => {
    const fixture = await openWith({ by: "dynamic", label: "web", args: { name: "prod" } });
    const { workspace, simulator } = fixture;
    // What another user may put there.
    symlinkSync("/dev/null", join(workspace.folder, `gpucluster-${process.getuid?.()}`));
    workspace.env["TMPDIR"] = workspace.folder;
    const adopting = declare({ by: "default", label: "api", args: { name: "prod", adopt: idOf(fixture) } });
    const { output } = await workspace.preview(...adopting);
    expect(output).toMatch(/warning: .*cannot share what they know.*pulumi state delete/s);
    expect(living(simulator)).toHaveLength(1);
  });
});

describe("a replaced cluster", () => {
  it("is deleted although its resource has a new name and another provider of the run has clusters", async () => {
    const { workspace, simulator } = await openWith(
      { by: "default", label: "web" },
      { by: "one", label: "api", args: { gpuType: "h200" } },
    );
    const replaced = declare(
      { by: "default", label: "renamed", args: { gpuType: "h200" }, options: { aliases: [{ name: "web" }] } },
      { by: "one", label: "api", args: { gpuType: "h200" } },
    );
    expect((await workspace.up(...replaced)).code).toBe(0);
    expect(living(simulator)).toMatchObject([{ gpuType: "h200" }, { gpuType: "h200" }]);
  });
});

describe("a name that two providers of one program use", () => {
  it.each([
    ["dynamic", "default", 16],
    ["default", "one", 1],
    ["one", "two", 16],
  ] as const)(
    "is refused before anything is bought: %s and %s, with --parallel %i",
    async (first, second, parallel) => {
      const { workspace, simulator } = await openFixture(program, { latencyMs: 500 });
      const args = { name: "shared" };
      const both = declare({ by: first, label: "a", args }, { by: second, label: "b", args });
      const { code, output } = await workspace.preview("--parallel", String(parallel), ...both);
      expect(output).toMatch(/the resource urn:\S+::[ab] has the name "shared" too/);
      expect(code).not.toBe(0);
      expect((await workspace.up("--parallel", String(parallel), ...both)).code).not.toBe(0);
      expect(living(simulator).length).toBeLessThan(2);
    },
  );
});

test("a name that a resource of another provider has since an earlier run is refused without the advice to adopt it", async () => {
  const old: Declared = { by: "dynamic", label: "old", args: { name: "prod" } };
  const { workspace } = await openWith(old);
  const { code, output } = await workspace.preview(
    ...declare(old, { by: "one", label: "new", args: { name: "prod" }, after: "old" }),
  );
  expect(output).toMatch(/the resource urn:\S+::old has the name "prod" too/);
  expect(output).not.toContain("adopt:");
  expect(code).not.toBe(0);
});

test("gpucluster:maxHourlyCost is one limit for all providers of a program", async () => {
  const { workspace, simulator } = await openFixture(program);
  const limited = [
    "--config",
    "gpucluster:maxHourlyCost=6",
    ...declare({ by: "dynamic", label: "a" }, { by: "default", label: "b", args: { replicas: 2 } }),
  ];
  const { code, output } = await workspace.preview(...limited);
  expect(output).toMatch(/gpucluster:maxHourlyCost is 6\.00, but the clusters seen so far cost/);
  expect(code).not.toBe(0);
  expect((await workspace.up(...limited)).code).not.toBe(0);
  expect(living(simulator).length).toBeLessThan(2);
});

test("a limit of a provider counts its own clusters, even if another provider has the same, and that of the stack counts all", async () => {
  const { workspace } = await openFixture(program);
  const limit = ["--config", "engine-test:limit=3"];
  const [a, b, c]: [Declared, Declared, Declared] = [
    { by: "one", label: "a" },
    { by: "two", label: "b" },
    { by: "two", label: "c" },
  ];
  expect((await workspace.preview(...limit, ...declare(a, b))).code).toBe(0);
  const ofProvider = await workspace.preview(...limit, ...declare(a, b, c));
  expect(ofProvider.output).toMatch(
    /`maxHourlyCost` of the provider is 3\.00, but its clusters seen so far cost 5\.98/,
  );
  expect(ofProvider.code).not.toBe(0);
  const ofStack = await workspace.preview("--config", "gpucluster:maxHourlyCost=5", ...limit, ...declare(a, b));
  expect(ofStack.output).toMatch(/gpucluster:maxHourlyCost is 5\.00, but the clusters seen so far cost 5\.98/);
  expect(ofStack.code).not.toBe(0);
});
