import { closeFixtures, type Fixture, idsOf, living, openFixture, until } from "./harness";
import { clusterTypes } from "./workspace";

/** One cluster of each adapter, in a stack with `gpucluster:resume`. */
const program = `
const native = require("pulumi-gpucluster/native");
const gpuType = config.get("gpuType") ?? "h100";
for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native }))
  new Cluster(name, { gpuType, container: "acme/model:1" });
`;
const create = "POST /v1/clusters";
const remove = "DELETE /v1/clusters/:id";
const other = ["--config", "engine-test:gpuType=l4"];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture(program);
  await fixture.workspace.succeed("config", "set", "gpucluster:resume", "9f3c41aa07be5d12");
  expect((await fixture.workspace.up()).code).toBe(0);
});
afterAll(closeFixtures);

const urnOf = (type: string, name: string) => `urn:pulumi:test::engine-test::${type}::${name}`;

describe("replacements with `gpucluster:resume`, in both adapters, in order", () => {
  it("adopt the same clusters after --replace, delete nothing, and say so", async () => {
    const { workspace, simulator, writes } = fixture;
    const ids = idsOf(living(simulator));
    writes();
    const [web, api] = [urnOf(clusterTypes.dynamic, "web"), urnOf(clusterTypes.native, "api")];
    const { code, output } = await workspace.up("--replace", web, "--replace", api);
    for (const name of ["web", "api"])
      expect(output).toMatch(
        new RegExp(
          `cluster "${name}-[0-9a-f]{12}" \\(cl_\\w+\\): not deleted, because this resource has adopted the same`,
        ),
      );
    expect(code).toBe(0);
    expect(writes()).toEqual([]);
    expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
    expect(idsOf(workspace.storedClusters())).toEqual(ids);
  });

  it("end with the new clusters, and without another create request, if the run is killed in the middle", async () => {
    const { workspace, simulator, writes } = fixture;
    simulator.fault({ kind: "delay", ms: 10_000, method: "POST", path: "/v1/clusters", when: "after", times: 2 });
    const run = workspace.start("up", "--yes", "--skip-preview", ...other);
    try {
      await until("both are created", () => simulator.openRequests().length === 2);
    } finally {
      run.kill();
      await run.ended;
    }
    await until("the service has answered", () => simulator.openRequests().length === 0);
    if (workspace.isLocked()) await workspace.succeed("cancel", "--yes");
    expect(writes()).toEqual([create, create]);
    const { code, output } = await workspace.up(...other);
    for (const name of ["web", "api"])
      expect(output).toMatch(new RegExp(`${name}: adopts cl_.*, which an interrupted run has created`));
    expect(code).toBe(0);
    expect(writes()).toEqual([remove, remove]);
    expect(living(simulator).map(({ gpuType }) => gpuType)).toEqual(["l4", "l4"]);
    expect(idsOf(workspace.storedClusters())).toEqual(idsOf(living(simulator)));
  });
});
