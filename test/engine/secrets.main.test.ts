import { isEverything } from "../support/shares";
import { canaryKey, closeFixtures, type Fixture, living, openFixture } from "./harness";

/** What commands and states show of a cluster's variables, in both adapters: everything but secrets. */

afterAll(closeFixtures);

const secrets = {
  HF_TOKEN: "canary-by-its-name",
  DATABASE: "postgres://app:canary-by-its-value@db/app",
  LICENSE: "canary-by-its-mark",
};

const program = `
const model = config.get("model") ?? "llama-8b";
const web = new gpu.Cluster("web", {
  gpuType: config.get("gpuType") ?? "h100",
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

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: references of a YAML program */
const yaml = {
  config: {
    model: { type: "string", default: "llama-8b" },
    gpuType: { type: "string", default: "h100" },
    license: { type: "string", secret: true },
  },
  resources: {
    web: {
      type: "gpucluster:Cluster",
      properties: {
        gpuType: "${gpuType}",
        container: "acme/model:1",
        env: { MODEL: "${model}", ...secrets, LICENSE: "${license}" },
        extraFields: { tier: "secure", registry: { user: "me", password: "canary-in-a-field" } },
      },
    },
  },
  outputs: { env: "${web.env}" },
};
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: references of a YAML program */

// The life of a cluster with YAML shows no secret either.
const languages = isEverything ? ["TypeScript", "YAML"] : ["TypeScript"];

describe.each(languages)("the variables of a cluster (%s), in order", (language) => {
  let fixture: Fixture;
  beforeAll(async () => {
    const dialect = { unknownFields: "ignored", injectedEnv: { SERVICE_TOKEN: "canary-injected" } } as const;
    fixture = await openFixture(language === "YAML" ? "" : program, { dialect });
    if (language === "YAML") fixture.workspace.yaml(yaml);
    await fixture.workspace.succeed("config", "set", "--secret", "license", secrets.LICENSE);
  });

  /** The result of a command that shows no secret, even with every log on, and leaves none in the state. */
  const run = async (...args: string[]) => {
    const { code, output } = await fixture.workspace.pulumi(...args);
    // At level 9, the engine's own log contains all messages to providers.
    const printed = output.replace(/^\{"time":.*$/gm, "");
    expect(`${printed}${fixture.workspace.stateText()}`.match(/.{0,80}canary.{0,20}/g)).toBeNull();
    expect(output).not.toContain(canaryKey);
    return { code, output };
  };
  const preview = () => run("preview", "--diff");
  const up = () => run("up", "--yes", "--skip-preview", "-v9", "--logtostderr");
  const env = () => living(fixture.simulator)[0]?.env;

  it("show in the preview of a creation, field by field, except those that look like a credential or are marked", async () => {
    const { output } = await preview();
    expect(output).toMatch(/MODEL +: "llama-8b"/);
    for (const secret of ["HF_TOKEN", "DATABASE", "LICENSE", "password"])
      expect(output).toMatch(new RegExp(`${secret} *: \\[secret\\]`));
    expect(output).toMatch(/tier +: "secure"/);
    expect(output).not.toContain("__");
    expect((await run("preview", "--json")).code).toBe(0);
  });

  it("are sent as they are, and stored in plain text except the secret ones; an output with a secret is secret", async () => {
    expect((await up()).code).toBe(0);
    expect(env()).toEqual({ MODEL: "llama-8b", ...secrets });
    expect(fixture.workspace.stateText()).toContain("llama-8b");
    // The host of YAML makes a secret of each part, and the CLI leaves these out; the SDK makes one of the whole.
    const output = await fixture.workspace.succeed("stack", "output", "env");
    expect(output).toMatch(language === "YAML" ? /"LICENSE":\{\}.*"MODEL":"llama-8b"/ : /\[secret\]/);
    expect((await run("refresh", "--yes", "--skip-preview", "--expect-no-changes")).code).toBe(0);
  });

  it("show the old and the new value of a change, and in the service's refusal of it", async () => {
    await fixture.workspace.succeed("config", "set", "model", "llama-70b");
    expect((await preview()).output).toMatch(/~ MODEL *: "llama-8b" => "llama-70b"/);
    const message = `llama-70b is not for ${Object.values(secrets).join(", ")} or ${canaryKey}`;
    fixture.simulator.fault({ kind: "status", status: 422, method: "PATCH", message });
    const { code, output } = await up();
    expect(output).toContain("llama-70b is not for [secret], [secret], [secret] or [secret]");
    expect(code).not.toBe(0);
    expect((await up()).code).toBe(0);
    expect(env()).toEqual({ MODEL: "llama-70b", ...secrets });
  });

  it("show a change by another user in a refresh and in the preview that corrects it, but no value that the user added", async () => {
    const [web] = living(fixture.simulator);
    const changed = { ...web?.env, MODEL: "other-model", HF_TOKEN: "canary-changed", ADDED: "canary-added" };
    fixture.simulator.change(web?.id ?? "", { env: changed, replicas: 4, container: "acme/model:2" });
    const { output } = await run("refresh", "--yes", "--skip-preview", "--diff");
    expect(output).toMatch(/~ MODEL *: "llama-70b" => "other-model"/);
    expect(output).toMatch(/~ HF_TOKEN *: \[secret\]/);
    expect(output).toMatch(/\+ ADDED *: \[secret\]/);
    expect(output).toMatch(/~ replicas *: 1 => 4/);
    expect(output).toMatch(/~ container *: "acme\/model:1" => "acme\/model:2"/);
    expect((await preview()).output).toMatch(/~ MODEL *: "other-model" => "llama-70b"/);
    expect((await up()).code).toBe(0);
    expect(living(fixture.simulator)).toMatchObject([{ replicas: 1, container: "acme/model:1" }]);
    expect(env()).toEqual({ MODEL: "llama-70b", ...secrets });
  });

  it("are not shown by the failure of a preview, which names the wrong input", async () => {
    const { code, output } = await run("preview", "--config", "engine-test:gpuType=?");
    expect(output).toContain("gpuType: must be the identifier of a GPU type");
    expect(code).not.toBe(0);
    await fixture.workspace.succeed("config", "rm", "gpuType");
  });

  if (language !== "YAML")
    it("are encrypted by an update that sends nothing, once the program marks one", async () => {
      await fixture.workspace.succeed("config", "set", "hidden", "true");
      fixture.writes();
      const { output } = await preview();
      expect(output).not.toContain("__");
      expect(output).toContain("the program marks more as secret; the state is encrypted anew");
      expect((await up()).output).toContain("~ 1 updated");
      expect(fixture.writes()).toEqual([]);
      expect(JSON.stringify(fixture.workspace.storedClusters())).not.toContain("llama-70b");
    });
});
