import type { SimulatorOptions } from "../../../simulator";
import { start, stopAll, web } from "./harness";

afterEach(stopAll);

const lagMs = 10_000;

async function lagging(options: SimulatorOptions = {}) {
  const bench = await start({ listLagMs: lagMs, ...options });
  const listed = async () => (await bench.call("GET /v1/clusters")).body.clusters;
  return { ...bench, listed };
}

test("a new cluster is listed late, and read by its id at once", async () => {
  const { call, clock, listed } = await lagging();
  const { id } = (await call("POST /v1/clusters", web)).body;
  expect((await call(`GET /v1/clusters/${id}`)).status).toBe(200);
  clock.advance(lagMs - 1);
  expect(await listed()).toEqual([]);
  clock.advance(1);
  expect(await listed()).toMatchObject([{ id, status: "provisioning" }]);
  clock.advance(3000);
  expect(await listed()).toMatchObject([{ id, status: "running" }]);
});

test("a late list shows earlier names, status words and numbers", async () => {
  const { call, clock, listed, simulator } = await lagging();
  const { id } = (await call("POST /v1/clusters", web)).body;
  clock.advance(60_000);
  await call(`POST /v1/clusters/${id}/scale`, { replicas: 5 });
  simulator.change(id, { name: "other" });
  clock.advance(5000);
  await call(`POST /v1/clusters/${id}/stop`);
  expect(await listed()).toMatchObject([{ name: "web", status: "running", replicas: 3 }]);
  clock.advance(5000);
  expect(await listed()).toMatchObject([{ name: "other", status: "scaling", replicas: 5 }]);
  clock.advance(5300);
  expect(await listed()).toMatchObject([{ status: "stopped" }]);
  expect((await call(`GET /v1/clusters/${id}`)).body).toMatchObject({ name: "other", status: "stopped" });
});

test.each([
  ["none", 300],
  ["listed", 60_300],
] as const)("a deleted cluster is still listed (tombstone: %s)", async (tombstone, goneMs) => {
  const { call, clock, listed } = await lagging({ dialect: { tombstone } });
  const { id } = (await call("POST /v1/clusters", web)).body;
  clock.advance(60_000);
  await call(`DELETE /v1/clusters/${id}`);
  clock.advance(goneMs);
  expect((await call(`GET /v1/clusters/${id}`)).status).toBe(404);
  expect(await listed()).toHaveLength(1);
  clock.advance(lagMs);
  expect(await listed()).toEqual([]);
});

test("a cluster of another program is listed from its creation", async () => {
  const { clock, listed, simulator } = await lagging();
  const old = simulator.addCluster({ name: "old", gpuType: "h100", createdAt: clock.time - lagMs });
  const stopped = simulator.addCluster({ name: "stopped", gpuType: "h100", createdAt: 0, status: "stopped" });
  simulator.addCluster({ name: "new", gpuType: "h100" });
  expect(await listed()).toMatchObject([
    { id: old.id, status: "running" },
    { id: stopped.id, status: "stopped" },
  ]);
});

test("a cluster that a fault hides from reads is hidden in the list for as long, later", async () => {
  const { call, clock, listed } = await lagging({ faults: [{ kind: "hidden", ms: 5000 }] });
  await call("POST /v1/clusters", web);
  clock.advance(lagMs + 4999);
  expect(await listed()).toEqual([]);
  clock.advance(1);
  expect(await listed()).toHaveLength(1);
});

test("a name that is taken is refused though the list does not show it yet", async () => {
  const { call, listed } = await lagging({ dialect: { uniqueNames: true } });
  await call("POST /v1/clusters", web);
  expect((await call("POST /v1/clusters", web)).status).toBe(409);
  expect(await listed()).toEqual([]);
});

test("an effect whose answer is lost is listed late as well", async () => {
  const fault = { kind: "drop", when: "after", method: "POST" } as const;
  const { call, clock, listed } = await lagging({ faults: [fault] });
  await expect(call("POST /v1/clusters", web)).rejects.toThrow();
  clock.advance(lagMs);
  expect(await listed()).toHaveLength(1);
});
