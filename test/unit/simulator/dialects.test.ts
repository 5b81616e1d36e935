import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Dialect, dialectOptions, dialects, startSimulator } from "../../../simulator";
import { parseDialect, resolveDialect } from "../../../simulator/dialects";
import { start, stopAll, web } from "./harness";

afterEach(stopAll);

const { client } = dialects;

test("each dialect has for each option one of its values, plain the first", () => {
  const options: [string, readonly unknown[]][] = Object.entries(dialectOptions);
  expect(dialects.plain).toEqual(Object.fromEntries(options.map(([option, [first]]) => [option, first])));
  for (const dialect of Object.values<object>(dialects)) {
    expect(Object.keys(dialect)).toEqual(options.map(([option]) => option));
    const chosen = new Map<string, unknown>(Object.entries(dialect));
    for (const [option, values] of options) expect(values).toContain(chosen.get(option));
  }
});

test("the guide has one line for each option, with all its values, in at most 8 kB", () => {
  const guide = readFileSync(join(__dirname, "../../../docs/guides/testing.md"), "utf8");
  expect(guide.length).toBeLessThanOrEqual(8_000);
  for (const [option, values] of Object.entries<readonly unknown[]>(dialectOptions)) {
    const [, line = ""] = new RegExp(`^\\| \`${option}\` \\| (.*)$`, "m").exec(guide) ?? [];
    const missing = values.filter((value) => typeof value !== "object" && !line.includes(`\`${value}\``));
    expect({ option, line: line !== "", missing }).toEqual({ option, line: true, missing: [] });
  }
});

test("every dialect has its name, and may be given as options as well, on top of plain", () => {
  for (const name of Object.keys(dialects)) {
    const dialect = resolveDialect(name);
    expect([resolveDialect(dialect), resolveDialect(JSON.parse(JSON.stringify(dialect)))]).toEqual([dialect, dialect]);
  }
  const put = resolveDialect({ updateMethod: "PUT", listShape: undefined });
  expect(put).toEqual({ ...dialects.plain, updateMethod: "PUT" });
});

test("an unknown dialect is refused with the known names", async () => {
  await expect(startSimulator({ dialect: "klingon" })).rejects.toThrow(
    "Known: plain, terse, careful, documented, client.",
  );
});

test.each<[unknown, string]>([
  [{ updatMethod: "PUT" }, '"updatMethod" is no option. Known: listShape, paging, recordShape'],
  [{ toString: "PUT" }, '"toString" is no option'],
  [{ updateMethod: "DELETE" }, 'updateMethod must be PATCH | PUT | POST | none, got "DELETE"'],
  [{ uniqueNames: "true" }, 'uniqueNames must be false | true, got "true"'],
  [{ injectedEnv: { A: 1 } }, "| another object of strings, got"],
  [["plain"], "it must be an object"],
  [null, "it must be an object"],
])("as options %j are refused", (value, reason) => {
  expect(() => parseDialect(value)).toThrow(reason);
});

test("any variables may be added to env", () => {
  const injectedEnv = { REGION: "eu" };
  expect(resolveDialect({ injectedEnv })).toMatchObject({ injectedEnv });
});

test.each<[Partial<Dialect>, number[], string[], string?]>([
  [{}, [200, 404, 200, 400], []],
  [{ descriptor: "absent" }, [404, 404, 200, 400], []],
  [{ ...client, descriptor: "absent" }, [404, 404, 200, 400], []],
  [{ descriptor: "lying" }, [200, 404, 200, 400], ["update", "status"], "PUT"],
  [{ updateMethod: "PUT", descriptor: "lying" }, [200, 404, 200, 400], ["update", "status"], "PATCH"],
  [{ updateMethod: "none", descriptor: "lying" }, [200, 404, 200, 400], ["update", "status"], "PATCH"],
  [{ ...client, descriptor: "lying" }, [200, 404, 200, 400], ["update", "status"], "PUT"],
])(
  "the descriptor in %j is where it says, and names what it says: %j",
  async (dialect, statuses, more, method = "") => {
    const { call } = await start({ dialect });
    const lines = ["GET /", "GET /v1", "GET /health", "GET /health?x=1"];
    const replies = await Promise.all(lines.map((line) => call(line)));
    expect(replies.map(({ status }) => status)).toEqual(statuses);
    const { body } = replies.find(({ body: { version } }) => version) ?? {};
    if (!body) return;
    const names = [
      "list",
      "get",
      "create",
      "terminate",
      "stop",
      "restart",
      ...(more.length > 0 ? [] : ["scale"]),
      "redeploy",
    ];
    expect(Object.keys(body.endpoints.clusters).sort()).toEqual([...names, ...more].sort());
    expect(Object.keys(body)).toEqual(["name", "version", "documentation", "endpoints"]);
    expect(body.endpoints.clusters.update).toBe(method ? `${method} /v1/clusters/:id` : undefined);
    if (method) expect((await call(`${method} /v1/clusters/x`, {})).status).toBe(405);
  },
);

test("the status word may be running before the replicas are healthy, or from the creation on", async () => {
  for (const [runningWhen, ms] of [
    ["placed", 1000],
    ["always", 0],
  ] as const) {
    const { call, clock, simulator } = await start({ dialect: { runningWhen } });
    const { id, status } = (await call("POST /v1/clusters", web)).body;
    clock.advance(ms);
    expect([status, simulator.cluster(id)?.status]).toEqual(["provisioning", "running"]);
    expect(simulator.cluster(id)?.replicaStates.at(-1)?.healthy).toBe(false);
  }
});

test.each([true, false])("a replica may say healthy only if its cluster has a health check (%p)", async (healthy) => {
  const { call, simulator } = await start({ dialect: { ...client, uncheckedHealth: "false" } });
  const { id } = simulator.addCluster({ name: "web", gpuType: "h100", extras: { healthCheckEnabled: healthy } });
  const { status, replicas } = (await call(`GET /v1/clusters/${id}`)).body.data;
  expect([status, replicas[0].status, replicas[0].healthy]).toEqual(["running", "running", healthy]);
});

test("the documented dialect has bare lists, unique names and the published GPU types", async () => {
  const { call } = await start({ dialect: "documented" });
  await call("POST /v1/clusters", web);
  expect((await call("GET /v1/clusters")).body).toMatchObject([{ name: "web", gpu_type: "h100" }]);
  expect((await call("GET /v1/gpus")).body[0]).toMatchObject({ type: "rtx-4090", price_per_hour: 0.49 });
  expect((await call("POST /v1/clusters", web)).body.error).toMatchObject({ code: "name_taken", status: 409 });
});
