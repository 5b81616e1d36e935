import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
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
  ])("exist for %s, with the cluster and the ten functions", (language, file) => {
    expect(filesOf(language)).toContain(file);
    expect(filesOf(language).filter((path) => /(^|\/)get_?[A-Za-z_]+\.\w+$/i.test(path))).toHaveLength(10);
  });

  it("compile in TypeScript", async () => {
    const sdk = join(folder, "sdks/nodejs");
    symlinkSync(join(repository, "node_modules"), join(sdk, "node_modules"));
    await run([process.execPath, join(repository, "node_modules/typescript/bin/tsc"), "--noEmit"], sdk);
  });

  it("compile in Python", async () => {
    await run(["python3", "-m", "compileall", "-q", "."], join(folder, "sdks/python"));
  });

  it("pass `go vet`", async () => {
    const sdk = join(folder, "sdks/go/gpucluster");
    const [, path] = /"(\S+)\/internal"/.exec(readFileSync(join(sdk, "cluster.go"), "utf8")) ?? [];
    await run(["go", "mod", "init", String(path)], sdk);
    await run(["go", "get", `github.com/pulumi/pulumi/sdk/v3@v${pulumiVersion}`], sdk);
    await run(["go", "mod", "tidy"], sdk);
    await run(["go", "vet", "./..."], sdk);
  });
});
