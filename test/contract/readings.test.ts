import type { SimulatorOptions } from "../../simulator";
import { contract, web } from "./harness";

test.each<[string, SimulatorOptions]>([
  ["records in an envelope", { dialect: { recordShape: "wrapped" } }],
  ["a bare list", { dialect: { listShape: "bare" } }],
  ["an empty answer to an action", { dialect: { actionAnswer: "empty" } }],
  ["an empty answer to a deletion", { faults: [{ kind: "body", method: "DELETE", body: "", status: 204 }] }],
])("the whole life of a cluster is read with %s", async (_what, options) => {
  const { client, clock } = await contract(options);
  const { id } = await client.createCluster(web);
  await clock.advance(1_000);
  expect(await client.getCluster(id)).toMatchObject({ id, status: "running", replicas: 2 });
  expect((await client.getClusterStatus(id)).replicas.map(({ healthy }) => healthy)).toEqual([true, true]);
  await client.scaleCluster(id, 3);
  expect((await client.listClusters()).clusters).toMatchObject([{ id, replicas: 3 }]);
  await client.deleteCluster(id);
  await clock.advance(1_000);
  expect((await client.listClusters()).clusters).toEqual([]);
});
