import { closeBenches, living, openNativeBench } from "./harness";

afterAll(closeBenches);

const member = { gpuType: "l4", container: "acme/worker:1", env: { TOKEN: "canary-env-63b1f0" } };
const fleet = (properties: object, options = {}) => ({
  resources: { worker: { type: "gpucluster:ClusterFleet", properties, options } },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: how YAML programs refer to others
  outputs: { endpoints: "${worker.endpoints}", hourlyCost: "${worker.hourlyCost}" },
});

it("a fleet of a YAML program", async () => {
  const { workspace, simulator, writes } = await openNativeBench(fleet({ count: 2, cluster: member }));
  const p = await workspace.preview();
  console.log(p.output);
  const u = await workspace.up();
  console.log(u.output);
  console.log(await workspace.succeed("stack", "output", "--json"));
  expect(living(simulator)).toHaveLength(2);
  console.log(await workspace.stateText());
  console.log((await workspace.preview("--diff")).output);
  console.log(writes());
  expect((await workspace.destroy()).code).toBe(0);
});
