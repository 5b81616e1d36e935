import { type Bench, closeBenches, living, openBench } from "./harness";

/** What a preview, a state and an error show of a cluster's variables: everything but secrets. */

afterAll(closeBenches);

const secrets = {
  HF_TOKEN: "canary-by-its-name",
  DATABASE: "postgres://app:canary-by-its-value@db/app",
  LICENSE: "canary-by-its-mark",
};

const program = `
const model = config.get("model") ?? "llama-8b";
const web = new gpu.Cluster("web", {
  gpuType: "h100",
  container: "acme/model:1",
  env: {
    MODEL: config.getBoolean("hidden") ? pulumi.secret(model) : model,
    HF_TOKEN: "${secrets.HF_TOKEN}",
    DATABASE: "${secrets.DATABASE}",
    LICENSE: pulumi.output(config.requireSecret("license")).apply((text) => text),
  },
  extraFields: { tier: "secure", registry: { user: "me", password: "canary-in-a-field" } },
});
exports.env = web.env;
`;

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: how YAML programs refer to others */
const yaml = {
  config: { model: { type: "string", default: "llama-8b" }, license: { type: "string", secret: true } },
  resources: {
    web: {
      type: "gpucluster:Cluster",
      properties: {
        gpuType: "h100",
        container: "acme/model:1",
        env: { MODEL: "${model}", ...secrets, LICENSE: "${license}" },
        extraFields: { tier: "secure", registry: { user: "me", password: "canary-in-a-field" } },
      },
    },
  },
  outputs: { env: "${web.env}" },
};
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: how YAML programs refer to others */

/** The output of a command, without a secret in it or in the state. */
async function outputOf({ workspace }: Bench, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const { code, output } = await workspace.pulumi(...args);
  const leaks = `${output}${workspace.stateText()}`.match(/.{0,80}canary.{0,20}/g);
  expect(leaks).toBeNull();
  return { code, output };
}

describe.each(["TypeScript", "YAML"])("the variables of a cluster (%s)", (language) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(language === "YAML" ? "" : program, { dialect: { unknownFields: "ignored" } });
    if (language === "YAML") bench.workspace.yaml(yaml);
    await bench.workspace.succeed("config", "set", "--secret", "license", secrets.LICENSE);
  });
  const preview = () => outputOf(bench, "preview", "--diff");
  const up = () => outputOf(bench, "up", "--yes", "--skip-preview");

  it("show in the preview of a creation, except those that the rule hides, field by field", async () => {
    const { output } = await preview();
    expect(output).toMatch(/MODEL +: "llama-8b"/);
    for (const secret of ["HF_TOKEN", "DATABASE", "LICENSE", "password"])
      expect(output).toMatch(new RegExp(`${secret} *: \\[secret\\]`));
    expect(output).toMatch(/tier +: "secure"/);
    expect(output).not.toContain("__");
  });

  it("are sent as they are, and stored in plain text except the secret ones; an output with a secret is secret", async () => {
    expect((await up()).code).toBe(0);
    expect(living(bench.simulator)[0]?.env).toEqual({ MODEL: "llama-8b", ...secrets });
    expect(bench.workspace.stateText()).toContain("llama-8b");
    // The host of YAML makes a secret of each part, and the CLI leaves these out; the SDK makes one of the whole.
    const env = await bench.workspace.succeed("stack", "output", "env");
    expect(env).toMatch(language === "YAML" ? /"LICENSE":\{\}.*"MODEL":"llama-8b"/ : /\[secret\]/);
    expect((await outputOf(bench, "preview", "--expect-no-changes")).code).toBe(0);
    expect((await outputOf(bench, "refresh", "--yes", "--skip-preview", "--expect-no-changes")).code).toBe(0);
  });

  it("show the old and the new value of a change, and in the service's refusal of it", async () => {
    await bench.workspace.succeed("config", "set", "model", "llama-70b");
    expect((await preview()).output).toMatch(/~ MODEL *: "llama-8b" => "llama-70b"/);
    const message = `llama-70b is not for ${secrets.LICENSE}, ${secrets.HF_TOKEN} or ${secrets.DATABASE}`;
    bench.simulator.fault({ kind: "status", status: 422, method: "PATCH", message });
    const { code, output } = await up();
    expect([code, output]).toEqual([1, expect.stringContaining("llama-70b is not for [secret], [secret] or [secret]")]);
    expect((await up()).code).toBe(0);
    expect(living(bench.simulator)[0]?.env).toEqual({ MODEL: "llama-70b", ...secrets });
  });

  it("show a change by others, but no value that others have added, in a refresh and afterwards", async () => {
    const [web] = living(bench.simulator);
    bench.simulator.change(web?.id ?? "", { env: { ...web?.env, MODEL: "other-model", ADDED: "canary-of-others" } });
    const { output } = await outputOf(bench, "refresh", "--yes", "--skip-preview", "--diff");
    expect(output).toMatch(/~ MODEL *: "llama-70b" => "other-model"/);
    expect(output).toMatch(/\+ ADDED *: \[secret\]/);
    expect((await preview()).output).toMatch(/~ MODEL *: "other-model" => "llama-70b"/);
    expect((await up()).code).toBe(0);
    expect(living(bench.simulator)[0]?.env).toEqual({ MODEL: "llama-70b", ...secrets });
  });

  if (language !== "YAML")
    it("are encrypted by an update that sends nothing, once the program marks one", async () => {
      await bench.workspace.succeed("config", "set", "hidden", "true");
      bench.writes();
      const { output } = await preview();
      expect(output).not.toContain("__");
      expect(output).toContain("the program marks more as secret; the state is encrypted anew");
      expect((await up()).output).toContain("~ 1 updated");
      expect(bench.writes()).toEqual([]);
      expect(JSON.stringify(bench.workspace.storedClusters())).not.toContain("llama-70b");
      expect((await outputOf(bench, "preview", "--expect-no-changes")).code).toBe(0);
    });
});
