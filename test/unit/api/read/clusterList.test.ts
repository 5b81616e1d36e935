import { readClusterList } from "../../../../provider/api/read/clusterRecord";
import { ApiError } from "../../../../provider/base/errors";
import { listOf, one, type Page, record, records } from "./listHarness";

const full = record("cl_1");
const two = record("cl_2");
const clusters = [full];

test.each<[string, unknown]>([
  ["under clusters", { clusters }],
  ["under data", { data: clusters }],
  ["one level deeper", { data: { clusters } }],
  ["in another spelling, beside facts", { Clusters: clusters, meta: { request_id: "r" }, object: "list", links: {} }],
  ["in an answer of success", { success: true, errors: [], messages: [], result: clusters }],
  ["as a map of ids under clusters", { clusters: { cl_1: { name: "web" } } }],
  ["as a map of ids under data, one level deeper", { data: { clusters: { cl_1: full } } }],
  [
    "beside an account with an id, a name and a status",
    { clusters, account: { id: "a", name: "b", status: "active" } },
  ],
  ["beside errors that are none", { clusters, errors: [], error: null, partial: false, warnings: {} }],
  ["beside nothing that remains", { items: clusters, metadata: { continue: "", remainingItemCount: 0 } }],
  ["beside a count of what is there", { clusters, count: 1 }],
])("a list is read %s", async (_what, json) => {
  expect(await one(json)).toMatchObject({ ids: ["cl_1"], complete: true, problem: undefined, asked: [""] });
});

test.each<[string, unknown]>([
  ["a bare list", []],
  ["an empty list under clusters", { clusters: [] }],
  ["an empty map under clusters", { clusters: {} }],
  ["an empty list under another name, beside a total of 0", { fleet: [], total: 0 }],
])("%s has no cluster, and is complete", async (_what, json) => {
  expect(await one(json)).toMatchObject({ ids: [], complete: true, asked: [""] });
});

test.each<[string, unknown]>([
  ["an empty object under data, which may be a record", { data: {} }],
  ["an empty list beside another one with clusters", { clusters: [], archived: [two] }],
  ["an empty list beside another known name", { data: [], items: [two] }],
])("%s proves nothing", async (_what, json) => {
  expect(await one(json)).toMatchObject({ ids: [], complete: false });
});

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["an error", { error: { code: "c", message: "m" } }],
  ["a list under another name", { fleet: clusters }],
  ["an empty list under another name, inside data", { data: { errors: [] } }],
  ["a map that also has a text", { clusters: { cl_1: full, cl_2: "pending" } }],
  ["a map of other things", { data: { user: { id: "u-1", name: "acme" } } }],
  ["a list of lists", [[full]]],
])("%s is no list of clusters", async (_what, json) => {
  await expect(one(json)).rejects.toThrow("it is not a list of clusters in a form that this version knows");
});

test.each<[string, unknown]>([
  ["a record that is null", [full, null]],
  ["a record without an id", [full, { name: "web" }]],
  ["a record without a name", [{ id: "cl_1" }]],
  ["a record whose id could leave its place in a path", [full, { ...full, id: "cl_1/../../admin" }]],
  ["a record of a map that shows nothing", { clusters: { cl_1: full, other: { foo: 1 } } }],
  ["one record twice", [full, full]],
  ["errors beside a map", { clusters: { cl_1: full }, errors: { eu: "down" } }],
  ["a mark of a part beside a mark of the end", { clusters, has_more: false, meta: { partial: true } }],
  ["places that were not reached", { clusters, meta: { unreachable: ["eu-1"] } }],
  ["a second list of clusters", { clusters, archived_clusters: [two] }],
  ["a count of this page before a larger total", { clusters, count: 1, total: 5 }],
  ["a count that is larger than the list", { clusters, count: 3 }],
  ["a token that nobody knows", { clusters, paging: { resumeToken: "x" } }],
])("a list with %s is never complete", async (_what, json) => {
  expect(await one(json)).toMatchObject({ ids: ["cl_1"], complete: false });
});

