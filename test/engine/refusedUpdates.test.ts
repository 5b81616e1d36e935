import type { Fault } from "../../simulator";
import { closeFixtures, living, openFixture } from "./harness";

afterAll(closeFixtures);

/** One cluster of each adapter: `web` has a name in the program, `api` a generated one. */
const program = `
const native = require("pulumi-gpucluster/native");
const common = { gpuType: "h100", container: "acme/model:1", env: { MODEL: config.get("model") ?? "first" } };
new gpu.Cluster("web", { ...common, name: "web" });
new native.Cluster("api", common);
`;
const faults = ["PATCH", "PUT", "POST"].map((method): Fault => {
  return { kind: "status", status: 405, method, path: "/v1/clusters/*", times: 99 };
});

describe("an update that the service refuses to do in place", () => {
  it("fails once, and is a replacement from the next preview on, in both adapters", async () => {
    const { workspace, simulator, writes } = await openFixture(program, { faults });
    expect((await workspace.up()).code).toBe(0);
    const before = living(simulator).map(({ id }) => id);
    await workspace.succeed("config", "set", "model", "second");
    expect((await workspace.up("--continue-on-error")).code).not.toBe(0);
    writes();
    const preview = await workspace.preview();
    expect(preview.output).toContain("2 to replace");
    expect(preview.output.match(/which the service cannot do in place, so it is replaced/g)).toHaveLength(2);
    expect(writes()).toEqual([]);
    expect((await workspace.up()).code).toBe(0);
    expect(writes().filter((line) => line === "POST /v1/clusters")).toHaveLength(2);
    const after = living(simulator);
    expect(after).toMatchObject(Array(2).fill({ env: { MODEL: "second" }, status: "running" }));
    expect(after.filter(({ id }) => before.includes(id))).toEqual([]);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  });
});
