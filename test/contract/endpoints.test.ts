import { endpoints } from "../../provider/api/endpoints";
import { type Dialect, dialects } from "../../simulator";
import { type Contract, contract, web } from "./harness";

interface Row {
  /** Method and path of the specification, or of the dialect if the specification leaves them open; `:id` is the cluster's. */
  readonly line: string | ((dialect: Dialect) => string);
  /** The body on the wire; absent: no body and no Content-Type. */
  readonly body?: unknown | ((dialect: Dialect) => unknown);
  call(bench: Contract, id: string): Promise<unknown>;
  /** The answer, in the dialect. */
  expected(bench: Contract, id: string): unknown;
}

const wire = { name: web.name, gpu_type: "h100", replicas: 2, container: web.container, env: web.env };
const record = (id: string, more: Record<string, unknown> = {}) =>
  expect.objectContaining({ id, name: "web", gpuType: "h100", replicas: 2, createdAt: expect.any(String), ...more });
/** An action answers with the cluster or with nothing. */
const acted = ({ dialect }: Contract, id: string, more?: Record<string, unknown>) =>
  dialect.actionAnswer === "cluster" ? record(id, more) : undefined;
const changes = { replicas: 3, container: "example/server:2.0", env: { fooBar: "2" } };
const container: Record<Dialect["containerEcho"], string | undefined> = {
  same: web.container,
  none: undefined,
  registry: `docker.io/${web.container}`,
};
const shownEnv = ({ envEcho, injectedEnv }: Dialect) => {
  const entries = Object.entries({ ...web.env, ...injectedEnv });
  const shown = entries.map(([name, value]) => [name, envEcho === "masked" ? "********" : value]);
  return envEcho === "none" ? undefined : Object.fromEntries(shown);
};
const replica = (dialect: Dialect) =>
  dialect.replicasForm === "counts"
    ? { id: expect.any(String), status: "", healthy: true }
    : { id: expect.any(String), status: "healthy", healthy: true };
/** The status of a cluster that changes, unless it shows running at all times. */
const onItsWay = (word: "restarting" | "deploying", dialect: Dialect) =>
  dialect.runningWhen === "always" ? "running" : word;
const price = { pricePerHour: 2.99, currency: "USD" };
const h100 = ({ dialect }: Contract) => {
  return { type: "h100", name: dialect.catalog === "own" ? "NVIDIA H100" : "H100", memoryGb: 80 };
};
/** The cluster uses two of the 256. */
const stock = { available: true, availableCount: 254 };
const among = (facts: Record<string, unknown>) => ({
  gpus: expect.arrayContaining([{ ...facts, raw: expect.any(Object) }]),
  certain: true,
});

const clusterRows = {
  createCluster: {
    line: "POST /v1/clusters",
    body: { ...wire, name: "web-2" },
    call: ({ client }) => client.createCluster({ ...web, name: "web-2" }),
    expected: () => record(expect.stringMatching(/^cl_/), { name: "web-2", status: "provisioning" }),
  },
  listClusters: {
    line: "GET /v1/clusters",
    call: ({ client }) => client.listClusters(),
    expected: (_bench, id) => ({ clusters: [record(id)], complete: true }),
  },
  getCluster: {
    line: "GET /v1/clusters/:id",
    call: ({ client }, id) => client.getCluster(id),
    expected: ({ dialect }, id) =>
      record(id, JSON.parse(JSON.stringify({ container: container[dialect.containerEcho], env: shownEnv(dialect) }))),
  },
  updateCluster: {
    line: ({ updateMethod }) => `${updateMethod} /v1/clusters/:id`,
    body: changes,
    call: ({ client }, id) => client.updateCluster(id, () => changes),
    expected: (_bench, id) => record(id, { replicas: 3 }),
  },
  deleteCluster: {
    line: "DELETE /v1/clusters/:id",
    call: ({ client }, id) => client.deleteCluster(id),
    expected: (_bench, id) => record(id, { status: "terminating" }),
  },
} satisfies Partial<Record<keyof typeof endpoints, Row>>;

