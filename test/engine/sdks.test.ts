import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "../install/run";
import { closeFixtures, living, openFixture } from "./harness";

const repository = resolve(__dirname, "../..");
const pulumiVersion = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")).config.pulumi;
const pulumiSdk = `github.com/pulumi/pulumi/sdk/v3@v${pulumiVersion}`;

// A fresh machine compiles the generators, and the dependencies of the Go SDK.
jest.setTimeout(20 * 60_000);

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gpucluster-sdks-test-"));
  await run([process.execPath, join(repository, "scripts/sdks.mjs"), join(folder, "sdks")], folder);
});
afterAll(closeFixtures);
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

const goProgram = (sdk: string) => `package main

import (
	"fmt"

	"${sdk}"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func program(ctx *pulumi.Context) error {
	base, err := gpucluster.NewCluster(ctx, "base", &gpucluster.ClusterArgs{
		GpuType:   pulumi.String("h100"),
		Container: pulumi.String("acme/base:1"),
	})
	if err != nil {
		return err
	}
	worker := func(index int, opts ...pulumi.ResourceOption) (*gpucluster.Cluster, error) {
		return gpucluster.NewCluster(ctx, fmt.Sprintf("worker-%d", index), &gpucluster.ClusterArgs{
			GpuType:   pulumi.String("l4"),
			Container: pulumi.String(config.Require(ctx, "container")),
			Env:       pulumi.StringMap{"TOKEN": pulumi.String("canary-env-63b1f0"), "UPSTREAM": base.Endpoint},
		}, opts...)
	}
	canary, err := worker(0)
	if err != nil {
		return err
	}
	for index := 1; index < 3; index++ {
		if _, err := worker(index, pulumi.DependsOn([]pulumi.Resource{canary})); err != nil {
			return err
		}
	}
	ctx.Export("endpoint", canary.Endpoint)
	ctx.Export("cost", canary.HourlyCost)
	return nil
}

func main() { pulumi.Run(program) }
`;

/** A project in Go with the SDK, compiled as the engine's host compiles it, and with the plugin that was built here. */
async function writeGoProgram(project: string): Promise<void> {
  rmSync(join(project, "index.js"));
  writeFileSync(join(project, "main.go"), goProgram(goModule()));
  await run(["go", "mod", "init", "engine-test"], project);
  await run(["go", "mod", "edit", `-replace=${goModule()}=${goSdk()}`, `-require=${goModule()}@v0.0.0`], project);
  await run(["go", "get", pulumiSdk], project);
  await run(["go", "build", "-mod=mod", "-o", join(folder, "built"), "."], project);
  const plugins = { providers: [{ name: "gpucluster", path: join(repository, "plugin") }] };
  writeFileSync(join(project, "Pulumi.yaml"), JSON.stringify({ name: "engine-test", runtime: "go", plugins }));
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

  it("make clusters of a loop in Go, which preview, change after their canary, keep their secrets, and are destroyed", async () => {
    const { workspace, simulator, writes } = await openFixture("");
    await writeGoProgram(workspace.folder);
    await workspace.succeed("config", "set", "container", "acme/worker:1");
    expect((await workspace.preview()).output).toMatch(/\+ 5 to create/);
    expect(writes()).toEqual([]);
    expect((await workspace.up()).code).toBe(0);
    expect(writes()).toHaveLength(4);
    const outputs = JSON.parse(await workspace.succeed("stack", "output", "--json"));
    expect(outputs).toEqual({ endpoint: expect.stringMatching(/^https:/), cost: 0.44 });
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    await workspace.succeed("config", "set", "container", "acme/worker:2");
    expect((await workspace.up()).code).toBe(0);
    const changed = simulator.requests.filter(({ method }) => method === "PATCH").map(({ path }) => path);
    const order = changed.map((path) => simulator.cluster(path.replace(/.*\//, ""))?.name.slice(0, 8));
    expect(order[0]).toBe("worker-0");
    expect(order.sort()).toEqual(["worker-0", "worker-1", "worker-2"]);
    expect(workspace.stateText()).not.toContain("canary");
    expect((await workspace.destroy()).code).toBe(0);
    expect(living(simulator)).toEqual([]);
  });
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
