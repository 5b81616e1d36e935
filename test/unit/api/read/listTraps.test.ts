import { listOf, one, record } from "./listHarness";

const full = record("cl_1");
const two = record("cl_2");
const clusters = [full];

const none = { ids: [], complete: true, problem: undefined, asked: [""] };
test.each<[string, unknown]>([
  ["an account that has a name and a status", { fleet: clusters, account: { name: "acme", status: "active" } }],
  ["a second list that is empty", { clusters, archived_clusters: [] }],
  ["errors that are none", { clusters, errors: [], error: null, partial: false, warnings: {} }],
  ["nothing that remains", { items: clusters, metadata: { continue: "", remainingItemCount: 0 } }],
  ["a count of what is there", { clusters, count: 1 }],
])("a list beside %s is complete", async (_what, json) => {
  expect(await one(json)).toMatchObject({ ids: ["cl_1"], complete: true, asked: [""] });
});

test.each<[string, unknown]>([
  ["a record that shows nothing", { cl_1: full, other: { foo: 1 } }],
  ["an id without a record", { cl_1: full, cl_2: null }],
  ["an id with a text", { cl_1: full, cl_2: "pending" }],
  ["an id with a list", { clusters: { cl_1: full, cl_2: [] } }],
])("a map of clusters with %s is not complete", async (_what, json) => {
  expect(await one(json)).toMatchObject({ ids: ["cl_1"], complete: false });
});

test.each<[string, unknown]>([
  ["errors at the top, the list deeper", { data: { clusters }, errors: [{ message: "x" }] }],
  ["errors beside the list, deeper", { data: { clusters, errors: [{ message: "x" }] } }],
  ["errors in the middle", { response: { data: { clusters }, error: "one shard is down" } }],
  ["errors beside a map", { clusters: { cl_1: full }, errors: { eu: "down" } }],
  ["a mark of a part", { clusters, partial: true }],
  ["a mark of a part, in an object", { clusters, meta: { partial: true } }],
  ["a mark that it is not complete", { clusters, incomplete: true }],
  ["places that were not reached", { clusters, unreachable: ["eu-1"] }],
  ["a second list of clusters", { clusters, archived_clusters: [two] }],
  ["a second list of clusters before it", { archived_clusters: [two], clusters }],
  ["two lists of names that nobody knows", { fleet: clusters, old_fleet: [two] }],
  ["errors in an object beside it", { clusters, meta: { errors: ["one shard is down"] } }],
  ["places that were not reached, in an object beside it", { clusters, meta: { unreachable: ["eu-1"] } }],
  ["a mark of a part beside a total", { clusters, total: 1, meta: { partial: true } }],
  ["a mark of a part beside a mark of the end", { clusters, has_more: false, meta: { partial: true } }],
  ["a last key that is an object", { clusters, LastEvaluatedKey: { id: { S: "cl_1" } } }],
  ["a count of this page before a larger total", { clusters, count: 1, total: 5 }],
  [
    "a count of this page before a larger total, in the manner of Cloudflare",
    { result: clusters, result_info: { page: 1, per_page: 1, count: 1, total_count: 5 } },
  ],
  ["a marker beside a count of this page", { clusters, count: 1, Marker: "x" }],
  ["a second list that is a map", { clusters, archived_clusters: { cl_2: two } }],
  ["a second list that is deeper", { clusters, archived: { clusters: [two] } }],
  ["an entry of null in a map of other ids", { "a-1": record("a-1"), "b-2": null }],
  ["Marker", { Clusters: clusters, Marker: "x" }],
  ["LastEvaluatedKey", { clusters, LastEvaluatedKey: "x" }],
  ["remainingItemCount", { items: clusters, metadata: { remainingItemCount: 2 } }],
  ["a count that is larger than the list", { clusters, count: 3 }],
  ["a token that nobody knows", { clusters, paging: { resumeToken: "x" } }],
  ["a bookmark", { docs: clusters, bookmark: "x" }],
  ["a scroll id", { clusters, _scroll_id: "x" }],
])("a list with %s is never complete", async (_what, json) => {
  const { ids, complete } = await one(json);
  expect({ has: ids.some((id) => /1$/.test(id)), complete }).toEqual({ has: true, complete: false });
});

