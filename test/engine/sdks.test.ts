import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../install/run";
import { manifest, read, repository } from "../support/repository";
import { cliVersion, testIn } from "./engines";
import { closeFixtures, living, openEndpoint, openFixture } from "./harness";

const { version } = manifest;
const pulumiSdk = `github.com/pulumi/pulumi/sdk/v3@v${cliVersion}`;

// A fresh machine compiles the generators, and the dependencies of the Go SDK.
jest.setTimeout(20 * 60_000);

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gpucluster-sdks-test-"));
  await run([process.execPath, join(repository, "scripts/sdks.mjs"), join(folder, "sdks")], folder);
});
afterAll(closeFixtures);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inGo = testIn("go");

/** A document, and its example in each language. */
const documents = Object.fromEntries(
  ["docs/_index.md", "docs/guides/languages.md", "provider/schema/schema.json"].map((file) => {
    const text = read(file);
    const page: string = file.endsWith(".json")
      ? JSON.parse(text).resources["gpucluster:index:Cluster"].description
      : text;
    const fences = [...page.matchAll(/^```(typescript|python|go|csharp|yaml)\n([\s\S]*?)^```$/gm)];
    // The lines of a project are no program.
    const programs = fences.filter(([, , code = ""]) => !code.startsWith("plugins:"));
    return [file, programs.map(([, language = "", code = ""]) => ({ language, code }))] as const;
  }),
);

/** The programs that the converters make of an example in YAML, by their languages. */
async function convert(yaml: string): Promise<Record<string, string>> {
  const out = mkdtempSync(join(folder, "programs-"));
  writeFileSync(join(out, "yaml"), yaml);
  await run([process.execPath, join(repository, "scripts/sdks.mjs"), join(out, "yaml"), out], folder);
  return Object.fromEntries(readdirSync(out).map((language) => [language, readFileSync(join(out, language), "utf8")]));
}

/** Without spaces at the ends of lines and an import that is not used, which no document shows. */
function trimmed(code: string): string {
  return code
    .replace(/[ \t]+$/gm, "")
    .replace(/^import \* as pulumi from .*\n(?![\s\S]*\bpulumi\.)/, "")
    .trim();
}

/** The generated SDK for Go, and its path as a module. */
const goSdk = () => join(folder, "sdks/go/gpucluster");
const goModule = () => /"(\S+)\/internal"/.exec(readFileSync(join(goSdk(), "cluster.go"), "utf8"))?.[1] ?? "";

/** Writes a project in Go with the SDK; it does not name the plugin. */
async function writeGoProgram(project: string, code: string): Promise<void> {
  rmSync(join(project, "index.js"));
  writeFileSync(join(project, "main.go"), code);
  await run(["go", "mod", "init", "engine-test"], project);
  await run(["go", "mod", "edit", `-replace=${goModule()}=${goSdk()}`, `-require=${goModule()}@v0.0.0`], project);
  await run(["go", "get", pulumiSdk], project);
  await run(["go", "mod", "tidy"], project);
  writeFileSync(join(project, "Pulumi.yaml"), JSON.stringify({ name: "engine-test", runtime: "go" }));
}

/** The files of an SDK. */
function filesOf(language: string): string[] {
  return readdirSync(join(folder, "sdks", language), { recursive: true, encoding: "utf8" });
}

describe("the SDKs that are generated from the schema", () => {
  it.each([
    ["nodejs", "cluster.ts"],
    ["python", "pulumi_gpucluster/cluster.py"],
    ["go", "gpucluster/cluster.go"],
    ["csharp", "Cluster.cs"],
  ])("have the cluster and the nine functions: %s", (language, file) => {
    expect(filesOf(language)).toContain(file);
    expect(filesOf(language).filter((path) => /(^|\/)get_?[A-Za-z_]+\.\w+$/i.test(path))).toHaveLength(9);
  });

  it("compile in TypeScript", async () => {
    const sdk = join(folder, "sdks/nodejs");
    symlinkSync(join(repository, "node_modules"), join(sdk, "node_modules"));
    await run([process.execPath, join(repository, "node_modules/typescript/bin/tsc"), "--noEmit"], sdk);
  });

  it("compile in Python", async () => {
    await run(["python3", "-m", "compileall", "-q", "."], join(folder, "sdks/python"));
  });

  it("pass `go vet`, and so do the documents' programs with them", async () => {
    const programs = Object.values(documents).flatMap((all) => all.filter(({ language }) => language === "go"));
    // The guide leaves Go and C# to the page of the registry.
    expect(programs).toHaveLength(2);
    for (const [index, { code }] of programs.entries()) {
      mkdirSync(join(goSdk(), `example${index}`));
      writeFileSync(join(goSdk(), `example${index}`, "main.go"), code);
    }
    await run(["go", "mod", "init", goModule()], goSdk());
    await run(["go", "get", pulumiSdk], goSdk());
    await run(["go", "mod", "tidy"], goSdk());
    await run(["go", "vet", "./..."], goSdk());
  });

  inGo("serve a document's program in Go, with the plugin that a user installs from the npm package", async () => {
    const { url: endpoint } = await openEndpoint();
    const { workspace, simulator } = await openFixture("", { endpoint });
    workspace.env["PULUMI_HOME"] = mkdtempSync(join(folder, "home-"));
    const program = documents["docs/_index.md"]?.find(({ language }) => language === "go");
    await writeGoProgram(workspace.folder, program?.code ?? "");
    const file = join(repository, "plugin/pulumi-resource-gpucluster");
    await workspace.succeed("plugin", "install", "resource", "gpucluster", version, "--file", file);
    expect((await workspace.up()).output).toContain("2/2 replicas healthy");
    const outputs = JSON.parse(await workspace.succeed("stack", "output", "--json"));
    expect(outputs).toEqual({ endpoint: living(simulator)[0]?.endpoint });
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    expect((await workspace.destroy()).code).toBe(0);
    expect(living(simulator)).toEqual([]);
  });
});

test("the examples of the schema's functions are what the converters make of those in YAML", async () => {
  await run([process.execPath, join(repository, "scripts/examples.mjs"), "--check"], folder);
});

// The converters are the check of the example in C#: no tool of .NET is needed here.
describe("the examples in other languages", () => {
  it.each(Object.keys(documents))("are what `pulumi convert` makes of the example in YAML: %s", async (file) => {
    const examples = documents[file] ?? [];
    const yaml = examples.find(({ language }) => language === "yaml")?.code ?? "";
    const converted: Record<string, string> = { ...(await convert(yaml)), yaml };
    const languages = examples.map(({ language }) => language);
    const others = file === "docs/guides/languages.md" ? [] : ["go", "csharp"];
    expect(languages).toEqual(expect.arrayContaining(["python", "yaml", ...others]));
    for (const { language, code } of examples)
      expect({ language, code: trimmed(code) }).toEqual({ language, code: trimmed(converted[language] ?? "") });
  });
});
