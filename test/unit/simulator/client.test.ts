import { gpuModelId } from "../../../simulator";
import { type Reply, start, type WithCluster } from "./harness";

/** The variant of the official client; test/install runs that client against it. */

const h100 = gpuModelId("h100");
const image = "acme/model:1";
const web = { name: "web", gpuModelId: h100, gpusPerReplica: 1, replicaCount: 2, imageUrl: image, envVars: { A: "1" } };

/** A service with one cluster, by default one that runs; `get` reads its record. */
async function startWithWeb(
  ageMs = 3000,
  body: object = web,
): Promise<WithCluster & { get: () => Promise<Reply["body"]> }> {
  const fixture = await start({ dialect: "client" });
  const { id } = (await fixture.call("POST /v1/clusters", body)).body.data;
  fixture.clock.advance(ageMs);
  const path = `/v1/clusters/${id}`;
  return { ...fixture, id, path, get: async () => (await fixture.call(`GET ${path}`)).body.data };
}

const message = "no memory";
const sickReplica = { replica: 1, message };
const replicas = [{ healthy: true }, { status: "running", healthy: false }];
test.each([
  ["pending until a replica has a place", 100, {}, { status: "pending" }],
  ["deploying until all replicas are healthy", 1500, {}, { status: "deploying" }],
  ["failed, and says why", 3000, { status: "failed", message }, { status: "failed", statusReason: message }],
  ["degraded if a replica that runs is unhealthy", 3000, { sickReplica }, { status: "degraded", replicas }],
] as const)("the status follows the replicas: %s", async (_what, ageMs, changes, expected) => {
  const { simulator, id, get } = await startWithWeb(ageMs);
  simulator.change(id, changes);
  expect(await get()).toMatchObject(expected);
});

test("a terminated cluster stays readable, but is removed from the list, refuses changes and frees its name", async () => {
  const { call, path, clock, get } = await startWithWeb();
  expect((await call(`DELETE ${path}`)).body.data).toMatchObject({ status: "terminated", imageUrl: image });
  clock.advance(86_400_000);
  expect(await get()).toMatchObject({ status: "terminated", replicas: [] });
  expect((await call("GET /v1/clusters")).body).toEqual({ data: [] });
  expect([(await call(`DELETE ${path}`)).status, (await call("POST /v1/clusters", web)).status]).toEqual([404, 201]);
});

test.each<[string, unknown, object]>([
  ["scale", { replicaCount: 5 }, { replicaCount: 5, scaled: 3 }],
  [
    "redeploy",
    { imageUrl: "acme/model:2", cloudInitRuncmd: ["date"] },
    { status: "deploying", imageUrl: "acme/model:2" },
  ],
  ["redeploy", undefined, { status: "deploying", imageUrl: image }],
])("an action keeps env: %s with the body %j answers %j", async (action, body, expected) => {
  const { call, path, id, simulator } = await startWithWeb();
  expect((await call(`POST ${path}/${action}`, body)).body).toEqual({ data: { id, ...expected } });
  const extras = Object(body).imageUrl ? { cloudInitRuncmd: ["date"] } : {};
  expect(simulator.cluster(id)).toMatchObject({ env: { A: "1" }, extras });
});

const otherModel = { ...web, gpuModelId: "h100" };
const tooMany = { ...web, name: "b", gpusPerReplica: 4, replicaCount: 64 };
test.each<[string, string, unknown, number, string?]>([
  ["the status, which has no endpoint", "GET :id/status", undefined, 404],
  ["an update", "PATCH :id", { replicaCount: 3 }, 405],
  ["a list of GPU types", "GET /v1/gpus", undefined, 404, "not_found_error"],
  ["a creation with an unknown GPU model", "POST /v1/clusters", otherModel, 400, "invalid_request_error"],
  ["a creation with more GPUs than there are", "POST /v1/clusters", tooMany, 409],
])("a request is refused: %s (%s)", async (_what, line, body, status, type = expect.any(String)) => {
  const { call, path } = await startWithWeb();
  const reply = await call(line.replace(":id", path), body);
  expect([reply.status, reply.body]).toEqual([status, { error: expect.objectContaining({ type }) }]);
});

test("a creation with names that the service does not know makes a cluster without a GPU", async () => {
  const { simulator, id } = await startWithWeb(0, { name: "web", gpu_type: "h100", container: image });
  expect(simulator.cluster(id)).toMatchObject({ gpusPerReplica: 0, container: "" });
});
