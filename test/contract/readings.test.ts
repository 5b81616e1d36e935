import type { Dialect } from "../../simulator";
import { contract, stopAll, web } from "./harness";

afterEach(stopAll);

test.each<[string, Partial<Dialect>]>([
  ["records in an envelope", { recordShape: "wrapped" }],
  ["a bare list", { listShape: "bare" }],
  ["an empty answer to an action", { actionAnswer: "empty-202" }],
  ["an empty answer to a deletion", { deleteAnswer: "empty-204" }],
  ["bare replicas", { statusShape: "bare" }],
])("the whole life of a cluster is read with %s", async (_what, dialect) => {
  const { client, clock } = await contract({ dialect });
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

test.each<[string, Partial<Dialect>, Record<string, unknown>]>([
  ["a price as text", { priceForm: "text" }, { pricePerHour: 2.99, currency: "USD" }],
  ["a bare list", { gpuListShape: "bare" }, { pricePerHour: 2.99 }],
  ["a stock of a flag alone", { stockForm: "flag" }, { available: true }],
  ["a stock of a count alone", { stockForm: "count" }, { available: true, availableCount: 256 }],
])("GPU types are read with %s", async (_what, dialect, expected) => {
  const { client } = await contract({ dialect });
  const { gpus: types } = await client.listGpuTypes();
  expect(types.find(({ type }) => type === "h100")).toMatchObject(expected);
});

test.each(["seconds", "milliseconds", "delta"] as const)("a reset in %s is respected", async (rateResetUnit) => {
  const { client, clock, simulator } = await contract({
    dialect: { rateResetUnit },
    rateLimit: 3,
    rateWindowMs: 10_000,
  });
  const startMs = clock.now();
  for (let index = 0; index < 4; index += 1) await client.getHealth();
  expect(simulator.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(clock.now() - startMs).toBeGreaterThanOrEqual(10_000);
  expect(clock.now() - startMs).toBeLessThanOrEqual(15_000);
});
