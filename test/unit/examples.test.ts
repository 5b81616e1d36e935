import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import manifest from "../../package.json";

const examples = join(__dirname, "../../examples");
const folder = join(examples, "operator");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const manifests = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .flatMap((name) => parseAllDocuments(read(name)).map((document) => document.toJS()));

describe("the example for the Pulumi Kubernetes Operator", () => {
  const { spec } = manifests.find(({ kind }) => kind === "Stack");

  it("contains no secret, only references", () => {
    const references = { ...spec.envRefs, ...spec.secretsRef };
    const literals = Object.entries<{ type: string }>(references).filter(([, { type }]) => type !== "Secret");
    expect(literals.map(([name]) => name)).toEqual(["GPUCLUSTER_BASE_URL"]);
    expect(Object.keys(references)).toEqual(
      expect.arrayContaining(["GPUCLUSTER_API_KEY", "PULUMI_CONFIG_PASSPHRASE", "hfToken"]),
    );
  });

  it("has an image with the CLI that all this is tested with, and the plugin of this version", () => {
    const { version, config } = manifest;
    expect(read("Dockerfile")).toContain(`FROM pulumi/pulumi-base:${config.pulumi}\n`);
    expect(read("Dockerfile")).toContain(`ARG GPUCLUSTER_VERSION=${version}\n`);
    expect(read("program.yaml")).toContain(`version: ${version} `);
    expect(spec.workspaceTemplate.spec.image).toMatch(new RegExp(`:${version}$`));
  });
});

/** The output of `pulumi up --plan` without the values that the CLI prints if a plan does not fit. */

const mask = join(examples, "pipeline/scripts/mask.mjs");
const canary = "canary-7f3a9e";
const masked = (input: string) => execFileSync(process.execPath, [mask], { input, encoding: "utf8" });

describe.each(["properties", "outputs"])("%s: the mask of changes that do not fit a plan", (kind) => {
  it.each<[string, string, string]>([
    ["hides one line", `~~env[{map[TOKEN:{${canary}}]}!={map[TOKEN:{other}]}]`, "env"],
    ["hides several lines", `~~env[{map[KEY:{-----BEGIN\n${canary}\n${canary}}]}!={map[]}]`, "env"],
    ["hides a lone carriage return", `~~env[{map[KEY:{a\r${canary}}]}!={map[]}]`, "env"],
    ["hides other line separators", `~~env[{map[KEY:{a\u2028${canary}\u0085${canary}}]}!={map[]}]`, "env"],
    ["hides a value without a name", `{${canary}}`, "not named"],
  ])("%s", (_title, change, name) => {
    const before = `Diagnostics:\n  gpucluster:Cluster (web):\nerror: violates plan: ${kind} changed: `;
    const after = "\nResources:\n  1\n";
    expect(masked(`${before}${change}${after}`)).toBe(`${before}${name} (values are left out here)${after}`);
  });
});

test("the mask keeps any other output", () => {
  const output = "Updating (dev):\n + web created\nOutputs:\n  endpoint: https://web\n";
  expect(masked(output)).toBe(output);
});
