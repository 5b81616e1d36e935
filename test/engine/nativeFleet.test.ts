import { type Bench, canaryKey, closeBenches, idsOf, living, openNativeBench } from "./harness";

/** A fleet that the plugin declares, for a program that has no class of its own for it. */
const programOf = (fleet: object) => ({
  resources: {
    base: { type: "gpucluster:Cluster", properties: { gpuType: "h100", container: "acme/base:1" } },
    worker: { type: "gpucluster:ClusterFleet", properties: fleet, options: { customTimeouts: { update: "4s" } } },
  },
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: how YAML programs refer to others
  outputs: { endpoints: "${worker.endpoints}", hourlyCost: "${worker.hourlyCost}" },
});
const memberOf = (container: string) => ({
  gpuType: "l4",
  container,
  env: { TOKEN: "canary-env-63b1f0", UPSTREAM: "${base.endpoint}" },
  readinessProbe: { path: "/health", period: 1 },
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above
const waves = [1, "50%"];

afterAll(closeBenches);

describe("a fleet of a YAML program, in order", () => {
  let bench: Bench;
  let shown = "";
  const run = async (command: "up" | "preview" | "refresh" | "destroy", ...options: string[]) => {
    const { code, output } = await bench.workspace[command](...options);
    shown += output;
    return { code, output };
  };
  const write = (count: number, container: string) =>
    bench.workspace.yaml(programOf({ count, waves, cluster: memberOf(container) }));
  const workers = () => living(bench.simulator).filter(({ name }) => name.startsWith("worker-"));
  const containers = () => workers().map(({ name, container }) => `${name.slice(0, 8)} ${container}`);
  beforeAll(async () => {
    bench = await openNativeBench({}, { endpoint: [{ kind: "status", status: 200 }] });
    write(4, "acme/worker:1");
  });

  it("previews with an input that is not known yet, and is created wave by wave", async () => {
    expect((await run("preview")).output).toMatch(/worker-3[\s\S]*hourlyCost: 1\.76/);
    expect(bench.writes()).toEqual([]);
    expect((await run("up")).code).toBe(0);
    const order = workers().map(({ name }) => name.slice(0, 8));
    expect(order.slice(0, 2)).toEqual(["worker-0", "worker-1"]);
    expect([...order].sort()).toEqual(["worker-0", "worker-1", "worker-2", "worker-3"]);
    const outputs = JSON.parse(await bench.workspace.succeed("stack", "output", "--json"));
    expect(Object.keys(outputs.endpoints)).toEqual(["0", "1", "2", "3"]);
    expect(outputs.hourlyCost).toBe(1.76);
    expect((await run("preview", "--expect-no-changes")).code).toBe(0);
  });

  it("stops a bad change after the first wave, also with --continue-on-error, and deletes nothing", async () => {
    const ids = idsOf(workers());
    await bench.simulator.endpoint?.answer({ kind: "status", status: 503 });
    write(4, "acme/worker:2");
    for (const options of [[], ["--continue-on-error"]]) {
      const { code, output } = await run("up", ...options);
      expect(code).not.toBe(0);
      expect(output).toContain("GET /health answers 503");
      expect(output).toMatch(/ClusterFleet "worker": the run ended before worker-(0|wave-1) was ready/);
    }
    expect(containers().filter((text) => text.endsWith(":2"))).toEqual(["worker-0 acme/worker:2"]);
    expect(idsOf(workers())).toEqual(ids);
  });

  it("brings the repaired change to all, with one cluster less", async () => {
    await bench.simulator.endpoint?.answer({ kind: "status", status: 200 });
    bench.writes();
    write(3, "acme/worker:3");
    expect((await run("up")).code).toBe(0);
    expect(containers().sort()).toEqual(["worker-0", "worker-1", "worker-2"].map((name) => `${name} acme/worker:3`));
    expect(bench.writes().filter((sent) => !sent.startsWith("PATCH"))).toEqual(["DELETE /v1/clusters/:id"]);
    expect((await run("refresh", "--expect-no-changes")).code).toBe(0);
  });

  it("is destroyed as a whole, and no secret was in any text", async () => {
    const state = await bench.workspace.stateText();
    expect((await run("destroy")).code).toBe(0);
    expect(living(bench.simulator)).toEqual([]);
    for (const secret of ["canary-env", canaryKey]) expect(state + shown).not.toContain(secret);
  });
});

it("a fleet of another provider is protected, depends on another cluster, and belongs to the other organization", async () => {
  const apiKeys = { [canaryKey]: "org_ours", "canary-key-theirs": "org_theirs" };
  const { workspace, simulator } = await openNativeBench({}, { apiKeys });
  const write = (protect: boolean) =>
    workspace.yaml({
      resources: {
        theirs: {
          type: "pulumi:providers:gpucluster",
          properties: { apiKey: "canary-key-theirs", baseUrl: simulator.url },
        },
        before: { type: "gpucluster:Cluster", properties: { gpuType: "h100", container: "acme/base:1" } },
        worker: {
          type: "gpucluster:ClusterFleet",
          properties: { clusters: { eu: { gpuType: "l4", container: "acme/worker:1" } } },
          // biome-ignore lint/suspicious/noTemplateCurlyInString: how YAML programs refer to others
          options: { provider: "${theirs}", dependsOn: ["${before}"], protect },
        },
      },
    });
  write(true);
  expect((await workspace.up()).code).toBe(0);
  const found = living(simulator).map(({ name, organization }) => [name.replace(/-\w+$/, ""), organization]);
  expect(found).toEqual([
    ["before", "org_ours"],
    ["worker-eu", "org_theirs"],
  ]);
  const [eu] = workspace.storedClusters().filter(({ urn }) => urn.endsWith("::worker-eu"));
  expect(eu?.dependencies?.map((urn: string) => urn.replace(/.*::/, ""))).toEqual(["before"]);
  expect((await workspace.destroy()).output).toContain("because it is protected");
  write(false);
  expect((await workspace.up()).code).toBe(0);
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
});
