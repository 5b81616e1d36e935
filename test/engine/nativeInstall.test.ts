import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "../install/run";
import { closeBenches, living, openBench } from "./harness";

const repository = resolve(__dirname, "../..");
const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
const name = "pulumi-resource-gpucluster";
const system = process.platform === "win32" ? "windows" : process.platform;
const platform = `${system}-${process.arch.replace("x64", "amd64")}`;

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gpucluster-install-"));
  await run([process.execPath, join(repository, "scripts/packPlugin.mjs"), join(folder, "release")], folder);
});
afterAll(async () => {
  await closeBenches();
  rmSync(folder, { recursive: true, force: true });
});

it.each([
  ["file of the npm package", () => join(repository, "plugin", name)],
  ["archive of this platform", () => join(folder, "release", `${name}-v${version}-${platform}.tar.gz`)],
])("the plugin is installed from the %s, and serves a project that does not name it", async (_what, file) => {
  const { workspace, simulator } = await openBench("");
  workspace.env["PULUMI_HOME"] = mkdtempSync(join(folder, "home-"));
  const properties = { gpuType: "l4", container: "acme/model:1" };
  workspace.yaml({ plugins: {}, resources: { web: { type: "gpucluster:Cluster", properties } } });
  await workspace.succeed("plugin", "install", "resource", "gpucluster", version, "--file", file());
  expect((await workspace.up()).output).toContain("1/1 replicas healthy");
  expect(living(simulator)).toHaveLength(1);
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
});
