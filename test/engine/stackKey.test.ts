import { canaryKey, closeFixtures, type Fixture, living, openFixture, openNativeFixture } from "./harness";

afterAll(closeFixtures);

const strange = "canary-key-of-another-organization";
const rotated = "canary-key-rotated-8d13f2";
const apiKeys = { [canaryKey]: "org_test", [rotated]: "org_test", [strange]: "org_other" };

/** One cluster with each adapter, or with one of them only. */
const program = `
const native = require("pulumi-gpucluster/native");
const only = config.get("only");
for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native }))
  if (!only || only === name) new Cluster(name, { gpuType: "l4", container: "acme/model:1" });
`;

describe("the key and the names of requests in the stack's config, in both adapters, in order", () => {
  let fixture: Fixture;
  const setKey = (key: string) => fixture.workspace.succeed("config", "set", "--secret", "gpucluster:apiKey", key);
  beforeAll(async () => {
    fixture = await openFixture(program, { apiKeys, dialect: { requestNames: "client" } });
    await setKey(canaryKey);
    await fixture.workspace.succeed("config", "set", "gpucluster:requestNames", "client");
    fixture.workspace.env["GPUCLUSTER_API_KEY"] = strange;
  });

  it("decide what is sent: the key takes precedence over the environment, and each preview says so in one line", async () => {
    const { output } = await fixture.workspace.preview();
    const line = "GPUCLUSTER_API_KEY of the environment is not used: gpucluster:apiKey of the stack has another value";
    expect(output.split(line)).toHaveLength(3);
    expect(output).not.toContain("canary");
    expect((await fixture.workspace.up()).code).toBe(0);
    const bodies = fixture.simulator.requests.filter(({ method }) => method === "POST").map(({ body }) => body);
    expect(bodies).toMatchObject(Array(2).fill({ imageUrl: "acme/model:1" }));
    expect(living(fixture.simulator).map(({ organization }) => organization)).toEqual(["org_test", "org_test"]);
  });

  it("fail the preview, which sends nothing, if the key belongs to another organization", async () => {
    const { workspace, writes } = fixture;
    await workspace.makeOld();
    await setKey(strange);
    writes();
    for (const name of ["web", "api"]) {
      const { code, output } = await workspace.preview("--config", `engine-test:only=${name}`);
      expect(code).not.toBe(0);
      expect(output).toMatch(/is not known to this service and API key, but another service or key saw it last/);
    }
    expect(writes()).toEqual([]);
    await workspace.succeed("config", "rm", "only");
  });

  it("follow a rotation of the key in the config: refresh and destroy of a dynamic cluster need `--run-program`", async () => {
    const { simulator, workspace } = fixture;
    await setKey(rotated);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    simulator.revokeKey(canaryKey);
    const { code, output } = await workspace.refresh();
    expect(code).not.toBe(0);
    expect(output.replace(/\s+/g, " ")).toContain(
      "Check the API key, gpucluster:apiKey of the stack; `refresh` and `destroy` use that of the last `pulumi up`, and with `--run-program` the current one",
    );
    expect((await workspace.refresh("--run-program")).code).toBe(0);
    expect((await workspace.pulumi("destroy", "--yes", "--skip-preview", "--run-program")).code).toBe(0);
    expect(living(simulator)).toEqual([]);
  });
});

describe("a provider of the program with a name of the engine's own", () => {
  it("is refused: no cluster is created with the key of the stack", async () => {
    const { workspace, simulator, writes } = await openNativeFixture({}, { apiKeys });
    workspace.yaml({
      resources: {
        default: { type: "pulumi:providers:gpucluster", properties: { apiKey: strange, baseUrl: simulator.url } },
        theirs: {
          type: "gpucluster:Cluster",
          properties: { gpuType: "l4", container: "acme/model:1" },
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of a YAML program
          options: { provider: "${default}" },
        },
      },
    });
    const { code, output } = await workspace.up();
    expect(output).toMatch(
      /resource 'default' has a problem: the engine uses this name .* Give the provider another name/,
    );
    expect([code === 0, writes()]).toEqual([false, []]);
  });
});
