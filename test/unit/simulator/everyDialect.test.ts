import { type Dialect, dialects } from "../../../simulator";
import { start, startWithCluster, stopAll, web } from "./harness";

afterEach(stopAll);

const names = Object.keys(dialects);

const starters: Record<Dialect["startedBy"], (path: string) => [line: string, body?: unknown]> = {
  "restart-or-redeploy": (path) => [`POST ${path}/restart`],
  redeploy: (path) => [`POST ${path}/redeploy`],
  scale: (path) => [`POST ${path}/scale`, { replicas: 4 }],
};

test.each(names)(
  "the create response has the specified fields, and nothing else, in the dialect %s",
  async (dialect) => {
    const { call } = await start({ dialect });
    const { status, body } = await call("POST /v1/clusters", web);
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(["id", "name", "status", "gpu_type", "replicas", "endpoint", "created_at"]);
    expect(body).toMatchObject({ status: "provisioning", created_at: "2030-01-01T00:00:00.000Z" });
  },
);

test.each(names)("a cluster is updated, stopped, started, scaled and deleted in the dialect %s", async (dialect) => {
  const { call, simulator, clock, id, path } = await startWithCluster({ dialect, rateLimit: 1000 });
  const seen: number[] = [];
  const step = async (line: string, body?: unknown) => {
    seen.push((await call(line, body)).status);
    clock.advance(3000);
    for (const read of ["/v1/clusters", path, `${path}/status`]) seen.push((await call(`GET ${read}`)).status);
  };
  const { updateMethod, updateFields, updateSemantics, startedBy } = simulator.dialect;
  const replicas = updateSemantics === "replace" && updateFields === "any" ? { replicas: 3 } : {};
  const container = "vllm/vllm-openai:v0.6.4";
  await step(`${updateMethod} ${path}`, { ...replicas, container, env: { B: "2" } });
  await step(`POST ${path}/stop`);
  expect(simulator.cluster(id)).toMatchObject({ status: "stopped", container });
  await step(...starters[startedBy](path));
  await step(`POST ${path}/scale`, { replicas: 5 });
  await step(`POST ${path}/redeploy`);
  expect(simulator.cluster(id)).toMatchObject({ status: "running", replicas: 5, deployed: { container } });
  expect(simulator.cluster(id)?.replicaStates.filter(({ healthy }) => healthy)).toHaveLength(5);
  expect(seen.filter((status) => status !== 200 && status !== 202)).toEqual([]);
  await call(`DELETE ${path}`);
  clock.advance(60_300);
  expect(simulator.cluster(id)?.status).toBe("gone");
  expect([404, 410]).toContain((await call(`GET ${path}`)).status);
});

const stoppedUpdates: Record<Dialect["stoppedUpdate"], [status: number, word: string]> = {
  stored: [200, "stopped"],
  refused: [409, "stopped"],
  starts: [200, "running"],
};

test.each(names)("an update finds a stopped cluster in the dialect %s", async (dialect) => {
  const { call, simulator, clock, id, path } = await startWithCluster({ dialect });
  const { updateMethod, updateFields, updateSemantics, stoppedUpdate, stoppedReplicas } = simulator.dialect;
  await call(`POST ${path}/stop`);
  clock.advance(300);
  expect((await call(`GET ${path}`)).text).toMatch(/stopped|suspended|paused/i);
  expect((await call(`GET ${path}/status`)).text.includes("rep_")).toBe(
    stoppedReplicas === "listed" && simulator.dialect.replicasForm !== "counts",
  );
  const replicas = updateSemantics === "replace" && updateFields === "any" ? { replicas: 3 } : {};
  const { status } = await call(`${updateMethod} ${path}`, { ...replicas, container: web.container, env: { B: "2" } });
  clock.advance(3000);
  expect([status, simulator.cluster(id)?.status]).toEqual(stoppedUpdates[stoppedUpdate]);
});

test.each(names)("everything about GPUs and the service is answered in the dialect %s", async (dialect) => {
  const { call, simulator } = await start({ dialect });
  const { descriptorPath } = simulator.dialect;
  const gpus = ["", "/models", "/availability", "/pricing", "/h100/availability"].map((rest) => `/v1/gpus${rest}`);
  for (const path of [...gpus, "/health", descriptorPath]) expect((await call(`GET ${path}`)).status).toBe(200);
});
