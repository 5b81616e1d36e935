import type { Dialect } from "../../../simulator";
import { type Bench, start, stopAll } from "./harness";

afterEach(stopAll);

async function five(dialect: Partial<Dialect>): Promise<Bench> {
  const bench = await start({ dialect: { paging: "cursor", ...dialect } });
  for (let index = 1; index <= 5; index += 1) bench.simulator.addCluster({ name: `c${index}`, gpuType: "h100" });
  return bench;
}

/** A page: the names of its clusters, everything beside the list, and the headers about pages. */
async function pageOf({ call }: Bench, query: string) {
  const { status, body, headers } = await call(`GET /v1/clusters${query}`);
  const names: string[] = [];
  const isRecord = (value: unknown) => typeof Object(value).name === "string" && names.push(Object(value).name) > 0;
  const besides = JSON.parse(JSON.stringify(body, (_key, value) => (isRecord(value) ? undefined : value)));
  const said = [...headers].filter(([name]) => /^(link$|x-(?!ratelimit))/.test(name));
  return [status, names.join(), besides, Object.fromEntries(said)];
}

const second = "ZnJvbToy"; // from:2
const third = "ZnJvbTo0"; // from:4
const two = [null, null];

test.each<[Partial<Dialect>, string, string, unknown, object?]>([
  [{}, "", "c1,c2", { clusters: two, next_cursor: second }],
  [{}, `?cursor=${second}`, "c3,c4", { clusters: two, next_cursor: third }],
  [{}, `?cursor=${third}`, "c5", { clusters: [null], next_cursor: null }],
  [{ listShape: "data" }, "", "c1,c2", { data: two, next_cursor: second }],
  [{ listShape: "items", paging: "next-cursor" }, "", "c1,c2", { items: two, nextCursor: second }],
  [{ listShape: "items", paging: "next-cursor" }, `?cursor=${third}`, "c5", { items: [null] }],
  [{ listShape: "bare" }, "", "c1,c2", two, { "x-next-cursor": second }],
  [{ listShape: "bare" }, `?cursor=${third}`, "c5", [null]],
  [{ paging: "none" }, "", "c1,c2,c3,c4,c5", { clusters: Array(5).fill(null) }],
  [{ paging: "none", listShape: "bare" }, "", "c1,c2,c3,c4,c5", Array(5).fill(null)],
])("in the dialect %j the page %j has %s, and %j", async (dialect, query, names, besides, headers = {}) => {
  expect(await pageOf(await five(dialect), query)).toEqual([200, names, besides, headers]);
});

test.each<[Partial<Dialect>, unknown]>([
  [{}, { clusters: [] }],
  [{ listShape: "bare" }, []],
  [{ paging: "cursor" }, { clusters: [], next_cursor: null }],
])("an empty list in the dialect %j is %j", async (dialect, expected) => {
  expect((await (await start({ dialect })).call("GET /v1/clusters")).body).toEqual(expected);
});

test.each<[Partial<Dialect>, string]>([
  [{}, "cursor=2 cursor= cursor=ZnJvbToy! offset=2 cursor=ZnJvbToy&limit=2 cursor=ZnJvbToy&cursor=ZnJvbToy"],
  [{ paging: "none" }, "cursor=ZnJvbToy limit=5"],
])("with %j these queries are refused: %s", async (dialect, queries) => {
  const { call, simulator } = await five(dialect);
  const lines = queries.split(" ").map((query) => `GET /v1/clusters?${query}`);
  for (const other of ["/v1/gpus", `/v1/clusters/${simulator.clusters()[0]?.id}`])
    lines.push(`GET ${other}?cursor=${second}`);
  for (const line of lines) expect([line, (await call(line)).body.error?.code]).toEqual([line, "invalid_request"]);
});
