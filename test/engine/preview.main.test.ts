import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeFixtures, type Fixture, openFixture } from "./harness";

/** The text that a user reads before confirming: the whole output of previews, in the files of `golden/`. */
const program = `
new gpu.Cluster("web", {
  gpuType: config.get("gpuType") ?? "h100",
  replicas: config.getNumber("replicas") ?? 2,
  container: "acme/model:1",
  env: { MODEL: config.get("model") ?? "meta-llama/Llama-3.1-8B-Instruct", TOKEN: "canary-value" },
  desiredStatus: config.get("status"),
});
`;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture(program);
});
afterAll(closeFixtures);

/**
 * The output without parts that differ between runs: ids, times and digits of names that depend on the folder, and the line by
 * which the CLI shows that it still works, on a busy machine.
 */
function steady(output: string): string {
  return output
    .replace(/cl_[0-9a-f]{8}/g, "cl_<id>")
    .replace(/-[0-9a-f]{8}\.(?=[a-z])/g, "-<id>.")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/ *\[provider=[^\]]*\]\n/g, "")
    .replace(/\(\d+s\)|Duration: .*/g, "")
    .replace(/^ *@ previewing update\.+\n/gm, "")
    .replace(/[ \t]+$/gm, "")
    .trim();
}

const settings = { replicas: "2", gpuType: "h100", model: "meta-llama/Llama-3.1-8B-Instruct", status: "running" };

/** Passes every setting each time, because the CLI stores the settings that it receives. */
async function textOf(changes: Partial<typeof settings>, ...command: string[]): Promise<string> {
  const { workspace } = fixture;
  const all = Object.entries({ ...settings, ...changes });
  const { code, output } = await workspace.pulumi(
    ...command,
    ...all.flatMap(([k, v]) => ["--config", `engine-test:${k}=${v}`]),
  );
  expect(output).not.toContain("canary");
  expect(code).toBe(0);
  return `${steady(output)}\n`;
}

/** With `UPDATE_GOLDEN=true`, rewrites the files; a person has to review them. */
function golden(name: string, text: string): string {
  const path = join(__dirname, "golden", `${name}.txt`);
  if (process.env["UPDATE_GOLDEN"] === "true") writeFileSync(path, text);
  return readFileSync(path, "utf8");
}

describe("the preview that a user reads before confirming", () => {
  it("shows the inputs and the cost of a creation", async () => {
    const text = await textOf({}, "preview", "--diff");
    expect(text).toBe(golden("create", text));
    expect(fixture.writes()).toEqual([]);
    expect((await fixture.workspace.up()).code).toBe(0);
  });

  it.each<[string, string, Partial<typeof settings>]>([
    ["more replicas", "scale", { replicas: "4" }],
    ["a stop", "stop", { status: "stopped" }],
    ["a replacement", "replace", { gpuType: "l4", model: "meta-llama/Llama-3.1-70B-Instruct" }],
  ])("shows only the changes, and the running capacity that is lost: %s", async (_title, name, changes) => {
    const text = await textOf(changes, "preview", "--diff");
    expect(text).toBe(golden(name, text));
  });

  it("shows the past cost of a deletion, and what happens to the cluster", async () => {
    const text = await textOf({}, "destroy", "--diff", "--preview-only");
    expect(text).toMatch(/hourlyCost {5}: 5.98/);
    expect(text).toBe(golden("delete", text));
    expect(fixture.writes().filter((line) => line !== "POST /v1/clusters")).toEqual([]);
  });
});
