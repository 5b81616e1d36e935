import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import ts from "typescript";
import { blocksOf, pages, programOf } from "../support/documents";
import type { EndpointServer } from "../support/endpointServer";
import { canaryKey, closeFixtures, type Fixture, living, openEndpoint, openFixture } from "./harness";
import { cliRoot, pluginLines, startProcess } from "./workspace";

/** The examples of the README and of all documents, word for word. Those of programs are one program together. */
const text = [...pages.values()].join("\n");
const isSimulation = (code: string) => code.includes("pulumi-gpucluster/simulator");
const blocks = blocksOf("ts");
const examples = blocks.filter((code) => !isSimulation(code));
const keys = {
  [canaryKey]: "org_test",
  "key-of-europe": "org_eu",
  "key-of-america": "org_us",
  "key-of-asia": "org_ap",
};

let fixture: Fixture;
let endpoint: EndpointServer;

beforeAll(async () => {
  endpoint = await openEndpoint();
  fixture = await openFixture("", {
    apiKeys: keys,
    endpoint: endpoint.url,
    // With pages, a list says whether it is complete, whatever the number of examples.
    dialect: { unknownFields: "ignored", paging: "cursor" },
  });
  const { simulator, workspace } = fixture;
  const add = (name: string, gpuType = "h100") =>
    simulator.addCluster({ name, gpuType, container: "acme/search:1" }).id;
  const ids = new Map([
    ["cl_1a2b3c4d", add("search")],
    ["cl_5e6f7a8b", add("theirs")],
  ]);
  add("embeddings");
  for (const type of ["l4", "h100"]) simulator.setGpuType(type, { stock: 1_000 });
  const { imports, body } = programOf(
    examples.map((code) => code.replace(/cl_[0-9a-f]{8}/g, (id) => ids.get(id) ?? id)),
  );
  workspace.typeScript(`${imports}\nexport = async () => {\n${body}\n};\n`);
  workspace.env["ASIA_KEY"] = "key-of-asia";
  await workspace.succeed("config", "set", "power", "stopped");
  await workspace.succeed("config", "set", "--secret", "europeKey", "key-of-europe");
  await workspace.succeed("config", "set", "--secret", "americaKey", "key-of-america");
  await workspace.succeed("config", "set", "--secret", "modelKey", "key-of-the-model");
});
afterAll(closeFixtures);

describe("the examples of programs in the documents", () => {
  it("are found, with the lines of a project that these tests use", () => {
    expect(examples.length).toBeGreaterThan(9);
    expect(text).toContain(pluginLines);
  });

  it("run, and show no change afterwards", async () => {
    const { code, output } = await fixture.workspace.up("--parallel", "16");
    expect(output).not.toMatch(/error/i);
    expect(code).toBe(0);
    const nightly = living(fixture.simulator).find(({ name }) => name.startsWith("nightly-"));
    expect(nightly).toMatchObject({ status: "stopped" });
    fixture.workspace.withoutTypes();
    expect((await fixture.workspace.preview("--expect-no-changes")).code).toBe(0);
  });

  it("create clusters with the key that their provider names, from its arguments or from a variable", async () => {
    const listOf = async (key: string) => {
      const answer = await fetch(`${fixture.simulator.url}/v1/clusters`, {
        headers: { authorization: `Bearer ${key}` },
      });
      return answer.text();
    };
    const seen = await Promise.all(["key-of-europe", "key-of-america", "key-of-asia"].map(listOf));
    expect(seen.map((list) => [...new Set(list.match(/berlin|boston|osaka/g))])).toEqual([
      ["berlin"],
      ["boston"],
      ["osaka"],
    ]);
    expect(fixture.workspace.stateText()).not.toMatch(/key-of-(europe|america|asia)/);
  });

  it("probe the endpoints of clusters with a readiness probe, and never send the API key there", () => {
    expect(endpoint.requests).not.toEqual([]);
    expect(JSON.stringify(endpoint.requests)).not.toContain(canaryKey);
  });

  it("leave exactly the clusters that the documents say stay", async () => {
    expect((await fixture.workspace.destroy()).code).toBe(0);
    const left = living(fixture.simulator).map(({ name }) => name.replace(/-[0-9a-f]{7}$/, ""));
    expect(left.sort()).toEqual(["embeddings", "precious", "theirs"]);
  });
});

