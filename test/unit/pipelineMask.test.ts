import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** examples/pipeline: the output of `pulumi up --plan` without the values that the CLI prints if a plan does not fit. */

const mask = join(__dirname, "../../examples/pipeline/scripts/mask.mjs");
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
