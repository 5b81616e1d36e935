import { dialectOptions, dialects } from "../../../simulator";
import { usage } from "../../../simulator/cliOptions";
import { dialectSummaries, parseDialect, resolveDialect } from "../../../simulator/dialects";
import { read } from "../../support/repository";
import { start, web } from "./harness";

test("the guide and --help name each service, and --help fits into 80 columns", () => {
  for (const [name, summary] of Object.entries(dialectSummaries)) {
    const [start = ""] = summary.split(" (");
    expect(read("docs/guides/testing.md")).toMatch(new RegExp(`^\\| \`${name}\`.* \\| ${start}.* \\|$`, "m"));
    expect(usage.replace(/\s+/g, " ")).toContain(` ${name} ${start}`);
  }
  expect(usage.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test("the page for contributors has one line for each option, with all its values", () => {
  const page = read("CONTRIBUTING.md");
  for (const [option, values] of Object.entries<readonly unknown[]>(dialectOptions)) {
    const [, line = ""] = new RegExp(`^\\| \`${option}\` \\| (.*)$`, "m").exec(page) ?? [];
    const missing = values.filter((value) => typeof value !== "object" && !line.includes(`\`${value}\``));
    expect({ option, line: line !== "", missing }).toEqual({ option, line: true, missing: [] });
  }
});

test("options change plain, which has the first value of each", () => {
  const options = Object.entries<readonly unknown[]>(dialectOptions);
  expect(dialects.plain).toEqual(Object.fromEntries(options.map(([option, [first]]) => [option, first])));
  const injectedEnv = { REGION: "eu" };
  expect(resolveDialect({ updateMethod: "PUT", listShape: undefined, injectedEnv })).toEqual({
    ...dialects.plain,
    updateMethod: "PUT",
    injectedEnv,
  });
});

test.each<[unknown, string]>([
  [{ updatMethod: "PUT" }, '"updatMethod" is not an option. Known: listShape, paging, recordShape'],
  [{ uniqueNames: "true" }, 'uniqueNames must be false | true, got "true"'],
  [{ injectedEnv: { A: 1 } }, "another object of strings, got"],
  [null, "it must be an object"],
])("invalid options of a dialect are refused: %j", (value, reason) => {
  expect(() => parseDialect(value)).toThrow(reason);
});

test("the descriptor is at the root, and names existing endpoints", async () => {
  const { call } = await start();
  const { body } = await call("GET /");
  expect(Object.keys(body)).toEqual(["name", "version", "documentation", "endpoints"]);
  for (const endpoint of Object.values<string>(body.endpoints.clusters)) {
    expect((await call(endpoint.replace(":id", "x"))).body.error?.code ?? "").not.toMatch(/^(not_found|method)/);
  }
});

test("the documented dialect has bare lists, unique names and the published GPU types", async () => {
  const { call } = await start({ dialect: "documented" });
  await call("POST /v1/clusters", web);
  expect((await call("GET /v1/clusters")).body).toMatchObject([{ name: "web", gpu_type: "h100" }]);
  expect((await call("GET /v1/gpus")).body[0]).toMatchObject({ type: "rtx-4090", price_per_hour: 0.49 });
  expect((await call("POST /v1/clusters", web)).body.error).toMatchObject({ code: "name_taken", status: 409 });
});
