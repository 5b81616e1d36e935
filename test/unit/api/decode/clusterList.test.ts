import { ApiError } from "../../../../provider/base/errors";
import { listOf, one, type Page, readClusters, record, records } from "./listHarness";

/** Examples of what the laws in neverWorst.test.ts do not vary: what is beside a list, and lists that end in another way. */

const full = record("cl_1");
const two = record("cl_2");
const clusters = [full];

test.each<[string, unknown]>([
  ["in another spelling, beside facts", { Clusters: clusters, meta: { request_id: "r" }, object: "list", links: {} }],
  ["as a map of ids whose records do not repeat them", { clusters: { cl_1: { name: "web" } } }],
  ["beside an account", { clusters, account: { id: "a", name: "b", status: "active" } }],
  ["beside nothing that remains", { items: clusters, metadata: { continue: "", remainingItemCount: 0 } }],
])("a list is read %s", async (_what, json) => {
  expect(await one(json)).toMatchObject({ ids: ["cl_1"], complete: true, problem: undefined, asked: [""] });
});

test.each<[string, unknown]>([
  ["a bare list", []],
  ["an empty list in an envelope", { data: [] }],
  ["an empty map under clusters", { clusters: {} }],
])("%s has no cluster, and is complete", async (_what, json) => {
  expect(await one(json)).toMatchObject({ ids: [], complete: true, asked: [""] });
});

test("a list under another name is no list of clusters", async () => {
  for (const json of [{ fleet: clusters }, { fleet: [], total: 0 }])
    await expect(one(json)).rejects.toThrow("it is not a list of clusters in a form");
});

test.each<[string, unknown]>([
  ["a record that is null", [full, null]],
  ["a record without a name", [{ id: "cl_1" }]],
  ["a record whose id could leave its place in a path", [full, { ...full, id: "cl_1/../../admin" }]],
  ["one record twice", [full, full]],
  ["a mark of a part beside a mark of the end", { clusters, has_more: false, meta: { partial: true } }],
  ["a second list of clusters", { clusters, archived_clusters: [two] }],
  ["a second list whose ids have another form", { clusters, meta: { archived: [{ ...two, id: "3f2b8c1e" }] } }],
  ["a count that is larger than the list", { clusters, count: 3 }],
  ["a token that nobody knows", { clusters, paging: { resumeToken: "x" } }],
])("a list with %s is never complete", async (_what, json) => {
  expect(await one(json)).toMatchObject({ ids: ["cl_1"], complete: false });
});

describe("a list of several pages", () => {
  const [a, b] = [records("cl_1", "cl_2"), records("cl_3", "cl_4")];
  const json = (clusters: unknown, more: object) => ({ json: { clusters, ...more } });

  it("is read to its end by a token in camelCase, over an empty page", async () => {
    const token = (next: string) => ({ nextPageToken: next });
    const pages = {
      "": json(a, token("x/1")),
      "pageToken=x%2F1": json([], token("y")),
      "pageToken=y": json(b, token("")),
    };
    const list = await listOf(pages);
    expect(list).toMatchObject({ ids: ["cl_1", "cl_2", "cl_3", "cl_4"], complete: true, problem: undefined });
    expect(list.asked).toEqual(Object.keys(pages));
  });

  it.each<[string, object]>([
    ["a link without a query", { next: "/v1/clusters/page2" }],
    ["something next that nobody knows", { next_shard: "eu" }],
  ])("is not complete when it says %s", async (_what, more) => {
    const { ids, complete, asked } = await listOf({ "": json(a, more) });
    expect({ ids, complete, asked }).toEqual({ ids: ["cl_1", "cl_2"], complete: false, asked: [""] });
  });

  it.each<[string, object]>([
    ["no more, beside a cursor that is stale", { has_more: false, next_cursor: "stale" }],
    ["a limit that was reached, and no next page", { limit: 2, next_cursor: null }],
  ])("ends when it says %s", async (_what, more) => {
    expect(await listOf({ "": json(a, more) })).toMatchObject({ complete: true, asked: [""] });
  });

  it.each<[string, Record<string, Page>, string]>([
    ["repeats a page", { "": json(a, { next: "x" }), "cursor=x": json(a, { next: "y" }) }, "the same page repeatedly"],
    ["has a page that is refused", { "": json(a, { next: "x" }) }, "the next page of the list could not be read: "],
  ])("that %s ends with a problem", async (_what, pages, problem) => {
    const list = await listOf(pages);
    expect(list).toMatchObject({ ids: ["cl_1", "cl_2"], complete: false, problem: expect.stringContaining(problem) });
    expect(list.asked).toHaveLength(2);
  });

  it("that never ends is read to 1,000 pages, and is not complete", async () => {
    let asked = 0;
    const list = await readClusters(async () => {
      asked += 1;
      return { ...json(records(`cl_${asked}`), { next: `x${asked}` }), headers: {} };
    });
    expect([asked, list.items.length, list.complete]).toEqual([1_001, 1_001, false]);
    expect(list.problem).toBe("it is longer than 10000 records or 1000 pages");
  });

  it("is not complete with a header for the next page that cannot be followed; other headers say nothing", async () => {
    const listed = (headers: Record<string, string>) => listOf({ "": { json: a, headers } });
    expect(await listed({ link: '</v1/clusters/2>; rel="next"' })).toMatchObject({ complete: false, asked: [""] });
    const others = { "x-ratelimit-remaining": "5", "x-csrf-token": "x" };
    expect(await listed(others)).toMatchObject({ complete: true, asked: [""] });
  });

  it("fails with the reason if the service fails at a page", async () => {
    const failure = { outcome: "server-error", method: "GET", path: "/", status: 500, isApiAnswer: true } as const;
    const lost = new ApiError("down", failure);
    const list = readClusters(async (query) => {
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
