import { dialects } from "../simulator";
import { closeBenches, living, openNativeBench } from "./harness";

afterAll(closeBenches);

const programOf = (properties: object) => ({ resources: { prod: { type: "gpucluster:Cluster", properties } } });
const common = { name: "prod", gpuType: "h100" };
const first = { ...common, replicas: 2, container: "acme/model:1", env: { MODEL: "llama-3-8b" } };
const next = { ...common, replicas: 3, container: "acme/model:2", env: { MODEL: "llama-3-8b", MORE: "of-it" } };

/** Lists and records of other shapes, hidden values, words of its own. */
const chosen = [
  "terse",
  ...Object.keys(dialects)
    .filter((name) => name.startsWith("mix-"))
    .slice(0, 2),
];

it.concurrent.each(chosen)("a YAML program runs its cluster with a service of the dialect %s", async (dialect) => {
  const { workspace, simulator } = await openNativeBench(programOf(first), { dialect });
  expect((await workspace.up()).code).toBe(0);
  const [cluster] = living(simulator);
  simulator.change(cluster?.id ?? "", { replicas: 1 });
  workspace.yaml(programOf(next));
  expect((await workspace.up("--refresh")).code).toBe(0);
  expect(living(simulator)).toMatchObject([{ id: cluster?.id, ...next, status: "running" }]);
  expect((await workspace.refresh("--expect-no-changes")).code).toBe(0);
  expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
});
