import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import ts from "typescript";
import { type Bench, closeBenches, openBench } from "./harness";

/** Policies by class, as users write them: one for each resource class of a program. */
const pack = `const { PolicyPack, validateResourceOfType } = require("@pulumi/policy");
const gpu = require("pulumi-gpucluster");
const native = require("pulumi-gpucluster/native");
const atMost = (most) => (cluster, _args, report) => cluster.replicas > most && report("at most " + most + " replicas");
const policy = (name, resourceClass, validate) =>
  ({ name, description: name, enforcementLevel: "mandatory", validateResource: validateResourceOfType(resourceClass, validate) });
new PolicyPack("limits", { policies: [
  policy("dynamic-replicas", gpu.Cluster, atMost(5)),
  policy("native-replicas", native.Cluster, atMost(6)),
  policy("no-fleets", gpu.ClusterFleet, (_fleet, _args, report) => report("fleets are not allowed")),
  policy("no-other-service", native.Provider, ({ baseUrl }, _args, report) => baseUrl && report("no other service")),
] });
`;

const program = `
const native = require("pulumi-gpucluster/native");
const args = { gpuType: "h100", container: "acme/model:1" };
new gpu.Cluster("small", { ...args, replicas: 5 });
new native.Cluster("small-native", { ...args, replicas: 6 });
if (config.getBoolean("large")) {
  new gpu.Cluster("large", { ...args, replicas: 9 });
  new native.Cluster("large-native", { ...args, replicas: 9 });
  new gpu.ClusterFleet("fleet", { count: 1, cluster: args });
  new native.Provider("other", { baseUrl: process.env.GPUCLUSTER_BASE_URL });
}
`;

/**
 * Not `nodejs`: a language host that was built from the Go module proxy cannot run policy packs. For a runtime without a
 * language host, the engine looks for a program of this name, which needs one line only.
 */
const runtime = "node-by-hand";
const runner = resolve(__dirname, "../../node_modules/@pulumi/pulumi/cmd/run-policy-pack");
const host = `#!/bin/sh\nexec "${process.execPath}" "${runner}" "$@"\n`;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(program);
  addPack("policies", pack);
  const example = readFileSync(resolve(__dirname, "../../examples/policy/index.ts"), "utf8");
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  addPack("example", ts.transpileModule(example, { compilerOptions }).outputText);
  const { folder, env } = bench.workspace;
  writeFileSync(join(folder, `pulumi-analyzer-policy-${runtime}`), host, { mode: 0o755 });
  env["PATH"] = [folder, process.env["PATH"]].join(delimiter);
  const modules = join(folder, "node_modules/@pulumi");
  symlinkSync(resolve(__dirname, "../../node_modules/@pulumi/policy"), join(modules, "policy"));
});
afterAll(closeBenches);

function addPack(name: string, code: string): void {
  const folder = join(bench.workspace.folder, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "PulumiPolicy.yaml"), `runtime: ${runtime}\n`);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version: "0.0.1", main: "index.js" }));
  writeFileSync(join(folder, "index.js"), code);
}

describe("a mandatory policy by class, in a preview", () => {
  it("accepts resources that comply", async () => {
    const { code, output } = await bench.workspace.preview("--policy-pack", "policies");
    expect(output).not.toContain("[mandatory]");
    expect(code).toBe(0);
  });

  it("refuses resources of each class that violate it, before any request", async () => {
    const { code, output } = await bench.workspace.preview(
      "--policy-pack",
      "policies",
      "--config",
      "engine-test:large=true",
    );
    expect(code).not.toBe(0);
    const broken = [...output.matchAll(/\[mandatory\] +([\w-]+) +\(.*: ([\w-]+)\)/g)].map(([, ...found]) =>
      found.join(" "),
    );
    expect(broken.sort()).toEqual([
      "dynamic-replicas large",
      "native-replicas large-native",
      "no-fleets fleet",
      "no-other-service other",
    ]);
    expect(bench.writes()).toEqual([]);
  });
});

describe("examples/policy", () => {
  it("accepts clusters within its limits, and refuses all others, of both providers", async () => {
    const { workspace, writes } = bench;
    workspace.program(`
      const native = require("pulumi-gpucluster/native");
      const args = { gpuType: "h100", container: "acme/model:1", replicas: 8 };
      new gpu.Cluster("right", { ...args, gpuType: ["h100", "l4", "*"] });
      new native.Cluster("right-native", { ...args, replicas: { min: 1, max: 8 } });
      new gpu.Cluster("type", { ...args, gpuType: ["h200", "h100"] });
      new native.Cluster("range", { ...args, replicas: { min: 1, max: 9 } });
      new native.Cluster("image", { ...args, container: "acme/model:latest" });
      new gpu.ClusterFleet("fleet", { count: 1, cluster: { ...args, replicas: 9, plainEnv: true } });
    `);
    const { code, output } = await workspace.preview("--policy-pack", "example");
    expect(code).not.toBe(0);
    const broken = [...output.matchAll(/\[mandatory\] +([\w-]+) +\(.*: ([\w-]+)\)/g)].map(([, ...found]) =>
      found.join(" "),
    );
    expect(broken.sort()).toEqual(
      ["gpu-types type", "replicas range", "image image", "replicas fleet-0", "secret-env fleet-0"].sort(),
    );
    expect(writes()).toEqual([]);
  });
});