const actionRows = {
  stopCluster: {
    line: "POST /v1/clusters/:id/stop",
    call: ({ client }, id) => client.stopCluster(id),
    expected: (bench, id) => acted(bench, id, { status: "stopping" }),
  },
  restartCluster: {
    line: "POST /v1/clusters/:id/restart",
    call: ({ client }, id) => client.restartCluster(id),
    expected: (bench, id) => acted(bench, id, { status: onItsWay("restarting", bench.dialect) }),
  },
  redeployCluster: {
    line: "POST /v1/clusters/:id/redeploy",
    call: ({ client }, id) => client.redeployCluster(id),
    expected: (bench, id) => acted(bench, id, { status: onItsWay("deploying", bench.dialect) }),
  },
  scaleCluster: {
    line: "POST /v1/clusters/:id/scale",
    body: { replicas: 4 },
    call: ({ client }, id) => client.scaleCluster(id, 4),
    expected: (bench, id) => acted(bench, id, { replicas: 4 }),
  },
  getClusterStatus: {
    line: "GET /v1/clusters/:id/status",
    call: ({ client }, id) => client.getClusterStatus(id),
    expected: ({ dialect }) => ({
      status: "running",
      replicas: [replica(dialect), replica(dialect)],
      ...(dialect.replicasForm === "counts" ? { isCounted: true } : {}),
    }),
  },
} satisfies Partial<Record<keyof typeof endpoints, Row>>;

const serviceRows = {
  listGpuTypes: {
    line: "GET /v1/gpus",
    call: ({ client }) => client.listGpuTypes(),
    expected: (bench) => among({ ...h100(bench), ...price, ...stock }),
  },
  getGpuTypeAvailability: {
    line: "GET /v1/gpus/h100/availability",
    call: ({ client }) => client.getGpuTypeAvailability("h100"),
    expected: () => ({ type: "h100", ...stock, raw: expect.any(Object) }),
  },
  listGpuModels: {
    line: "GET /v1/gpus/models",
    call: ({ client }) => client.listGpuModels(),
    expected: (bench) => among(h100(bench)),
  },
  listGpuAvailability: {
    line: "GET /v1/gpus/availability",
    call: ({ client }) => client.listGpuAvailability(),
    expected: () => among({ type: "h100", ...stock }),
  },
  listGpuPricing: {
    line: "GET /v1/gpus/pricing",
    call: ({ client }) => client.listGpuPricing(),
    expected: () => among({ type: "h100", ...price }),
  },
  getHealth: {
    line: "GET /health",
    call: ({ client }) => client.getHealth(),
    expected: () => ({ healthy: true, status: "ok", raw: { status: "ok" } }),
  },
  getServiceInfo: {
    line: "GET /",
    call: ({ client }) => client.getServiceInfo("/"),
    expected: () =>
      expect.objectContaining({ name: expect.any(String), version: expect.stringMatching(/^\d+\.\d+\.\d+$/) }),
  },
} satisfies Partial<Record<keyof typeof endpoints, Row>>;

const rows: Record<string, Row> = { ...clusterRows, ...actionRows, ...serviceRows };
/** The form of the official client has tests of its own. */
const names = Object.keys(dialects).filter((name) => name !== "client");
const cases = names.flatMap((dialect) => Object.keys(endpoints).map((name) => [name, dialect] as const));

test("every endpoint has a contract test, and there is no test without an endpoint", () => {
  expect(Object.keys(rows).sort()).toEqual(Object.keys(endpoints).sort());
});

test.each(cases)("%s sends and reads what the specification says, in the dialect %s", async (name, dialect) => {
  const row = rows[name];
  if (!row) throw new Error(`${name} has no contract test`);
  const bench = await contract({ dialect });
  const { id } = await bench.client.createCluster(web);
  await bench.clock.advance(1_000);
  expect(await row.call(bench, id)).toEqual(row.expected(bench, id));
  const sent = bench.last();
  const line = typeof row.line === "string" ? row.line : row.line(bench.dialect);
  const body = typeof row.body === "function" ? row.body(bench.dialect) : row.body;
  expect([`${sent?.method} ${sent?.path}`, sent?.body]).toEqual([line.replace(":id", id), body]);
  expect(sent?.headers["content-type"]).toBe(body === undefined ? undefined : "application/json");
  expect(sent?.headers).toMatchObject({ accept: "application/json", "user-agent": "contract/1" });
});