const pageOfCloudflare = (page: number, result: unknown) => ({
  success: true,
  result,
  result_info: { page, per_page: 1, total_pages: 2, count: 1, total_count: 2 },
});
test.each<[string, string, unknown, unknown]>([
  [
    "next_token under data",
    "next_token=x",
    { data: { clusters, next_token: "x" } },
    { data: { clusters: [two], next_token: null } },
  ],
  ["a page in the manner of Cloudflare", "page=2", pageOfCloudflare(1, clusters), pageOfCloudflare(2, [two])],
  [
    "continue in the manner of Kubernetes",
    "continue=x",
    { metadata: { continue: "x", remainingItemCount: 1 }, items: clusters },
    { metadata: { continue: "" }, items: [two] },
  ],
  [
    "a cursor in the manner of Slack",
    "cursor=x%3D",
    { ok: true, clusters, response_metadata: { next_cursor: "x=" } },
    { ok: true, clusters: [two], response_metadata: { next_cursor: "" } },
  ],
  [
    "a link in the manner of OData",
    "$skiptoken=x",
    { value: clusters, "@odata.nextLink": "https://api.example.com/v1/clusters?$skiptoken=x" },
    { value: [two] },
  ],
  [
    "a cursor in the manner of GraphQL",
    "after=x",
    { clusters: { nodes: clusters, pageInfo: { hasNextPage: true, endCursor: "x" } } },
    { clusters: { nodes: [two], pageInfo: { hasNextPage: false, endCursor: "y" } } },
  ],
])("%s is followed, and without an answer the list is not complete", async (_what, query, first, second) => {
  const whole = { ids: ["cl_1", "cl_2"], complete: true, asked: ["", query] };
  expect(await listOf({ "": { json: first }, [query]: { json: second } })).toMatchObject(whole);
  expect(await listOf({ "": { json: first } })).toMatchObject({ ids: ["cl_1"], complete: false, asked: ["", query] });
});

test.each<[string, unknown, boolean]>([
  ["null beside a total of none", { clusters: null, total: 0 }, true],
  ["null", { clusters: null }, false],
  ["null beside a total of some", { clusters: null, total: 2 }, false],
  ["an empty list of a name that nobody knows, beside a total of none", { fleet: [], total: 0 }, true],
])("a list that is %s is empty, and shows whether it is complete", async (_what, json, complete) => {
  expect(await one(json)).toEqual({ ...none, complete });
});

const names = ["clusters", "data", "items", "results", "deployments", "my_fleet"];
const wraps: Readonly<Record<string, (name: string, list: unknown) => unknown>> = {
  bare: (_name, list) => list,
  "under a name": (name, list) => ({ [name]: list }),
  "beside facts": (name, list) => ({ [name]: list, meta: { request_id: "r" }, object: "list", links: {} }),
  "beside an end": (name, list) => ({ [name]: list, nextCursor: "", has_more: false }),
  "in an answer of success": (name, list) => ({ success: true, errors: [], messages: [], [name]: list }),
  "under a result": (name, list) => ({ result: { [name]: list }, meta: { request_id: "r" } }),
  "under data": (name, list) => ({ data: { [name]: list } }),
  "two deep": (name, list) => ({ response: { data: { [name]: list } } }),
  "under data, beside its facts": (name, list) => ({ data: { [name]: list, region: "eu" }, warnings: [] }),
};
const forms = Object.entries(wraps).flatMap(([what, wrap]) => names.map((name) => [what, name, wrap] as const));

test.each(forms)(
  "a list %s (%s) is as readable and as complete without clusters as with one",
  async (_what, name, wrap) => {
    const withOne = await one(wrap(name, [full]));
    const withNone = await one(wrap(name, []));
    expect(withOne).toMatchObject({ ids: ["cl_1"], complete: true });
    expect(withNone).toEqual(none);
  },
);

test.each(names.slice(0, 3))("a map under %s is complete without clusters too", async (name) => {
  for (const wrap of [wraps["under a name"], wraps["under a result"], wraps["under data"]]) {
    expect(await one(wrap?.(name, { cl_1: full }))).toMatchObject({ ids: ["cl_1"], complete: true });
    expect(await one(wrap?.(name, {}))).toEqual(none);
  }
});

test("of two empty lists, neither is surely the one", async () => {
  expect(await one({ fleet: [], others: [] })).toEqual({ ...none, complete: false });
});
