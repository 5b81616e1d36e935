import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Bench, canaryKey, closeBenches, living, openBench } from "./harness";
import { pluginLines } from "./workspace";

/** The examples of the README and of the guides, word for word, as one program: its types are checked, and it runs. */
const documents = ["README.md", "docs/guides/delivery.md"];
const readme = documents.map((file) => readFileSync(join(__dirname, "../..", file), "utf8")).join("\n");
const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
// The simulator's own example is no program.
const examples = blocks.filter((code) => !code.includes("pulumi-gpucluster/simulator"));
const keys = { [canaryKey]: "org_test", "key-of-europe": "org_eu", "key-of-america": "org_us" };

let bench: Bench;

beforeAll(async () => {
  bench = await openBench("", { apiKeys: keys, endpoint: [{ kind: "status", status: 200 }] });
  const { simulator, workspace } = bench;
  const add = (name: string, gpuType = "h100") =>
    simulator.addCluster({ name, gpuType, container: "acme/search:1" }).id;
  const ids = new Map([
    ["cl_1a2b3c4d", add("search")],
    ["cl_5e6f7a8b", add("theirs")],
  ]);
  add("embeddings");
  workspace.typeScript(programOf(examples).replace(/cl_[0-9a-f]{8}/g, (id) => ids.get(id) ?? id));
  await workspace.succeed("config", "set", "--secret", "europeKey", "key-of-europe");
  Object.assign(workspace.env, { GPUCLUSTER_EU_KEY: "key-of-europe", GPUCLUSTER_US_KEY: "key-of-america" });
  const connections = { eu: { apiKeyEnv: "GPUCLUSTER_EU_KEY" }, us: { apiKeyEnv: "GPUCLUSTER_US_KEY" } };
  await workspace.succeed("config", "set", "gpucluster:connections", JSON.stringify(connections));
});
afterAll(closeBenches);

const imports = [
  'import * as pulumi from "@pulumi/pulumi";',
  'import * as gpu from "pulumi-gpucluster";',
  'import * as native from "pulumi-gpucluster/native";',
];

/** Wraps all examples in one async function, because some of them await, which is not allowed at this program's top level. */
function programOf(parts: readonly string[]): string {
  const body = parts
    .join("\n")
    .replace(/^import .*$/gm, "")
    .replace(/^export /gm, "");
  return `${imports.join("\n")}\nexport = async () => {\n${body}\n};\n`;
}

describe("the examples of the README", () => {
  it("contain every input of a cluster", () => {
    expect(examples.length).toBeGreaterThan(9);
  });

  it("contain the project lines that these tests use", () => {
    expect(readme).toContain(pluginLines);
  });

  it("run, and show no change afterwards", async () => {
    const { code, output } = await bench.workspace.up("--parallel", "16");
    expect(output).not.toMatch(/error/i);
    expect(code).toBe(0);
    expect(bench.simulator.clusters().map(({ name }) => name.replace(/-[0-9a-f]{7}$/, ""))).toEqual(
      expect.arrayContaining([
        "web",
        "nightly",
        "reader",
        "swarm",
        "batch",
        "flexible",
        "precious",
        "open",
        "paris",
        "berlin",
        "moved",
      ]),
    );
    bench.workspace.withoutTypes();
    expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
  });

  it("leave exactly the clusters that the README says stay", async () => {
    expect((await bench.workspace.destroy()).code).toBe(0);
    const left = living(bench.simulator).map(({ name }) => name.replace(/-[0-9a-f]{7}$/, ""));
    expect(left.sort()).toEqual(["embeddings", "precious", "theirs"]);
  });
});
