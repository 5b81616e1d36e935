import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dialectOptions, dialects, startSimulator } from "../../../simulator";
import { parseDialect, resolveDialect } from "../../../simulator/dialects";
import { start, stopAll, web } from "./harness";

afterEach(stopAll);

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
  const message = "Known: plain, terse, careful, documented, client.";
  await expect(startSimulator({ dialect: "klingon" })).rejects.toThrow(message);
});

test.each<[unknown, string]>([
  [{ updatMethod: "PUT" }, '"updatMethod" is no option. Known: listShape, paging, recordShape'],
  [{ toString: "PUT" }, '"toString" is no option'],
  [{ updateMethod: "DELETE" }, 'updateMethod must be PATCH | PUT | POST | none, got "DELETE"'],
  [{ uniqueNames: "true" }, 'uniqueNames must be false | true, got "true"'],
  [{ injectedEnv: { A: 1 } }, "another object of strings, got"],
  [["plain"], "it must be an object"],
  [null, "it must be an object"],
])("as options %j are refused", (value, reason) => {
  expect(() => parseDialect(value)).toThrow(reason);
});

test("any variables may be added to env", () => {
  const injectedEnv = { REGION: "eu" };
  expect(resolveDialect({ injectedEnv })).toMatchObject({ injectedEnv });
});

test.each(["plain", "client"])(
  "the descriptor of the dialect %s is at the root, and names what there is",
  async (dialect) => {
    const { call } = await start({ dialect });
    const lines = ["GET /", "GET /v1", "GET /health", "GET /health?x=1"];
    const [descriptor, ...others] = await Promise.all(lines.map((line) => call(line)));
    expect([descriptor?.status, ...others.map(({ status }) => status)]).toEqual([200, 404, 200, 400]);
    expect(Object.keys(descriptor?.body)).toEqual(["name", "version", "documentation", "endpoints"]);
    const actions = ["stop", "restart", "scale", "redeploy"];
    expect(Object.keys(descriptor?.body.endpoints.clusters)).toEqual([
      "list",
      "get",
      "create",
      "terminate",
      ...actions,
    ]);
  },
);

test("the documented dialect has bare lists, unique names and the published GPU types", async () => {
  const { call } = await start({ dialect: "documented" });
  await call("POST /v1/clusters", web);
  expect((await call("GET /v1/clusters")).body).toMatchObject([{ name: "web", gpu_type: "h100" }]);
  expect((await call("GET /v1/gpus")).body[0]).toMatchObject({ type: "rtx-4090", price_per_hour: 0.49 });
  expect((await call("POST /v1/clusters", web)).body.error).toMatchObject({ code: "name_taken", status: 409 });
});
