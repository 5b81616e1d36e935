import { canaryKey, closeFixtures, type Fixture, living, openFixture } from "./harness";

const otherKey = "canary-key-of-the-other";
const apiKeys = { [canaryKey]: "org_test", [otherKey]: "org_other" };
const program = `import * as pulumi from "@pulumi/pulumi";
import * as native from "pulumi-gpucluster/native";

const config = new pulumi.Config();
const web = new native.Cluster("web", {
  gpuType: "h100",
  replicas: 2,
  container: "acme/model:1",
  env: { MODEL: "llama", TOKEN: "canary-value" },
});

const other = new native.Provider("other", {
  apiKey: config.requireSecret("otherKey"),
  baseUrl: config.require("url"),
  maxHourlyCost: 100,
});
const theirs = new native.Cluster("theirs", { gpuType: "l4", container: "acme/model:1" }, { provider: other });

export const { endpoint, name } = web;
export const ready = native.getClusterStatusOutput({ id: web.id }).readyReplicas;
export const found = native.getClusterOutput({ name: theirs.name }, { provider: other }).id;
export const own = theirs.id;
export const types = native.getGpuTypes().then(({ gpuTypes }) => gpuTypes.length);
`;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture("", { apiKeys });
  fixture.workspace.typeScript(program);
  await fixture.workspace.succeed("config", "set", "url", fixture.simulator.url);
  await fixture.workspace.succeed("config", "set", "--secret", "otherKey", otherKey);
});
afterAll(closeFixtures);

describe("a TypeScript program with native classes and two organizations, in order", () => {
  it("sends no request in the first preview for unknown arguments", async () => {
    expect((await fixture.workspace.preview()).code).toBe(0);
    fixture.workspace.withoutTypes();
    expect(fixture.simulator.requests.filter(({ path }) => path.startsWith("/v1/clusters/"))).toEqual([]);
  });

  it("creates clusters in two organizations, each under the key of its provider", async () => {
    const { code, output } = await fixture.workspace.up();
    expect(output).toContain("2/2 replicas healthy");
    expect(code).toBe(0);
    expect(fixture.writes()).toHaveLength(2);
    const organizations = living(fixture.simulator).map(({ name, organization }) => [name.split("-")[0], organization]);
    expect(organizations.sort()).toEqual([
      ["theirs", "org_other"],
      ["web", "org_test"],
    ]);
  });

  it("receives its outputs, and the results of functions of either organization", async () => {
    const outputs = JSON.parse(await fixture.workspace.succeed("stack", "output", "--json"));
    const web = living(fixture.simulator).find(({ name }) => name.startsWith("web"));
    expect(outputs).toMatchObject({ endpoint: web?.endpoint, name: web?.name, ready: 2, types: expect.any(Number) });
    expect(outputs).toMatchObject({ found: outputs.own });
  });

  it("shows no change in a second preview", async () => {
    expect((await fixture.workspace.preview("--expect-no-changes")).code).toBe(0);
  });

  it("has no secret in plain text in any state", async () => {
    expect(fixture.workspace.stateText()).not.toContain("canary");
  });

  it("is destroyed in both organizations", async () => {
    expect((await fixture.workspace.destroy()).code).toBe(0);
    expect(living(fixture.simulator)).toEqual([]);
  });
});
