import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { run } from "../install/run";
import { repository } from "../support/repository";
import { closeFixtures, type Fixture, living, openFixture } from "./harness";

const example = join(repository, "examples/operator");
const read = (name: string) => readFileSync(join(example, name), "utf8");
const program = parse(read("program.yaml"));
const { spec } = parseAllDocuments(read("stack.yaml"))
  .map((document) => document.toJS())
  .find(({ kind }) => kind === "Stack");

let fixture: Fixture;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gpucluster-operator-"));
  await run([process.execPath, join(repository, "scripts/packPlugin.mjs"), folder], folder);
  fixture = await openFixture("");
  delete fixture.workspace.env["PULUMI_STACK"];
  fixture.workspace.env["PULUMI_HOME"] = mkdtempSync(join(folder, "home-"));
  const name = "pulumi-resource-gpucluster";
  const { version } = program.program.resources.chat.options;
  const archive = join(folder, `${name}-v${version}-linux-amd64.tar.gz`);
  // The last lines of the Dockerfile.
  expect(read("Dockerfile").replace(/\$\{GPUCLUSTER_VERSION\}/g, version)).toContain(
    `COPY ${name}-v${version}-linux-\${TARGETARCH}.tar.gz plugin.tar.gz
RUN pulumi plugin install resource gpucluster ${version} --file plugin.tar.gz
`,
  );
  await fixture.workspace.succeed("plugin", "install", "resource", "gpucluster", version, "--file", archive);
});
afterAll(async () => {
  await closeFixtures();
  rmSync(folder, { recursive: true, force: true });
});

const hfToken = "canary-hf-token";

/**
 * A new workspace pod, in whose empty folder the agent of the operator does what that of version 2.9.0 does: it writes the
 * project, installs, selects the stack, and sets the config.
 */
async function openPod() {
  const project = mkdtempSync(join(folder, "pod-"));
  const files = { name: program.metadata.name, runtime: "yaml", ...program.program };
  writeFileSync(join(project, "Pulumi.yaml"), JSON.stringify(files));
  const pulumi = (...args: string[]) => fixture.workspace.succeed(...args, "--cwd", project);
  await pulumi("install");
  await pulumi("stack", "select", spec.stack, "--create");
  const config = Object.entries<string>(spec.config).flatMap(([key, value]) => {
    const [space, name] = key.split(":");
    return ["--plaintext", `${space}:["${name}"]=${value}`];
  });
  await pulumi("config", "set-all", "--path", ...config, "--secret", `serving:["hfToken"]=${hfToken}`);
  return (...args: string[]) => pulumi("up", "--yes", "--skip-preview", "--refresh", "--parallel", "128", ...args);
}

describe("the Program of examples/operator, by the commands of the operator's agent", () => {
  it("comes up in a pod without a network, with the config of the Stack", async () => {
    const up = await openPod();
    const output = await up();
    expect(output).toContain("2/2 replicas healthy");
    expect(output).not.toContain("canary");
    expect(living(fixture.simulator)).toMatchObject([{ gpuType: "h100", replicas: 2, env: { HF_TOKEN: hfToken } }]);
    // The name is the one that `gpucluster:resume` makes.
    expect(living(fixture.simulator)[0]?.name).toMatch(/^chat-[0-9a-f]{12}$/);
  });

  it("does not change in another pod, which has nothing but the backend", async () => {
    fixture.writes();
    const up = await openPod();
    await up("--expect-no-changes");
    expect(fixture.writes()).toEqual([]);
  });

  it("is limited by `maxHourlyCost` of the Stack", async () => {
    expect(Number(spec.config["gpucluster:maxHourlyCost"])).toBe(50);
    program.program.resources.chat.properties.replicas = 17;
    const up = await openPod();
    await expect(up()).rejects.toThrow(/gpucluster:maxHourlyCost is 50\.00, but .* 50\.83 USD per hour/);
    expect(living(fixture.simulator)).toMatchObject([{ replicas: 2 }]);
  });
});
