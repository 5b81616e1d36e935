import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "../install/run";
import { closeBenches, living, openBench } from "./harness";

const repository = resolve(__dirname, "../..");
/** Pulumi's SDK for Go, of an older version than the CLI, as many programs have it. */
const pulumiSdk = "github.com/pulumi/pulumi/sdk/v3@v3.230.0";

// A fresh machine compiles the generators of SDKs first, and then Pulumi's own SDK for Go.
jest.setTimeout(20 * 60_000);

/** The fleet of docs/guides/languages.md, with a container of the config, and an env of which a preview does not know all. */
const page = readFileSync(join(repository, "docs/guides/languages.md"), "utf8");
const examples = [...page.matchAll(/^```go\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
const guide = examples.find((code) => code.includes("NewClusterFleet")) ?? "";
const fleet = guide.replace(
  'pulumi.String("acme/worker:1"),',
  `pulumi.String(config.Require(ctx, "container")),
		Env: pulumi.StringMap{"TOKEN": pulumi.String("canary-env-63b1f0"), "UPSTREAM": base.Endpoint},`,
);
const programOf = (sdk: string) => `package main

import (
	"${sdk}"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func program(ctx *pulumi.Context) error {
	base, err := gpucluster.NewCluster(ctx, "base", &gpucluster.ClusterArgs{
		GpuType:   pulumi.Any("h100"),
		Container: pulumi.String("acme/base:1"),
	})
	if err != nil {
		return err
	}
	${fleet}
	if err != nil {
		return err
	}
	ctx.Export("endpoints", workers.Endpoints)
	ctx.Export("cost", workers.HourlyCost)
	return nil
}

func main() { pulumi.Run(program) }
`;

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gpucluster-go-"));
  await run([process.execPath, join(repository, "scripts/sdks.mjs"), join(folder, "sdks")], folder);
  const [sdk, program] = [join(folder, "sdks/go/gpucluster"), join(folder, "program")];
  const [, path = ""] = /"(\S+)\/internal"/.exec(readFileSync(join(sdk, "cluster.go"), "utf8")) ?? [];
  await run(["go", "mod", "init", path], sdk);
  await run(["go", "get", pulumiSdk], sdk);
  mkdirSync(program);
  writeFileSync(join(program, "main.go"), programOf(path));
  await run(["go", "mod", "init", "engine-test"], program);
  await run(["go", "mod", "edit", `-replace=${path}=${sdk}`, `-require=${path}@v0.0.0`], program);
  await run(["go", "get", pulumiSdk], program);
  await run(["go", "build", "-mod=mod", "-o", join(folder, "built"), "."], program);
});
afterAll(closeBenches);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("a fleet in Go previews, changes wave by wave, keeps its secrets, and is destroyed", async () => {
  const { workspace, simulator, writes } = await openBench("");
  // The engine's host compiles it: an older host knows no compiled program.
  cpSync(join(folder, "program"), workspace.folder, { recursive: true });
  const plugins = { providers: [{ name: "gpucluster", path: join(repository, "plugin") }] };
  const project = { name: "engine-test", runtime: "go", plugins };
  writeFileSync(join(workspace.folder, "Pulumi.yaml"), JSON.stringify(project));
  await workspace.succeed("config", "set", "container", "acme/worker:1");
  expect((await workspace.preview()).output).toMatch(/\+ 6 to create/);
  expect(writes()).toEqual([]);
  expect((await workspace.up()).code).toBe(0);
  expect(writes()).toHaveLength(4);
  const outputs = JSON.parse(await workspace.succeed("stack", "output", "--json"));
  expect([Object.keys(outputs.endpoints), outputs.cost]).toEqual([["0", "1", "2"], 1.32]);
  expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  await workspace.succeed("config", "set", "container", "acme/worker:2");
  expect((await workspace.up()).code).toBe(0);
  const changed = simulator.requests.filter(({ method }) => method === "PATCH").map(({ path }) => path);
  const order = changed.map((path) => simulator.cluster(path.replace(/.*\//, ""))?.name.slice(0, 8));
  expect(order).toEqual(["worker-0", "worker-1", "worker-2"]);
  expect(await workspace.stateText()).not.toContain("canary");
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
});
