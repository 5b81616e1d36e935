import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { closeFixtures, living, openFixture } from "./harness";

const repository = resolve(__dirname, "../..");
const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
const home = mkdtempSync(join(tmpdir(), "gpucluster-home-"));

afterAll(async () => {
  await closeFixtures();
  rmSync(home, { recursive: true, force: true });
});

describe("the plugin in the npm package", () => {
  it("is installed by its file, and serves a project that does not name it", async () => {
    const { workspace, simulator } = await openFixture("");
    workspace.env["PULUMI_HOME"] = home;
    const properties = { gpuType: "l4", container: "acme/model:1" };
    workspace.yaml({ plugins: {}, resources: { web: { type: "gpucluster:Cluster", properties } } });
    const file = join(repository, "plugin/pulumi-resource-gpucluster");
    await workspace.succeed("plugin", "install", "resource", "gpucluster", version, "--file", file);
    expect((await workspace.up()).output).toContain("1/1 replicas healthy");
    expect((await workspace.destroy()).code).toBe(0);
    expect(living(simulator)).toEqual([]);
  });
});
