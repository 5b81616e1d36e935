import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Bench, closeBenches, idsOf, living, openBench } from "./harness";

afterAll(closeBenches);

const program = (args = "") => `
new gpu.Cluster("web", { gpuType: "h100", replicas: 2, container: "acme/model:1", env: { TOKEN: "canary-value" }, ${args} },
  { customTimeouts: { create: "4s", update: "4s" } });
`;

describe("a cluster that does not become healthy", () => {
  let bench: Bench;
  beforeAll(async () => {
    // With half of a surrogate pair at its end, as from a service that truncates its texts: gRPC accepts none.
    const message = "image acme/model:1 not found for canary-value \ud83d";
    bench = await openBench(program(), { faults: [{ kind: "sick-replica", replica: 1, message }] });
  });

  it("fails within its time limit with the state, the replica and its reason, and is kept", async () => {
    const { code, output } = await bench.workspace.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/cluster "web-[0-9a-f]{7}" \(cl_\w+\) was created, but is not ready: timed out after \ds/);
    expect(output).toMatch(/created as cl_\w+/);
    expect(output).toMatch(/1\/2 replicas healthy, provisioning/);
    expect(output).toMatch(/replica rep_\S+: unhealthy, image acme\/model:1 not found for \[secret\]/);
    expect(output).toContain("run `pulumi up` again to continue from here");
    expect(output).not.toContain("canary");
    const [kept] = bench.workspace.storedClusters();
    expect(kept).toMatchObject({ id: living(bench.simulator)[0]?.id, outputs: { settled: false, readyReplicas: 1 } });
    expect(kept?.initErrors).toHaveLength(1);
    expect(bench.workspace.stateText()).not.toContain("canary");
    expect(bench.writes()).toEqual(["POST /v1/clusters"]);
  });

  it("is waited for again by the next up, which sends nothing, and succeeds after it has become healthy", async () => {
    expect((await bench.workspace.preview()).output).toContain("~ 1 to update");
    bench.simulator.change(living(bench.simulator)[0]?.id ?? "", { sickReplica: undefined });
    expect((await bench.workspace.up()).code).toBe(0);
    expect(bench.writes()).toEqual([]);
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
  });

  it("is still unfinished after a refresh, and is redeployed if it has failed", async () => {
    const id = living(bench.simulator)[0]?.id ?? "";
    bench.simulator.change(id, { status: "failed", message: "out of memory" });
    expect((await bench.workspace.refresh()).code).toBe(0);
    bench.writes();
    // The time limit of this program is too short for a whole rollout.
    await bench.workspace.up();
    expect(bench.writes()).toEqual(["POST /v1/clusters/:id/redeploy"]);
    bench.simulator.change(id, { status: "running" });
    expect((await bench.workspace.up()).code).toBe(0);
    expect(living(bench.simulator).map(({ status }) => status)).toEqual(["running"]);
  });
});

describe("a create request whose answer is lost", () => {
  const losses = {
    broken: { kind: "drop", when: "after" },
    gateway: { kind: "status", status: 502, when: "after" },
    cut: { kind: "truncate" },
  } as const;

  it("makes exactly one cluster: the connection breaks, a gateway answers 502, the answer is truncated", async () => {
    const names = Object.keys(losses);
    const posted = { method: "POST", path: "/v1/clusters" };
    const faults = Object.entries(losses).map(([name, loss]) => ({ ...posted, name, ...loss }));
    const cluster = (name: string) =>
      `new gpu.Cluster("${name}", { name: "${name}", gpuType: "h100", container: "acme/model:1" });`;
    const { workspace, simulator, writes } = await openBench(names.map(cluster).join("\n"), { faults });
    expect((await workspace.up()).code).toBe(0);
    expect(living(simulator)).toHaveLength(names.length);
    expect(idsOf(workspace.storedClusters())).toEqual(idsOf(living(simulator)));
    expect(writes()).toEqual(names.map(() => "POST /v1/clusters"));
    const answered = simulator.requests.filter(({ method }) => method === "POST").map(({ status }) => status);
    expect(answered).toEqual(expect.arrayContaining(["dropped", 502]));
  });
});

describe("a service that cannot be used", () => {
  it("says what to check if the key is refused", async () => {
    const { workspace } = await openBench(program());
    workspace.env["GPUCLUSTER_API_KEY"] = "wrong-key-canary";
    const { code, output } = await workspace.up();
    expect(code).not.toBe(0);
    expect(output).toContain("HTTP 401). Check the API key, GPUCLUSTER_API_KEY of the environment");
    expect(output).not.toMatch(/wrong-key|at .*\.js:\d+/);
  });

  it("says that it is down; a preview still works, with one warning", async () => {
    const { workspace, simulator } = await openBench(program());
    await simulator.close();
    const preview = await workspace.preview();
    expect(preview.code).toBe(0);
    expect(preview.output.match(/^\s*warning: .*could not be checked/gm)).toHaveLength(1);
    const { code, output } = await workspace.up();
    expect(code).not.toBe(0);
    expect(output).toContain("the connection was refused (ECONNREFUSED");
    const address = "Check the address of the service, GPUCLUSTER_BASE_URL of the environment";
    expect(output).toContain(address);
  });

  it("says in one line what is missing, and where to set it", async () => {
    const { workspace } = await openBench(program());
    delete workspace.env["GPUCLUSTER_API_KEY"];
    delete workspace.env["GPUCLUSTER_BASE_URL"];
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    for (const place of ["GPUCLUSTER_API_KEY", "gpucluster:apiKey", "GPUCLUSTER_BASE_URL", "gpucluster:baseUrl"]) {
      expect(output).toContain(place);
    }
  });
});

describe("a cluster of an internal package, in a strict layout of packages", () => {
  it("fails in the program, in two lines, if the project itself does not depend on pulumi-gpucluster", async () => {
    const { workspace, simulator } = await openBench("");
    const modules = join(workspace.folder, "node_modules");
    const platform = join(modules, "acme-platform");
    mkdirSync(join(platform, "node_modules"), { recursive: true });
    renameSync(join(modules, "pulumi-gpucluster"), join(platform, "node_modules/pulumi-gpucluster"));
    writeFileSync(join(platform, "index.js"), `const gpu = require("pulumi-gpucluster");${program()}`);
    writeFileSync(join(workspace.folder, "index.js"), 'require("acme-platform");');
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    expect(output).toMatch(
      /error: Cluster "web": Pulumi does not find the package pulumi-gpucluster in \S+, where it .*\n\s*Add pulumi-gpucluster /,
    );
    expect(output).not.toMatch(/Cannot find module|\bat .*:\d+/);
    expect(simulator.requests).toEqual([]);
  });
});