describe("a list of several pages", () => {
  const [a, b, c] = [records("cl_1", "cl_2"), records("cl_3", "cl_4"), records("cl_5")];
  const json = (clusters: unknown, more: object) => ({ json: { clusters, ...more } });
  /** Three pages: how each is asked for, and what it says of the next one. */
  const pagesOf = (...pages: [query: string, more: object, headers?: Record<string, string>][]) =>
    Object.fromEntries(
      pages.map(([query, more, headers = {}], at) => [query, { ...json([a, b, c][at], more), headers }]),
    );
  const link = (text: string) => [{}, { link: text }] as const;
  const counted = (page: string) => [{}, { "x-page": page, "x-total-count": "5" }] as const;
  it.each<[string, Record<string, Page>]>([
    [
      "by a cursor",
      pagesOf(
        ["", { next_cursor: "x/1" }],
        ["cursor=x%2F1", { next_cursor: "y" }],
        ["cursor=y", { next_cursor: null }],
      ),
    ],
    [
      "by a token in camelCase",
      pagesOf(["", { nextPageToken: "x" }], ["pageToken=x", { nextPageToken: "y" }], ["pageToken=y", {}]),
    ],
    [
      "by the Link header",
      pagesOf(
        ["", ...link('</v1/clusters?page=2>; rel="next", </v1/clusters?page=9>; rel="last"')],
        ["page=2", ...link('</v1/clusters>; rel="first", </v1/clusters?page=3>; rel=next')],
        ["page=3", ...link('</v1/clusters>; rel="first"')],
      ),
    ],
    ...[{ limit: 2, total: 5 }, { limit: 2 }].map((more): [string, Record<string, Page>] => [
      `by an offset and ${Object.keys(more)}`,
      pagesOf(["", { offset: 0, ...more }], ["offset=2", { offset: 2, ...more }], ["offset=4", { offset: 4, ...more }]),
    ]),
    [
      "by page numbers and a total in headers",
      pagesOf(["", ...counted("1")], ["page=2", ...counted("2")], ["page=3", ...counted("3")]),
    ],
    [
      "by a cursor that stays over an empty page",
      { "": json(a, { next: "x" }), "cursor=x": json([], { next: "y" }), "cursor=y": json([...b, ...c], { next: "" }) },
    ],
  ])("is read to its end %s", async (_what, pages) => {
    const list = await listOf(pages);
    expect(list).toMatchObject({ ids: ["cl_1", "cl_2", "cl_3", "cl_4", "cl_5"], complete: true, problem: undefined });
    expect(list.asked).toEqual(Object.keys(pages));
  });

  it.each<[string, object]>([
    ["that there is more, and not how to get it", { has_more: true }],
    ["a total that is larger", { total: 3 }],
    ["a link without a query", { next: "/v1/clusters/page2" }],
    ["that there is more, with a cursor in an unknown field", { pageInfo: { hasNextPage: true, endCursor: "x" } }],
    ["something next that nobody knows", { next_shard: "eu" }],
  ])("is not complete when it says %s", async (_what, more) => {
    const { ids, complete, asked } = await listOf({ "": json(a, more) });
    expect({ ids, complete, asked }).toEqual({ ids: ["cl_1", "cl_2"], complete: false, asked: [""] });
  });

  it.each<[string, object]>([
    ["no more", { has_more: false, next_cursor: "stale" }],
    ["as many in total", { total: 2 }],
    ["that this is the last page", { page: 1, total_pages: 1 }],
    ["a limit that was not reached", { limit: 100, offset: 0 }],
    ["a limit that was reached, and no next page", { limit: 2, next_cursor: null }],
  ])("ends when it says %s", async (_what, more) => {
    expect(await listOf({ "": json(a, more) })).toMatchObject({ complete: true, asked: [""] });
  });

  it.each<[string, Record<string, Page>]>([
    ["the same page", { "": json(a, { next: "x" }), "cursor=x": json(a, { next: "y" }) }],
    ["the same empty page", { "": json(a, { next: "x" }), "cursor=x": json([], { next: "x" }) }],
  ])("that repeats %s ends with a problem", async (_what, pages) => {
    const list = await listOf(pages);
    expect(list).toMatchObject({
      complete: false,
      problem: expect.stringContaining("the service returns the same page repeatedly"),
    });
    expect(list.asked).toHaveLength(2);
  });

  it.each<[string, number, number]>([
    ["10,000 records", 1_000, 10],
    ["1,000 pages", 1, 1_001],
  ])("that never ends is read to %s, and is not complete", async (_what, perPage, pages) => {
    let asked = 0;
    const list = await readClusterList(async () => {
      asked += 1;
      const ids = Array.from({ length: perPage }, (_, index) => `cl_${asked}_${index}`);
      return { ...json(records(...ids), { next: `x${asked}` }), headers: {} };
    });
    expect([asked, list.clusters.length]).toEqual([pages, pages * perPage]);
    expect(list).toMatchObject({
      complete: false,
      problem: "it is longer than 10000 records or 1000 pages",
    });
  });

  it.each<[string, Record<string, Page>]>([
    ["is refused", { "": json(a, { next: "x" }) }],
    ["cannot be read", { "": json(a, { next: "x" }), "cursor=x": { json: "busy" } }],
  ])("whose next page %s ends with a problem", async (_what, pages) => {
    expect(await listOf(pages)).toMatchObject({
      ids: ["cl_1", "cl_2"],
      complete: false,
      problem: expect.stringContaining("the next page of the list could not be read: "),
    });
  });

  it("is not complete with a header for the next page that cannot be followed; other headers say nothing", async () => {
    const listed = (headers: Record<string, string>) => listOf({ "": { json: a, headers } });
    expect(await listed({ link: '</v1/clusters/2>; rel="next"' })).toMatchObject({ complete: false, asked: [""] });
    const others = {
      "x-ratelimit-remaining": "5",
      "x-rate-limit-remaining": "5",
      "x-csrf-token": "x",
      "x-request-id": "r",
    };
    expect(await listed(others)).toMatchObject({ complete: true, asked: [""] });
  });

  it("fails with the reason if a page cannot be read", async () => {
    const failure = { outcome: "server-error", method: "GET", path: "/", status: 500, isApiAnswer: true } as const;
    const lost = new ApiError("down", failure);
    const list = readClusterList(async (query) => {
      if (query) throw lost;
      return { json: { clusters: a, next: "x" }, headers: {} };
    });
    await expect(list).rejects.toBe(lost);
  });

  it("is not complete if it has as many records as a typical page, and shows nothing about its length", async () => {
    const hundred = records(...Array.from({ length: 100 }, (_, index) => `cl_${index}`));
    expect(await one(hundred)).toMatchObject({ complete: false });
    expect(await one(hundred.slice(1))).toMatchObject({ complete: true });
    expect(await one({ clusters: hundred, total: 100 })).toMatchObject({ complete: true });
  });
});
