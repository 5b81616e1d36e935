import { closeFixtures, living, openFixture } from "./harness";

/** One cluster of each adapter, whose replicas an autoscaler owns. */
const program = `
const native = require("pulumi-gpucluster/native");
const container = "acme/model:" + (config.getNumber("version") ?? 1);
for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native }))
  new Cluster(name, { gpuType: "h100", replicas: 2, container }, { ignoreChanges: ["replicas"] });
`;

afterAll(closeFixtures);

test("`ignoreChanges` keeps the replicas that an autoscaler has chosen, even none, in both adapters", async () => {
  const { workspace, simulator, writes } = await openFixture(program);
  expect((await workspace.up()).code).toBe(0);
  writes();
  for (const [version, replicas] of [
    [2, 6],
    [3, 0],
  ]) {
    for (const { id } of living(simulator)) simulator.change(id, { replicas });
    // Without a refresh, the state has the old number.
    if (replicas === 0) expect((await workspace.refresh()).code).toBe(0);
    await workspace.succeed("config", "set", "version", String(version));
    expect(await workspace.up()).toMatchObject({ code: 0 });
    expect(living(simulator)).toMatchObject(Array(2).fill({ replicas, container: `acme/model:${version}` }));
    expect(writes().filter((line) => /scale$|clusters$/.test(line))).toEqual([]);
  }
});
