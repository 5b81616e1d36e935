import { dialects, publishedDialects, startSimulator } from "../../../simulator";
import { parseDialect, resolveDialect } from "../../../simulator/dialects";
import { start, startWithCluster, stopAll, web } from "./harness";

afterEach(stopAll);

test("terse: bare list, no container or env in records, empty answers to actions and deletion", async () => {
  const { call, path } = await startWithCluster({ dialect: "terse" });
  expect((await call("GET /v1/clusters")).body).toHaveLength(1);
  expect((await call(`GET ${path}`)).body).not.toHaveProperty("env");
  expect((await call(`GET ${path}/status`)).body).toHaveLength(3);
  for (const line of [`POST ${path}/restart`, `POST ${path}/stop`, `POST ${path}/redeploy`]) {
    expect(await call(line)).toMatchObject({ status: 202, text: "" });
  }
  expect(await call(`DELETE ${path}`)).toMatchObject({ status: 204, text: "" });
});

test("terse: an update takes effect at the next redeploy", async () => {
  const { call, path, simulator, id, clock } = await startWithCluster({ dialect: "terse" });
  await call(`PATCH ${path}`, { env: { B: "2" } });
  expect(simulator.cluster(id)).toMatchObject({ status: "running", env: { B: "2" }, deployed: { env: { A: "1" } } });
  await call(`POST ${path}/redeploy`);
  clock.advance(3000);
  expect(simulator.cluster(id)).toMatchObject({ status: "running", deployed: { env: { B: "2" } } });
});

test("terse: a name is free again only when its cluster is gone", async () => {
  const { call, path, clock } = await startWithCluster({ dialect: "terse" });
  expect((await call("POST /v1/clusters", web)).body.error).toMatchObject({ status: 409, code: "name_taken" });
  await call(`DELETE ${path}`);
  expect((await call("POST /v1/clusters", web)).status).toBe(409);
  clock.advance(300);
  expect((await call("POST /v1/clusters", web)).status).toBe(201);
});

test("terse: env is required", async () => {
  const { call } = await start({ dialect: "terse" });
  expect((await call("POST /v1/clusters", { ...web, env: undefined })).body.error.message).toContain("env");
});

test("plain: two clusters may have one name", async () => {
  const { call } = await startWithCluster({ dialect: "plain" });
  expect((await call("POST /v1/clusters", web)).status).toBe(201);
});

test("the status word may be running before the replicas are healthy", async () => {
  const { call, clock, simulator } = await start({ dialect: { runningWhen: "placed" } });
  const { id } = (await call("POST /v1/clusters", web)).body;
  clock.advance(1000);
  expect(simulator.cluster(id)?.status).toBe("running");
  expect(simulator.cluster(id)?.replicaStates.at(-1)?.status).toBe("starting");
});

test.each([
  ["milliseconds", "1893456060000"],
  ["seconds", "1893456060"],
  ["delta", "60"],
] as const)("the reset header in %s", async (rateResetUnit, expected) => {
  const { call } = await start({ dialect: { rateResetUnit } });
  expect((await call("GET /health")).headers.get("x-ratelimit-reset")).toBe(expected);
});

test("the descriptor may be elsewhere", async () => {
  const { call } = await start({ dialect: { descriptorPath: "/v1" } });
  expect((await call("GET /v1")).body.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect((await call("GET /")).status).toBe(404);
});

test("an unknown dialect is refused with the known names", async () => {
  await expect(startSimulator({ dialect: "klingon" })).rejects.toThrow(/plain, terse, mix-1 to mix-\d+/);
});

test.each(Object.keys({ ...dialects, ...publishedDialects }))(
  "the dialect %s has its name, and may be given as options as well",
  (name) => {
    const dialect = resolveDialect(name);
    expect(resolveDialect(dialect)).toEqual(dialect);
    expect(resolveDialect(JSON.parse(JSON.stringify(dialect)))).toEqual(dialect);
  },
);

test("options are set on top of plain, and undefined ones keep plain's value", () => {
  expect(resolveDialect({ updateMethod: "PUT", listShape: undefined })).toEqual({
    ...dialects["plain"],
    updateMethod: "PUT",
  });
});

test.each<[unknown, string]>([
  [{ updatMethod: "PUT" }, '"updatMethod" is no option. Known: listShape, listForm, paged, paging'],
  [{ toString: "PUT" }, '"toString" is no option'],
  [{ updateMethod: "DELETE" }, 'updateMethod must be PATCH | PUT | POST, got "DELETE"'],
  [{ uniqueNames: "true" }, 'uniqueNames must be false | true, got "true"'],
  [{ rateLimitStatus: "429" }, 'rateLimitStatus must be 429 | 503, got "429"'],
  [{ paging: "none" }, 'paging must be cursor | link | numbered | repeating | next-cursor, got "none"'],
  [{ pageSize: 0 }, "pageSize must be 2, or another whole number of at least 1, got 0"],
  [{ injectedEnv: { A: 1 } }, "or another object of strings, got"],
  [{ descriptorPath: "v1" }, 'descriptorPath must be / | /v1 | /api, or another path that begins with "/", got "v1"'],
  [["plain"], "it must be an object"],
  [null, "it must be an object"],
])("as options %j are refused", (value, reason) => {
  expect(() => parseDialect(value)).toThrow(reason);
});

test.each([
  { paging: "repeating" },
  { pageSize: 50 },
  { injectedEnv: { REGION: "eu" } },
  { descriptorPath: "/about" },
] as const)("%j is allowed, though the covering dialects do not use it", (options) => {
  expect(resolveDialect(options)).toMatchObject(options);
});
