import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "../install/run";

const repository = resolve(__dirname, "../..");
const pulumiVersion = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")).devDependencies.pulumi;

// A fresh machine compiles the generators, and the dependencies of the Go SDK.
jest.setTimeout(20 * 60_000);

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gpucluster-sdks-test-"));
  await run([process.execPath, join(repository, "scripts/sdks.mjs"), join(folder, "sdks")], folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A document, and its example in each language. */
const documents = Object.fromEntries(
  ["docs/_index.md", "docs/guides/languages.md", "provider/schema/schema.json"].map((file) => {
    const text = readFileSync(join(repository, file), "utf8");
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

/** Without what no document shows: spaces at the ends of lines, and an import that is not used. */
function shown(code: string): string {
  return code
    .replace(/[ \t]+$/gm, "")
    .replace(/^import \* as pulumi from .*\n(?![\s\S]*\bpulumi\.)/, "")
    .trim();
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
  ])("exist for %s, with the cluster and the nine functions", (language, file) => {
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
    const sdk = join(folder, "sdks/go/gpucluster");
    const programs = Object.values(documents).flatMap((all) => all.filter(({ language }) => language === "go"));
    // The guide leaves Go and C# to the page of the registry.
    expect(programs).toHaveLength(2);
    for (const [index, { code }] of programs.entries()) {
      mkdirSync(join(sdk, `example${index}`));
      writeFileSync(join(sdk, `example${index}`, "main.go"), code);
    }
    const [, path] = /"(\S+)\/internal"/.exec(readFileSync(join(sdk, "cluster.go"), "utf8")) ?? [];
    await run(["go", "mod", "init", String(path)], sdk);
    await run(["go", "get", `github.com/pulumi/pulumi/sdk/v3@v${pulumiVersion}`], sdk);
    await run(["go", "mod", "tidy"], sdk);
    await run(["go", "vet", "./..."], sdk);
  });
});

// The converters are the check of the example in C#: no tool of .NET is needed here.
describe("the examples in other languages", () => {
  it.each(Object.keys(documents))("of %s are what `pulumi convert` makes of the example in YAML", async (file) => {
    const examples = documents[file] ?? [];
    const yaml = examples.find(({ language }) => language === "yaml")?.code ?? "";
    const converted: Record<string, string> = { ...(await convert(yaml)), yaml };
    const languages = examples.map(({ language }) => language);
    const others = file === "docs/guides/languages.md" ? [] : ["go", "csharp"];
    expect(languages).toEqual(expect.arrayContaining(["python", "yaml", ...others]));
    for (const { language, code } of examples)
      expect({ language, code: shown(code) }).toEqual({ language, code: shown(converted[language] ?? "") });
  });
});
