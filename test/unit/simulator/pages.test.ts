import type { Dialect } from "../../../simulator";
import { type Fixture, start } from "./harness";

async function five(dialect: Partial<Dialect>): Promise<Fixture> {
  const fixture = await start({ dialect: { paging: "cursor", ...dialect } });
  for (let index = 1; index <= 5; index += 1) fixture.simulator.addCluster({ name: `c${index}`, gpuType: "h100" });
  return fixture;
}

/** A page: the names of its clusters, everything beside the list, and the headers about pages. */
async function pageOf({ call }: Fixture, query: string) {
  const { status, body, headers } = await call(`GET /v1/clusters${query}`);
  const names: string[] = [];
  const isRecord = (value: unknown) => typeof Object(value).name === "string" && names.push(Object(value).name) > 0;
  const besides = JSON.parse(JSON.stringify(body, (_key, value) => (isRecord(value) ? undefined : value)));
  const pageHeaders = [...headers].filter(([name]) => /^(link$|x-(?!ratelimit))/.test(name));
  return [status, names.join(), besides, Object.fromEntries(pageHeaders)];
}

const second = "from-2";
const third = "from-4";
const two = [null, null];

test.each<[Partial<Dialect>, string, string, unknown, object?]>([
  [{}, "", "c1,c2", { clusters: two, next_cursor: second }],
  [{}, `?cursor=${second}`, "c3,c4", { clusters: two, next_cursor: third }],
  [{}, `?cursor=${third}`, "c5", { clusters: [null], next_cursor: null }],
  [{ listShape: "items", paging: "next-cursor" }, "", "c1,c2", { items: two, nextCursor: second }],
  [{ listShape: "items", paging: "next-cursor" }, `?cursor=${third}`, "c5", { items: [null] }],
  [{ listShape: "bare" }, "", "c1,c2", two, { "x-next-cursor": second }],
  [{ paging: "none", listShape: "data" }, "", "c1,c2,c3,c4,c5", { data: Array(5).fill(null) }],
])(
  "a page has its clusters and the cursor of the next page: %j %j: %s, %j",
  async (dialect, query, names, besides, headers = {}) => {
    expect(await pageOf(await five(dialect), query)).toEqual([200, names, besides, headers]);
  },
);

test("a cursor that the service did not return, and every other parameter, is refused", async () => {
  const { call, simulator } = await five({});
  const queries = ["cursor=2", "offset=2", `cursor=${second}&limit=2`, `cursor=${second}&cursor=${second}`];
  const lines = queries.map((query) => `/v1/clusters?${query}`);
  for (const line of [...lines, `/v1/clusters/${simulator.clusters()[0]?.id}?cursor=${second}`])
    expect([line, (await call(`GET ${line}`)).body.error?.code]).toEqual([line, "invalid_request"]);
});
