import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeBenches, living, openBench, openNativeBench } from "./harness";

afterAll(closeBenches);

const keys = { first: "canary-key-first", second: "canary-key-second", rotated: "canary-key-rotated" };
const apiKeys = { [keys.first]: "org_first", [keys.second]: "org_second", [keys.rotated]: "org_first" };
const properties = { gpuType: "h100", container: "acme/model:1" };
const organizationsOf = (requests: readonly { readonly organization?: string }[]) =>
  [...new Set(requests.map(({ organization }) => organization))].sort();

describe("two organizations in one program", () => {
  it("has the clusters of each under its own key, which is in no state in plain text", async () => {
    const { workspace, simulator } = await openNativeBench({}, { apiKeys });
    workspace.yaml({
      resources: {
        others: {
          type: "pulumi:providers:gpucluster",
          properties: { apiKey: keys.second, baseUrl: simulator.url },
        },
        ours: { type: "gpucluster:Cluster", properties },
        theirs: {
          type: "gpucluster:Cluster",
          properties,
          // biome-ignore lint/suspicious/noTemplateCurlyInString: how YAML programs refer to others
          options: { provider: "${others}" },
        },
      },
    });
    // An explicit provider's own key comes before the environment.
    workspace.env["GPUCLUSTER_API_KEY"] = keys.first;
    expect((await workspace.up()).output).toContain("4 created");
    expect(organizationsOf(living(simulator))).toEqual(["org_first", "org_second"]);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    expect(workspace.stateText()).not.toContain("canary");
    expect((await workspace.destroy()).code).toBe(0);
    expect(living(simulator)).toEqual([]);
  });
});

describe("a provider of the program with a name of the engine's own", () => {
  it("is refused: no cluster is created with the key of the stack", async () => {
    const { workspace, simulator, writes } = await openNativeBench({}, { apiKeys });
    workspace.yaml({
      resources: {
        default: { type: "pulumi:providers:gpucluster", properties: { apiKey: keys.second, baseUrl: simulator.url } },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: how YAML programs refer to others
        theirs: { type: "gpucluster:Cluster", properties, options: { provider: "${default}" } },
      },
    });
    await workspace.succeed("config", "set", "--secret", "gpucluster:apiKey", keys.first);
    const { code, output } = await workspace.up();
    expect(output).toMatch(
      /resource 'default' has a problem: the engine uses this name .* Give the provider another name/,
    );
    expect([code === 0, writes()]).toEqual([false, []]);
  });
});

describe("the key of the stack's config", () => {
  it("of another organization is an error of the preview, in both adapters, which sends nothing", async () => {
    const program = `
const native = require("pulumi-gpucluster/native");
const only = config.get("only");
for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native }))
  if (!only || only === name) new Cluster(name, ${JSON.stringify(properties)});
`;
    const { workspace, writes } = await openBench(program, { apiKeys });
    workspace.env["GPUCLUSTER_API_KEY"] = keys.first;
    expect((await workspace.up()).code).toBe(0);
    // Reads may lag behind a creation, so only an older cluster is certainly not known.
    const state = await workspace.succeed("stack", "export");
    writeFileSync(join(workspace.folder, "older.json"), state.replace(/("__createdAt": ")\d{4}/g, "$12020"));
    await workspace.succeed("stack", "import", "--file", "older.json");
    writes();
    workspace.env["GPUCLUSTER_API_KEY"] = keys.rotated;
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    workspace.env["GPUCLUSTER_API_KEY"] = keys.second;
    for (const name of ["web", "api"]) {
      const { code, output } = await workspace.preview("--config", `engine-test:only=${name}`);
      expect(code).not.toBe(0);
      expect(output).toMatch(/is not known to this service and API key, but another service or key saw it last/);
    }
    expect(writes()).toEqual([]);
  });
});
