import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeFixtures, openFixture } from "./harness";

afterAll(closeFixtures);

describe("a cluster of an internal package, in a strict layout of packages", () => {
  it("fails in the program, in two lines, if the project itself does not depend on pulumi-gpucluster", async () => {
    const { workspace, simulator } = await openFixture("");
    const modules = join(workspace.folder, "node_modules");
    const platform = join(modules, "acme-platform");
    mkdirSync(join(platform, "node_modules"), { recursive: true });
    renameSync(join(modules, "pulumi-gpucluster"), join(platform, "node_modules/pulumi-gpucluster"));
    const program = `new (require("pulumi-gpucluster").Cluster)("web", { gpuType: "h100", container: "acme/model:1" });`;
    writeFileSync(join(platform, "index.js"), program);
    writeFileSync(join(workspace.folder, "index.js"), 'require("acme-platform");');
    const { code, output } = await workspace.preview();
    expect(code).not.toBe(0);
    expect(output).toMatch(
      /error: Cluster "web": Pulumi does not find the package pulumi-gpucluster in \S+, where it .*\n\s*Add pulumi-gpucluster /,
    );
    expect(output).not.toMatch(/Cannot find module|\bat .*:\d+/);
    expect(simulator.requests).toEqual([]);
  });
});
