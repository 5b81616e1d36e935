import type { Dialect } from "../../../simulator";
import { start, startWithCluster, stopAll, web } from "./harness";

afterEach(stopAll);

test.each<[Dialect["recordShape"], string]>([
  ["wrapped", "cluster"],
  ["data", "data"],
])("a %s record is under %s, also after changes", async (recordShape, word) => {
  const { call, path } = await startWithCluster({ dialect: { recordShape } });
  for (const line of [`GET ${path}`, `POST ${path}/restart`, `DELETE ${path}`]) {
    const { body } = await call(line);
    expect(Object.keys(body)).toEqual([word]);
    expect(body[word]).toMatchObject({ name: "web", gpu_type: "h100" });
  }
  expect((await call("GET /v1/clusters")).body.clusters[0].name).toBe("web");
});

test("a camel record has other names, forms and unknown fields, in lists and after changes too", async () => {
  const { call, path, id, simulator } = await startWithCluster({ dialect: { recordNames: "camel" } });
  const record = {
    id,
    name: "web",
    status: "running",
    replicas: "3",
    endpoint: `${simulator.cluster(id)?.endpoint}/`,
    gpuType: "h100",
    createdAt: "2030-01-01T00:00:00.000Z",
    region: null,
    labels: {},
  };
  expect((await call(`GET ${path}`)).body).toEqual({ ...record, container: web.container, env: web.env });
  expect((await call("GET /v1/clusters")).body.clusters).toEqual([record]);
  expect((await call(`POST ${path}/stop`)).body).toEqual({ ...record, status: "stopping" });
});

test.each<[Dialect["stampShape"], string | number]>([
  ["iso", "2030-01-01T00:00:00.000Z"],
  ["offset", "2030-01-01T02:00:00+02:00"],
  ["epoch-seconds", 1_893_456_000],
])("created_at as %s, but not in the create answer", async (stampShape, expected) => {
  const { call, simulator } = await start({ dialect: { stampShape } });
  const created = (await call("POST /v1/clusters", web)).body;
  expect(created.created_at).toBe("2030-01-01T00:00:00.000Z");
  expect((await call(`GET /v1/clusters/${created.id}`)).body.created_at).toBe(expected);
  expect((await call("GET /v1/clusters")).body.clusters[0].created_at).toBe(expected);
  expect(simulator.cluster(created.id)?.createdAt).toBe("2030-01-01T00:00:00.000Z");
});

test.each<[Dialect["containerEcho"], string, string | undefined]>([
  ["same", "team/llm:1", "team/llm:1"],
  ["none", "team/llm:1", undefined],
  ["registry", "team/llm:1", "docker.io/team/llm:1"],
  ["registry", "nginx:1.27", "docker.io/nginx:1.27"],
  ["registry", "ghcr.io/team/llm:1", "ghcr.io/team/llm:1"],
  ["registry", "registry:5000/llm:1", "registry:5000/llm:1"],
  ["registry", "localhost/llm:1", "localhost/llm:1"],
])("with containerEcho %s, the container %s is shown as %s", async (containerEcho, container, expected) => {
  const { call } = await start({ dialect: { containerEcho } });
  const { id } = (await call("POST /v1/clusters", { ...web, container })).body;
  const { body } = await call(`GET /v1/clusters/${id}`);
  expect(body.container).toBe(expected);
  expect(body.env).toEqual(web.env);
});

test.each<[Pick<Dialect, "envEcho" | "envForm"> & Partial<Dialect>, unknown]>([
  [
    { envEcho: "same", envForm: "map" },
    { A: "1", GPU_HOST: "node-7" },
  ],
  [{ envEcho: "same", envForm: "pairs" }, pairs("1", "node-7")],
  [
    { envEcho: "same", envForm: "map", envHidden: "names" },
    { A: "1", GPU_HOST: "node-7" },
  ],
  [{ envEcho: "none", envForm: "map" }, undefined],
  [{ envEcho: "none", envForm: "pairs", envHidden: "names" }, undefined],
  [
    { envEcho: "hidden", envForm: "map" },
    { A: "********", GPU_HOST: "********" },
  ],
  [{ envEcho: "hidden", envForm: "pairs" }, pairs("********", "********")],
  [{ envEcho: "hidden", envForm: "map", envHidden: "names" }, ["A", "GPU_HOST"]],
  [{ envEcho: "hidden", envForm: "pairs", envHidden: "names" }, [{ name: "A" }, { name: "GPU_HOST" }]],
])("env is shown in the dialect %j, with the variables that the service adds", async (dialect, expected) => {
  const { call, path, simulator, id } = await startWithCluster({
    dialect: { ...dialect, injectedEnv: { GPU_HOST: "node-7" } },
  });
  const { body } = await call(`GET ${path}`);
  expect(body.env).toEqual(expected);
  expect(body.container).toBe(web.container);
  expect(simulator.cluster(id)?.env).toEqual({ A: "1" });
});

test.each<[Dialect["envForm"], unknown]>([
  ["map", {}],
  ["pairs", []],
])("an empty env in the form %s", async (envForm, expected) => {
  const { call } = await start({ dialect: { envForm } });
  const { id } = (await call("POST /v1/clusters", { ...web, env: {} })).body;
  expect((await call(`GET /v1/clusters/${id}`)).body.env).toEqual(expected);
});

test.each<[Dialect["statusWords"], string, string]>([
  ["plain", "running", "stopping"],
  ["upper-prefixed", "CLUSTER_STATUS_RUNNING", "CLUSTER_STATUS_STOPPING"],
  ["title", "Running", "Stopping"],
])("the status word of a cluster is %s everywhere but in the create answer", async (statusWords, runs, stops) => {
  const { call, clock } = await start({ dialect: { statusWords } });
  const created = (await call("POST /v1/clusters", web)).body;
  const path = `/v1/clusters/${created.id}`;
  clock.advance(3000);
  expect(created.status).toBe("provisioning");
  expect((await call(`GET ${path}`)).body.status).toBe(runs);
  expect((await call("GET /v1/clusters")).body.clusters[0].status).toBe(runs);
  expect((await call(`GET ${path}/status`)).body.status).toBe(runs);
  expect((await call(`POST ${path}/stop`)).body.status).toBe(stops);
});

function pairs(first: string, second: string): unknown {
  return [
    { name: "A", value: first },
    { name: "GPU_HOST", value: second },
  ];
}
