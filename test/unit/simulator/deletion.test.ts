import type { Dialect } from "../../../simulator";
import { startWithCluster, stopAll, web } from "./harness";

afterEach(stopAll);

test.each<[Dialect["deleteAnswer"], number, unknown]>([
  ["cluster", 200, expect.objectContaining({ name: "web", status: "terminating" })],
  ["empty-204", 204, undefined],
  ["empty-202", 202, undefined],
])("a deletion is answered with %s", async (deleteAnswer, status, body) => {
  const { call, path } = await startWithCluster({ dialect: { deleteAnswer } });
  const reply = await call(`DELETE ${path}`);
  expect([reply.status, reply.body]).toEqual([status, body]);
});

test.each<[Dialect["deleteAgain"], [number, string | undefined], [number, string]]>([
  ["gone-404", [200, undefined], [404, "cluster_not_found"]],
  ["409", [409, "invalid_state"], [404, "cluster_not_found"]],
  ["410", [200, undefined], [410, "cluster_gone"]],
])("a second deletion is answered as %s says, while it terminates and when it is gone", async (...row) => {
  const [deleteAgain, terminating, gone] = row;
  const { call, path, clock } = await startWithCluster({ dialect: { deleteAgain } });
  const answer = async (line: string) => {
    const { status, body } = await call(line);
    return [status, body.error?.code];
  };
  await call(`DELETE ${path}`);
  expect(await answer(`DELETE ${path}`)).toEqual(terminating);
  expect((await call(`GET ${path}`)).body.status).toBe("terminating");
  clock.advance(300);
  for (const line of [`DELETE ${path}`, `GET ${path}`, `GET ${path}/status`, `POST ${path}/stop`]) {
    expect(await answer(line)).toEqual(gone);
  }
  expect((await call("GET /v1/clusters")).body.clusters).toEqual([]);
  expect(await answer("GET /v1/clusters/cl_none")).toEqual([404, "cluster_not_found"]);
});

test("a second deletion does not restart the first", async () => {
  const { call, path, clock, simulator, id } = await startWithCluster();
  await call(`DELETE ${path}`);
  clock.advance(200);
  await call(`DELETE ${path}`);
  clock.advance(100);
  expect(simulator.cluster(id)?.status).toBe("gone");
});

test.each<[Dialect["deleteAgain"], number]>([
  ["gone-404", 404],
  ["410", 410],
])("a tombstone is read for a minute and takes no change (%s)", async (deleteAgain, gone) => {
  const { call, path, clock, simulator, id } = await startWithCluster({
    dialect: { tombstone: "listed", deleteAgain },
  });
  await call(`DELETE ${path}`);
  clock.advance(60_299);
  expect(simulator.cluster(id)?.status).toBe("gone");
  expect((await call(`GET ${path}`)).body.status).toBe("terminated");
  expect((await call(`GET ${path}/status`)).body).toMatchObject({ status: "terminated", replicas: [] });
  expect((await call("GET /v1/clusters")).body.clusters).toMatchObject([{ id, status: "terminated" }]);
  for (const line of [`DELETE ${path}`, `POST ${path}/restart`]) expect((await call(line)).status).toBe(gone);
  clock.advance(1);
  expect((await call(`GET ${path}`)).status).toBe(gone);
  expect((await call("GET /v1/clusters")).body.clusters).toEqual([]);
});

test("a tombstone holds no name and no GPUs", async () => {
  const { call, path, clock } = await startWithCluster({ dialect: { tombstone: "listed", uniqueNames: true } });
  await call(`DELETE ${path}`);
  clock.advance(300);
  expect((await call("GET /v1/gpus/h100/availability")).body.available_count).toBe(256);
  expect((await call("POST /v1/clusters", web)).status).toBe(201);
  expect((await call("GET /v1/clusters")).body.clusters).toMatchObject([
    { name: "web", status: "terminated" },
    { name: "web", status: "provisioning" },
  ]);
});

test("the tombstone has the status word of its dialect", async () => {
  const { call, path, clock } = await startWithCluster({
    dialect: { tombstone: "listed", statusWords: "upper-prefixed" },
  });
  await call(`DELETE ${path}`);
  clock.advance(300);
  expect((await call(`GET ${path}`)).body.status).toBe("CLUSTER_STATUS_TERMINATED");
});
