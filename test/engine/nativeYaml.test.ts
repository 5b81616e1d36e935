import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { read, repository } from "../support/repository";
import { closeFixtures, living, openEndpoint, openFixture } from "./harness";

afterAll(closeFixtures);

const example = read("examples/native-yaml/Pulumi.yaml")
  .replace(/^name: .*$/m, "name: engine-test")
  .replace("path: ../../plugin", `path: ${join(repository, "plugin")}`);

test("the YAML example runs, scales by its config, shows its cost, and is destroyed", async () => {
  const { workspace, simulator, writes } = await openFixture("");
  simulator.setGpuType("h200", { stock: 0 });
  writeFileSync(join(workspace.folder, "Pulumi.yaml"), example);
  expect((await workspace.up()).code).toBe(0);
  const outputs = JSON.parse(await workspace.succeed("stack", "output", "--json"));
  const [web] = living(simulator);
  expect(outputs).toEqual({ endpoint: web?.endpoint, gpuType: "h100", hourlyCost: 5.98, canGrow: true });
  expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  await workspace.succeed("config", "set", "replicas", "3");
  expect((await workspace.preview()).output).toMatch(/~ hourlyCost: 5\.98 => 8\.97\n +~ replicas {2}: 2 => 3\n/);
  expect((await workspace.up()).code).toBe(0);
  // The first type is sold out, so the second one is requested.
  expect(writes()).toEqual(["POST /v1/clusters", "POST /v1/clusters", "POST /v1/clusters/:id/scale"]);
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
});

const programs = ["docs/_index.md", "docs/guides/languages.md"].flatMap((file) => {
  const page = read(file);
  return [...page.matchAll(/^```yaml\n(resources:[\s\S]*?)^```$/gm)].map(
    ([, program = ""]) => [file, program] as const,
  );
});

test.each(programs)("the examples in YAML run: %s", async (_file, program) => {
  const { url: endpoint } = await openEndpoint();
  const { workspace, simulator } = await openFixture("", { endpoint });
  const project = example.slice(0, example.indexOf("config:"));
  writeFileSync(join(workspace.folder, "Pulumi.yaml"), project + program);
  expect((await workspace.up()).code).toBe(0);
  const outputs = JSON.parse(await workspace.succeed("stack", "output", "--json"));
  expect(Object.values(outputs)).toEqual(living(simulator).map(({ endpoint }) => endpoint));
  expect((await workspace.destroy()).code).toBe(0);
});
