import type { Dialect } from "../../../simulator";
import { type Bench, start, stopAll } from "./harness";

afterEach(stopAll);

async function five(dialect: Partial<Dialect>): Promise<Bench> {
  const bench = await start({ dialect: { paged: true, ...dialect } });
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
const numbered = { paging: "numbered" } as const;
const pages = { ...numbered, pageNumbers: "page" } as const;
const two = [null, null];

test.each<[Partial<Dialect>, string, string, unknown, object?]>([
  [{}, "", "c1,c2", { clusters: two, next_cursor: second }],
  [{}, `?cursor=${second}`, "c3,c4", { clusters: two, next_cursor: third }],
  [{}, `?cursor=${third}`, "c5", { clusters: [null], next_cursor: null }],
  [{ pageSize: 5 }, "", "c1,c2,c3,c4,c5", { clusters: Array(5).fill(null), next_cursor: null }],
  [{ listForm: "by-id" }, "", "c1,c2", { clusters: {}, next_cursor: second }],
  [{ listShape: "nested", listForm: "by-id" }, "", "c1,c2", { data: { items: {}, next_cursor: second } }],
  [{ listShape: "data" }, "", "c1,c2", { data: two, next_cursor: second }],
  [{ listShape: "items", paging: "next-cursor" }, "", "c1,c2", { items: two, nextCursor: second }],
  [{ listShape: "items", paging: "next-cursor" }, `?cursor=${third}`, "c5", { items: [null] }],
  [{ listShape: "bare" }, "", "c1,c2", two, { "x-next-cursor": second }],
  [{ listShape: "bare" }, `?cursor=${third}`, "c5", [null]],
  [{ paging: "link" }, "", "c1,c2", { clusters: two, links: { next: `/v1/clusters?from=${second}` } }],
  [{ paging: "link" }, `?from=${third}`, "c5", { clusters: [null], links: { next: null } }],
  [{ paging: "link", listShape: "bare" }, "", "c1,c2", two, { link: `</v1/clusters?from=${second}>; rel="next"` }],
  [{ paging: "link", listShape: "bare" }, `?from=${third}`, "c5", [null]],
  [numbered, "?offset=2", "c3,c4", { clusters: two, offset: 2, limit: 2, total: 5 }],
  [numbered, "?offset=9", "", { clusters: [], offset: 9, limit: 2, total: 5 }],
  [{ ...numbered, listShape: "bare" }, "", "c1,c2", two, { "x-offset": "0", "x-total-count": "5" }],
  [pages, "?page=3", "c5", { clusters: [null], page: 3, total_pages: 3 }],
  [{ ...pages, listShape: "bare" }, "", "c1,c2", two, { "x-page": "1", "x-total-pages": "3" }],
  [{ paged: false, ...pages }, "", "c1,c2,c3,c4,c5", { clusters: Array(5).fill(null) }],
  [{ paged: false, listShape: "bare" }, "", "c1,c2,c3,c4,c5", Array(5).fill(null)],
])("in the dialect %j the page %j has %s, and %j", async (dialect, query, names, besides, headers = {}) => {
  expect(await pageOf(await five(dialect), query)).toEqual([200, names, besides, headers]);
});

test.each<[Partial<Dialect>, unknown]>([
  [{}, { clusters: [] }],
  [{ listShape: "bare", listForm: "by-id" }, []],
  [{ listForm: "by-id" }, { clusters: {} }],
  [{ paged: true }, { clusters: [], next_cursor: null }],
  [
    { paged: true, ...pages },
    { clusters: [], page: 1, total_pages: 1 },
  ],
])("an empty list in the dialect %j is %j", async (dialect, expected) => {
  expect((await (await start({ dialect })).call("GET /v1/clusters")).body).toEqual(expected);
});

test.each<[Partial<Dialect>, string]>([
  [{}, "cursor=2 cursor= cursor=ZnJvbToy! offset=2 cursor=ZnJvbToy&limit=2 cursor=ZnJvbToy&cursor=ZnJvbToy"],
  [{ paging: "link" }, "cursor=ZnJvbToy from=2"],
  [numbered, "offset=-1 offset=x limit=2"],
  [pages, "page=0 page=1.5 per_page=2"],
  [{ paged: false }, "cursor=ZnJvbToy limit=5"],
])("with %j these queries are refused: %s", async (dialect, queries) => {
  const { call, simulator } = await five(dialect);
  const lines = queries.split(" ").map((query) => `GET /v1/clusters?${query}`);
  for (const other of ["/v1/gpus", `/v1/clusters/${simulator.clusters()[0]?.id}`])
    lines.push(`GET ${other}?cursor=${second}`);
  for (const line of lines) expect([line, (await call(line)).body.error?.code]).toEqual([line, "invalid_request"]);
});

test("a repeating list names a next page for ever, each time by another cursor, and shows the first one", async () => {
  const bench = await five({ paging: "repeating" });
  const cursors = new Set<string>();
  for (let index = 0; index < 6; index += 1) {
    const query = index === 0 ? "" : `?cursor=${encodeURIComponent([...cursors].at(-1) ?? "")}`;
    const [, names, besides] = await pageOf(bench, query);
    expect(names).toBe("c1,c2");
    cursors.add(besides.next_cursor);
  }
  expect(cursors.size).toBe(6);
});
