import { ApiError, isNotFound, isUnauthorized } from "../../provider/base/errors";
import { dialects, type Simulator } from "../../simulator";
import { contract, web } from "./harness";

/** The form of the official client has tests of its own. */
const names = Object.keys(dialects).filter((name) => name !== "client");

/** The create requests so far; lists that tell the service's names may come before them. */
const creations = ({ requests }: Simulator) => requests.filter(({ method }) => method === "POST");

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test("401: an unknown key is refused once, and the message says what to check", async () => {
  const { client, simulator } = await contract({ key: "wrong-key" });
  const error = await failureOf(client.listClusters());
  expect(error).toBeInstanceOf(ApiError);
  const facts = { status: 401, code: "unauthorized", outcome: "refused", method: "GET", path: "/v1/clusters" };
  expect(error).toMatchObject(facts);
  expect(isUnauthorized(error)).toBe(true);
  expect(String(error)).toContain("Check the API key");
  expect(String(error)).not.toContain("wrong-key");
  expect(simulator.requests).toHaveLength(1);
});

test.each(names)("404: an unknown cluster is not found, for every endpoint of a cluster (%s)", async (dialect) => {
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
    // Its code may be the one for a method that is not there.
    () => client.updateCluster("cl_none", () => update),
  ])
    expect(isNotFound(await failureOf(call()))).toBe(true);
});

test("400 invalid_gpu_type: the message names the type, and nothing is made", async () => {
  const { client, simulator } = await contract();
  const error = await failureOf(client.createCluster({ ...web, gpuType: "b9000" }, { subject: 'cluster "web"' }));
  expect(error).toMatchObject({ status: 400, code: "invalid_gpu_type", outcome: "no-capacity", maybeApplied: false });
  expect(String(error)).toContain('POST /v1/clusters for cluster "web": ');
  expect(String(error)).toContain('"b9000"');
  expect([creations(simulator).length, simulator.clusters().length]).toEqual([1, 0]);
});

test("429: a request over the limit waits for the window and is then served", async () => {
  const fault = { kind: "status", status: 429, headers: { "Retry-After": "20" } } as const;
  const { client, simulator, clock } = await contract({ faults: [{ ...fault, method: "POST" }] });
  const startMs = clock.now();
  await client.createCluster(web);
  expect(creations(simulator).map(({ status }) => status)).toEqual([429, 201]);
  expect(clock.now() - startMs).toBeGreaterThanOrEqual(20_000);
  expect(simulator.clusters()).toHaveLength(1);
});

test("429: a wait that is longer than the request may take is refused in words", async () => {
  const fault = { kind: "status", status: 429, headers: { "Retry-After": "7200" } } as const;
  const { client, simulator } = await contract({ faults: [fault] });
  const error = await failureOf(client.listClusters());
  expect(error).toMatchObject({ status: 429, outcome: "refused" });
  expect(String(error)).toMatch(/the rate limit of this API key is used up for another 720\d s/);
  expect(simulator.requests).toHaveLength(1);
});
