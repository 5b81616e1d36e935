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

const programOf = (sdk: string) => `package main

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

it("clusters of a loop in Go preview, change after their canary, keep their secrets, and are destroyed", async () => {
  const { workspace, simulator, writes } = await openBench("");
  // The engine's host compiles it: an older host knows no compiled program.
  cpSync(join(folder, "program"), workspace.folder, { recursive: true });
  const plugins = { providers: [{ name: "gpucluster", path: join(repository, "plugin") }] };
  const project = { name: "engine-test", runtime: "go", plugins };
  writeFileSync(join(workspace.folder, "Pulumi.yaml"), JSON.stringify(project));
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
  expect(await workspace.stateText()).not.toContain("canary");
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
});
