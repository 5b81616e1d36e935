import { closeBenches, living, openBench } from "./harness";

afterAll(closeBenches);

const program = `
const native = require("pulumi-gpucluster/native");
const container = "acme/model:" + (config.get("version") ?? "1");
for (const [name, { Cluster }] of Object.entries({ web: gpu, api: native })) {
  new Cluster(name, { gpuType: "h100", replicas: 2, container }, { ignoreChanges: ["replicas"] });
}
`;

it("`ignoreChanges` keeps the replicas that an autoscaler has chosen, if only the container changes, in both adapters", async () => {
  const { workspace, simulator, writes } = await openBench(program);
  expect((await workspace.up()).code).toBe(0);
  for (const { id } of living(simulator)) simulator.change(id, { replicas: 6 });
  writes();
  expect((await workspace.up("--config", "engine-test:version=2")).code).toBe(0);
  expect(writes().filter((line) => line.includes("scale"))).toEqual([]);
  const changed = { replicas: 6, container: "acme/model:2" };
  expect(living(simulator)).toMatchObject([changed, changed]);
  for (const { id } of living(simulator)) simulator.change(id, { replicas: 0 });
  expect((await workspace.refresh()).code).toBe(0);
  writes();
  const { code, output } = await workspace.up("--config", "engine-test:version=3");
  expect([code, output]).toEqual([0, expect.not.stringContaining("must be a whole number")]);
  expect(writes().filter((line) => line.includes("scale"))).toEqual([]);
  const idle = { replicas: 0, container: "acme/model:3" };
  expect(living(simulator)).toMatchObject([idle, idle]);
});