describe("the scripts in the documents", () => {
  function javaScriptOf(code: string): string {
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    return ts.transpileModule(code, { compilerOptions }).outputText;
  }

  /** Runs an example as a module of its own, beside the packages of the program. */
  function runScript(name: string, code: string) {
    const file = join(fixture.workspace.folder, `${name}.mjs`);
    writeFileSync(file, javaScriptOf(code));
    return runNode([file]);
  }

  function runNode(args: readonly string[], variables: Record<string, string> = {}) {
    const { folder: cwd, env } = fixture.workspace;
    const PATH = [join(cliRoot, "bin"), process.env["PATH"]].join(delimiter);
    return startProcess(process.execPath, args, { cwd, env: { ...process.env, ...env, PATH, ...variables } }).ended;
  }

  it("start the simulator", async () => {
    const [code = "", ...others] = blocks.filter(isSimulation);
    expect(others).toEqual([]);
    expect(await runScript("simulation", code)).toEqual({ code: 0, output: "" });
  });

  it("create a cluster by the Automation API", async () => {
    const [code = "", ...others] = blocksOf("typescript", pages.get("docs/guides/automation.md"));
    expect(others).toEqual([]);
    const { code: exit, output } = await runScript("automation", code);
    expect(output).toMatch(/^web ready after \w+: .*4\/4 replicas healthy/m);
    expect(output).toMatch(/^http:.*\/web-/m);
    expect(exit).toBe(0);
  });

  it("report the unmanaged clusters", async () => {
    const { workspace } = fixture;
    for (const [folder, stack] of Object.entries({ prod: "prod", dev: "alice" })) {
      mkdirSync(join(workspace.folder, folder));
      writeFileSync(join(workspace.folder, folder, "Pulumi.yaml"), `name: ${folder}\nruntime: nodejs\n`);
      await workspace.succeed("stack", "init", stack, "--cwd", folder);
    }
    const [code = "", ...others] = blocksOf("typescript", pages.get("docs/guides/report.md"));
    expect(others).toEqual([]);
    const { code: exit, output } = await runScript("report", code);
    expect(output).toMatch(/^cl_\w+ embeddings [\d.]+$/m);
    expect(exit).toBe(0);
  });

  it("create a cluster by the native provider, in the page of the registry", async () => {
    const [code = "", ...others] = blocksOf("typescript", pages.get("docs/_index.md"));
    expect(others).toEqual([]);
    const { workspace } = await openFixture("");
    workspace.typeScript(code);
    const { code: exit, output } = await workspace.preview();
    expect(output).toContain("+ gpucluster:index:Cluster: (create)");
    expect(exit).toBe(0);
  });

  it("test a program with Pulumi's mocks, without a key", async () => {
    const [program = "", test = "", ...others] = blocksOf("typescript", pages.get("docs/guides/testing.md"));
    expect(others).toEqual([]);
    const folder = join(fixture.workspace.folder, "mocks");
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "index.js"), javaScriptOf(program));
    writeFileSync(join(folder, "index.test.js"), javaScriptOf(test));
    const { code: exit, output } = await runNode(["--test", join(folder, "index.test.js")], { GPUCLUSTER_API_KEY: "" });
    expect(output).toMatch(/pass 1\b/);
    expect(exit).toBe(0);
  });

  it("add the package to a project in another language, in one command", async () => {
    const [, command = ""] = /^pulumi (package add \.\/.+)$/m.exec(pages.get("docs/guides/languages.md") ?? "") ?? [];
    const { workspace } = await openFixture("");
    workspace.env["PULUMI_HOME"] = join(workspace.folder, "home");
    workspace.yaml({});
    expect(await workspace.succeed(...command.split(" "))).toContain("Successfully generated an SDK");
    expect(existsSync(join(workspace.folder, "sdks/gpucluster"))).toBe(true);
  });

  it("are all run: there is no other example in TypeScript", () => {
    expect(blocksOf("typescript")).toHaveLength(5);
    expect(text.match(/^ *```(tsx?|typescript|js|javascript)\b.*$/gm)).toHaveLength(blocks.length + 5);
  });
});
