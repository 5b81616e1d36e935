import { type Dialect, publishedDialects } from "../../../simulator";
import { start, stopAll, web } from "./harness";

afterEach(stopAll);

const stored = { extraFields: "stored" } as const;

const extras = {
  gpus_per_replica: 2,
  resource_size: "large",
  tier: "verified",
  preferred_regions: ["eu-north"],
  allow_fallback: true,
  container_port: 8000,
  health_check_enabled: true,
  health_check_path: "/ready",
  health_check_port: 8001,
  disk_size_gb: 50,
  container_command: ["serve"],
  cloud_init_runcmd: ["date"],
  registry_credential_id: "cred_1",
  autoscaling: { min_replicas: 1, max_replicas: 4, target_requests_per_replica: 10 },
};

test("every extra field is stored, shown by get in the style of the record, and known to tests", async () => {
  const { call, simulator } = await start({ dialect: stored });
  const { id } = (await call("POST /v1/clusters", { ...web, ...extras })).body;
  expect((await call(`GET /v1/clusters/${id}`)).body).toMatchObject(extras);
  expect(simulator.cluster(id)).toMatchObject({
    gpusPerReplica: 2,
    extras: { containerPort: 8000, autoscaling: { minReplicas: 1, maxReplicas: 4, targetRequestsPerReplica: 10 } },
  });
});

test("the client's records have them in camelCase", async () => {
  const dialect: Dialect = { ...publishedDialects.client, requestNames: "both" };
  const { call } = await start({ dialect });
  const { id } = (await call("POST /v1/clusters", { name: "web", ...extras })).body.data;
  expect((await call(`GET /v1/clusters/${id}`)).body.data).toMatchObject({
    containerPort: 8000,
    healthCheckPath: "/ready",
    autoscaling: { minReplicas: 1, maxReplicas: 4, targetRequestsPerReplica: 10 },
  });
});

test("without the option they are unknown fields", async () => {
  const { call } = await start();
  expect((await call("POST /v1/clusters", { ...web, tier: "verified" })).status).toBe(400);
});

test.each([
  ["tier", "gold"],
  ["container_port", 70_000],
  ["disk_size_gb", 0],
  ["gpus_per_replica", -1],
  ["allow_fallback", "yes"],
  ["health_check_path", ""],
  ["container_command", "serve"],
  ["autoscaling", 3],
])("%s cannot be %j", async (field, value) => {
  const { call } = await start({ dialect: stored });
  const { status, body } = await call("POST /v1/clusters", { ...web, [field]: value });
  expect([status, body.error.message]).toEqual([400, expect.stringContaining(`"${field}"`)]);
});

test.each([{ min_replicas: 0 }, { minimum: 1 }])("autoscaling cannot be %j", async (autoscaling) => {
  const { call } = await start({ dialect: stored });
  expect((await call("POST /v1/clusters", { ...web, autoscaling })).status).toBe(400);
});

test.each<[Partial<Dialect>, object]>([
  [{ updateSemantics: "merge" }, { tier: "verified", containerPort: 8000 }],
  [{ updateSemantics: "merge-keys" }, { tier: "verified", containerPort: 8000 }],
  [{ updateSemantics: "replace" }, { containerPort: 8000 }],
])("an update changes them in the dialect %j", async (dialect, expected) => {
  const { call, simulator } = await start({ dialect: { ...stored, ...dialect } });
  const { id } = (await call("POST /v1/clusters", { ...web, tier: "verified" })).body;
  const { replicas, container, env } = web;
  await call(`PATCH /v1/clusters/${id}`, { replicas, container, env, container_port: 8000 });
  expect(simulator.cluster(id)?.extras).toEqual(expected);
});
