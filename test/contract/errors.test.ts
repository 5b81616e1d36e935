import { ApiError, isNotFound, isUnauthorized } from "../../provider/base/errors";
import { dialects, type Simulator } from "../../simulator";
import { contract, web } from "./harness";

/** Services with the client's names have other tests. */
const names = Object.keys(dialects).filter((name) => name !== "client");

/** The create requests; lists that show the request names may precede them. */
const creations = ({ requests }: Simulator) => requests.filter(({ method }) => method === "POST");

test("a 401 for an unknown key is an error at once, with advice", async () => {
  const { client, simulator } = await contract({ key: "wrong-key" });
  const error = await client.listClusters().catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ApiError);
  const details = {
    status: 401,
    code: "unauthorized",
    outcome: "refused",
    method: "GET",
    details: { path: "/v1/clusters" },
  };
  expect(error).toMatchObject(details);
  expect(isUnauthorized(error)).toBe(true);
  expect(String(error)).toContain("Check the API key");
  expect(String(error)).not.toContain("wrong-key");
  expect(simulator.requests).toHaveLength(1);
});

test.each(names)("a 404 for an unknown cluster means not found: %s", async (dialect) => {
  const { client } = await contract({ dialect });
  const update = { replicas: 2, container: web.container, env: {} };
  for (const call of [
    () => client.getCluster("cl_none"),
    () => client.getClusterStatus("cl_none"),
    () => client.deleteCluster("cl_none"),
    () => client.stopCluster("cl_none"),
    () => client.restartCluster("cl_none"),
    () => client.redeployCluster("cl_none"),
    () => client.scaleCluster("cl_none", 2),
    // Its code may be that of a missing method.
    () => client.updateCluster("cl_none", () => update),
  ])
    expect(isNotFound(await call().catch((error: unknown) => error))).toBe(true);
});

test("a 400 for an unknown GPU type names the type and the cluster, and creates nothing", async () => {
  const { client, simulator } = await contract();
  const error = await client
    .createCluster({ ...web, gpuType: "b9000" }, { subject: 'cluster "web"' })
    .catch((error: unknown) => error);
  expect(error).toMatchObject({ status: 400, code: "invalid_gpu_type", outcome: "no-capacity", maybeApplied: false });
  expect(String(error)).toContain('POST /v1/clusters for cluster "web": ');
  expect(String(error)).toContain('"b9000"');
  expect([creations(simulator).length, simulator.clusters().length]).toEqual([1, 0]);
});

test("a 429 is followed by the same request after the window", async () => {
  const fault = { kind: "status", status: 429, headers: { "Retry-After": "20" } } as const;
  const { client, simulator, clock } = await contract({ faults: [{ ...fault, method: "POST" }] });
  const startMs = clock.now();
  await client.createCluster(web);
  expect(creations(simulator).map(({ status }) => status)).toEqual([429, 201]);
  expect(clock.now() - startMs).toBeGreaterThanOrEqual(20_000);
  expect(simulator.clusters()).toHaveLength(1);
});

test("a 429 with a wait beyond the deadline is an error with that wait", async () => {
  const fault = { kind: "status", status: 429, headers: { "Retry-After": "7200" } } as const;
  const { client, simulator } = await contract({ faults: [fault] });
  const error = await client.listClusters().catch((error: unknown) => error);
  expect(error).toMatchObject({ status: 429, outcome: "refused" });
  expect(String(error)).toMatch(/the rate limit of this API key is used up for another 720\d s/);
  expect(simulator.requests).toHaveLength(1);
});
