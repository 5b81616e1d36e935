import { aliasOf, move } from "./adapterMove";
import { type Bench, closeBenches, living, openBench } from "./harness";

afterAll(closeBenches);

const properties = { gpuType: "h100", replicas: 2, container: "acme/model:1", env: { TOKEN: "canary-value" } };

/** A stack of the dynamic adapter, to be moved. */
async function begin(): Promise<Bench> {
  const bench = await openBench(`new gpu.Cluster("web", ${JSON.stringify(properties)});`);
  expect((await bench.workspace.up()).code).toBe(0);
  return bench;
}

/** Moves the stack back to its first adapter, and then destroys it. */
async function end(bench: Bench): Promise<void> {
  const { workspace, simulator } = bench;
  const options = JSON.stringify(aliasOf("native"));
  await move(bench, "dynamic", () =>
    workspace.program(`new gpu.Cluster("web", ${JSON.stringify(properties)}, ${options});`),
  );
  expect(await workspace.stateText()).not.toContain("canary");
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
}

it("a stack moves to a YAML program by one line, which can be removed, and back", async () => {
  const bench = await begin();
  const { workspace } = bench;
  const web = { type: "gpucluster:Cluster", properties };
  await move(bench, "native", () => workspace.yaml({ resources: { web: { ...web, options: aliasOf("dynamic") } } }));
  workspace.yaml({ resources: { web } });
  expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  await end(bench);
});

it("a stack moves to a provider of the program, and back", async () => {
  const bench = await begin();
  const { workspace } = bench;
  await move(bench, "native", () =>
    workspace.program(`const native = require("pulumi-gpucluster/native");
      const { GPUCLUSTER_API_KEY: apiKey, GPUCLUSTER_BASE_URL: baseUrl } = process.env;
      const provider = new native.Provider("own", { apiKey, baseUrl });
      const options = { provider, ...${JSON.stringify(aliasOf("dynamic"))} };
      new native.Cluster("web", ${JSON.stringify(properties)}, options);`),
  );
  await end(bench);
});
