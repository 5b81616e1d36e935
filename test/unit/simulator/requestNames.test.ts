import { type Dialect, gpuModelId, publishedDialects } from "../../../simulator";
import { start, stopAll, web } from "./harness";

afterEach(stopAll);

const theirs = {
  name: "web",
  gpuModelId: "h100",
  replicaCount: 3,
  imageUrl: web.container,
  envVars: { A: "1" },
};

type Names = Dialect["requestNames"];

const made = { gpuType: "h100", replicas: 3, container: web.container, env: { A: "1" } };

test.each<[Names, object]>([
  ["specification", web],
  ["client", theirs],
  ["both", web],
  ["both", theirs],
  ["both", { ...web, gpu_type: undefined, gpuModelId: "h100" }],
])("with requestNames %s, a creation with %j is understood", async (requestNames, body) => {
  const { call, simulator } = await start({ dialect: { requestNames } });
  expect((await call("POST /v1/clusters", body)).status).toBe(201);
  expect(simulator.clusters()).toMatchObject([made]);
});

test.each<[Names, object, string]>([
  ["specification", theirs, "gpuModelId"],
  ["client", web, "gpu_type"],
  ["neither", web, "gpu_type"],
  ["neither", theirs, "gpuModelId"],
  ["neither", { name: "web" }, "gpu_type"],
])("with requestNames %s, a creation with %j is refused and names %s", async (requestNames, body, field) => {
  const { call, simulator } = await start({ dialect: { requestNames } });
  const { status, body: answer } = await call("POST /v1/clusters", body);
  expect([status, answer.error.message]).toEqual([400, expect.stringContaining(`"${field}"`)]);
  expect(simulator.clusters()).toEqual([]);
});

test("neither vocabulary is refused even if unknown fields are ignored", async () => {
  const { call } = await start({ dialect: { ...publishedDialects.client, requestNames: "neither" } });
  const body = { ...theirs, gpuModelId: gpuModelId("h100") };
  expect((await call("POST /v1/clusters", body)).body.error.message).toContain('"gpuModelId"');
});

test("one field under both names is refused", async () => {
  const { call } = await start({ dialect: { requestNames: "both" } });
  const { body } = await call("POST /v1/clusters", { ...web, replicaCount: 2 });
  expect(body.error.message).toBe('The fields "replicas" and "replicaCount" say the same.');
});

test.each<[Names, object, number]>([
  ["specification", { replicas: 4 }, 200],
  ["client", { replicaCount: 4 }, 200],
  ["both", { replicas: 4 }, 200],
  ["both", { replicaCount: 4 }, 200],
  ["client", { replicas: 4 }, 400],
  ["neither", { replicaCount: 4 }, 400],
])("with requestNames %s, a scale to %j is answered with %d", async (requestNames, body, status) => {
  const { call, simulator } = await start({ dialect: { requestNames } });
  const { id } = simulator.addCluster({ name: "web", gpuType: "h100" });
  expect((await call(`POST /v1/clusters/${id}/scale`, body)).status).toBe(status);
});

test("a wrong value is refused by the name that was sent", async () => {
  const { call } = await start({ dialect: { requestNames: "both" } });
  const { body } = await call("POST /v1/clusters", { ...theirs, replicaCount: 0 });
  expect(body.error.message).toContain('"replicaCount"');
});

test.each<[Partial<Dialect>, number, string | undefined]>([
  [{}, 400, 'Unknown field "flavor". Known here: name, gpu_type, replicas, container, env.'],
  [{ errorCodes: "other" }, 422, 'Unknown field "flavor". Known here: name, gpu_type, replicas, container, env.'],
  [{ unknownFields: "ignored" }, 201, undefined],
])("an unknown field in the dialect %j is answered with %d", async (dialect, status, message) => {
  const { call, simulator } = await start({ dialect });
  const reply = await call("POST /v1/clusters", { ...web, flavor: "mint" });
  expect([reply.status, reply.body.error?.message]).toEqual([status, message]);
  expect(simulator.requests.at(-1)?.body).toEqual({ ...web, flavor: "mint" });
});
