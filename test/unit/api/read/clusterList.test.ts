import fc from "fast-check";
import { readClusterList } from "../../../../provider/api/read/clusterList";
import { ApiError } from "../../../../provider/errors";
import { listOf, one, type Page, record, records } from "./listHarness";

const full = record("cl_1");

test.each<[string, unknown]>([
  ["bare", [full]],
  ["under clusters", { clusters: [full] }],
  ["under data", { data: [full] }],
  ["under items", { items: [full] }],
  ["under results, with marks of an end", { results: [full], next: null, has_more: false, cursor: "" }],
  ["under a name that nobody knows", { my_gpu_fleet: [full], warnings: [] }],
  ["one level deeper", { data: { clusters: [full] } }],
  ["two levels deeper, under names that nobody knows", { response: { fleet: [full] } }],
  ["as a map of ids", { cl_1: { name: "web" } }],
  ["as a map of ids under clusters", { clusters: { cl_1: { name: "web" } } }],
  ["as a map of ids under data, one level deeper", { data: { clusters: { cl_1: full } } }],
  ["as a map of ids beside a mark of the end", { cl_1: full, next_cursor: null }],
  ["with records in an object of their own", { clusters: [{ cluster: full }] }],
])("a list is read %s", async (_what, json) => {
  expect(await one(json)).toMatchObject({ ids: ["cl_1"], complete: true, problem: undefined });
});

test.each<[string, unknown]>([
  ["a record that is null", [full, null]],
  ["a record that is a text", [full, "cl_2"]],
  ["a record without an id", [full, { name: "web" }]],
  ["a record whose id could leave its place in a path", [full, { ...full, id: "cl_1/../../admin" }]],
  ["errors beside it", { errors: [{ message: "one shard did not answer" }], clusters: [full] }],
  ["a second list that holds clusters", { a: [full], b: records("cl_2") }],
])("a list with %s is not complete", async (_what, json) => {
  expect(await one(json)).toMatchObject({ ids: ["cl_1"], complete: false });
});

test.each<[string, unknown]>([
  ["an empty object", {}],
  ["an empty list under a name that nobody knows", { warnings: [] }],
])("%s may be a list of nothing, and proves nothing", async (_what, json) => {
  expect(await one(json)).toMatchObject({ ids: [], complete: false });
});

test.each([undefined, null, "x", 7, { error: "x" }, { error: { code: "c", message: "m" } }, { ok: true }])(
  "%p is no list",
  async (json) => {
    await expect(one(json)).rejects.toThrow("is not a list of records");
  },
);

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
  const info = (endCursor: string, hasNextPage: boolean) => ({ pageInfo: { endCursor, hasNextPage } });
  const whole = "https://api.example.com/v1/clusters?page=3";
  const links = [{ rel: "self", href: "?p=2" }].concat({ rel: "next", href: "?p=3" });
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
    ["by an end cursor", pagesOf(["", info("x", true)], ["after=x", info("y", true)], ["after=y", info("z", false)])],
    [
      "by links, relative and whole",
      pagesOf(
        ["", { links: { next: "/v1/clusters?page=2&x=1" } }],
        ["page=2&x=1", { links: { next: whole } }],
        ["page=3", { links: { self: "/v1/clusters?page=3" } }],
      ),
    ],
    [
      "by links that are objects, and by a list of links",
      pagesOf(
        ["", { _links: { next: { href: "?p=2" } } }],
        ["p=2", { links }],
        ["p=3", { links: [{ rel: "prev", href: "?p=2" }] }],
      ),
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
      "by page numbers from 1",
      pagesOf(
        ["", { page: 1, total_pages: 3 }],
        ["page=2", { page: 2, total_pages: 3 }],
        ["page=3", { page: 3, total_pages: 3 }],
      ),
    ],
    [
      "by page numbers from 0, in an object",
      pagesOf(
        ["", { page: { number: 0, size: 2, totalPages: 3 } }],
        ["page=1", { page: { number: 1, size: 2, totalPages: 3 } }],
        ["page=2", { page: { number: 2, size: 2, totalPages: 3 } }],
      ),
    ],
    [
      "by page numbers and a total in headers",
      pagesOf(["", ...counted("1")], ["page=2", ...counted("2")], ["page=3", ...counted("3")]),
    ],
    [
      "by a number of the next page",
      pagesOf(["", { next_page: 2 }], ["page=2", { next_page: 3 }], ["page=3", { next_page: null }]),
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
    ["so under pagination", { pagination: { hasMore: true } }],
    ["a total that is larger", { total: 3 }],
    ["a total that is larger, as text in camelCase", { meta: { totalCount: "3" } }],
    ["a link without a query", { next: "/v1/clusters/page2" }],
  ])("is not complete when it says %s", async (_what, more) => {
    const { ids, complete, asked } = await listOf({ "": json(a, more) });
    expect({ ids, complete, asked }).toEqual({ ids: ["cl_1", "cl_2"], complete: false, asked: [""] });
  });

  it.each<[string, object]>([
    ["no more", { has_more: false, next_cursor: "stale" }],
    ["as many in total", { total: 2 }],
    ["as many in total, with an empty link", { pagination: { total: 2, next: "" } }],
    ["that this is the last page", { page: 1, total_pages: 1 }],
    ["a limit that was not reached", { limit: 100, offset: 0 }],
  ])("ends when it says %s", async (_what, more) => {
    expect(await listOf({ "": json(a, more) })).toMatchObject({ complete: true, asked: [""] });
  });

  it.each<[string, Record<string, Page>]>([
    ["the same page", { "": json(a, { next: "x" }), "cursor=x": json(a, { next: "y" }) }],
    ["the same cursor", { "": json(a, { next: "x" }), "cursor=x": json(b, { next: "x" }) }],
    ["the same empty page", { "": json(a, { next: "x" }), "cursor=x": json([], { next: "x" }) }],
  ])("that repeats %s ends with a problem", async (_what, pages) => {
    const list = await listOf(pages);
    expect(list).toMatchObject({
      complete: false,
      problem: expect.stringContaining("the service returns the same page repeatedly"),
    });
    expect(list.asked).toHaveLength(2);
  });

  it.each<[string, number, number, number]>([
    ["10,000 records", 1_000, 10, 1_000],
    ["1,000 pages", 1, 1_001, 1_000],
    ["64 MiB of text", 1, 8, 8 * 1024 * 1024],
  ])("that never ends is read to %s, and is not complete", async (_what, perPage, pages, length) => {
    let asked = 0;
    const list = await readClusterList(async () => {
      asked += 1;
      const ids = Array.from({ length: perPage }, (_, index) => `cl_${asked}_${index}`);
      return { ...json(records(...ids), { next: `x${asked}` }), headers: {}, length };
    });
    expect([asked, list.clusters.length]).toEqual([pages, pages * perPage]);
    expect(list).toMatchObject({
      complete: false,
      problem: expect.stringContaining("the most that is read of a list"),
    });
  });

  it.each<[string, Record<string, Page>]>([
    ["is refused", { "": json(a, { next: "x" }) }],
    ["cannot be read", { "": json(a, { next: "x" }), "cursor=x": { json: "busy" } }],
  ])("whose next page %s ends with a problem", async (_what, pages) => {
    expect(await listOf(pages)).toMatchObject({
      ids: ["cl_1", "cl_2"],
      complete: false,
      problem: expect.stringContaining("the list has more pages, but the service does not say how to request them"),
    });
  });

  it("of as many records as a page may have is complete once a page had more", async () => {
    const memory = { longest: 0 };
    const completeOf = async (count: number) => {
      const answer = records(...Array.from({ length: count }, (_, index) => `cl_${index}`));
      return (await readClusterList(async () => ({ json: answer, headers: {} }), memory)).complete;
    };
    const seen = [];
    for (const count of [10, 10, 11, 10, 20, 10, 20, 21, 20, 9]) seen.push(await completeOf(count));
    expect(seen).toEqual([false, false, true, true, false, true, false, true, true, true]);
  });

  it("is not complete when a cluster moved while it was read, which may have hidden another one", async () => {
    const pages = {
      "": json(a, { offset: 0, total: 4 }),
      "offset=2": json(records("cl_2", "cl_3"), { offset: 2, total: 4 }),
    };
    expect(await listOf(pages)).toMatchObject({ ids: ["cl_1", "cl_2", "cl_3"], complete: false });
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

test("every paged list is read to its end, each page once, or is known not to be", async () => {
  const styles = ["cursor", "offset", "page", "link"] as const;
  const ids = fc.uniqueArray(fc.stringMatching(/^cl_[a-z0-9]{1,6}$/), { maxLength: 40 });
  const property = fc.asyncProperty(
    ids,
    fc.integer({ min: 1, max: 9 }),
    fc.constantFrom(...styles),
    async (all, size, style) => {
      const last = Math.max(0, Math.ceil(all.length / size) - 1);
      const more = (page: number): object => {
        const hasNext = page < last;
        if (style === "cursor") return { next_cursor: hasNext ? `c${page + 1}` : null };
        if (style === "offset") return { offset: page * size, total: all.length };
        if (style === "page") return { page: page + 1, total_pages: last + 1 };
        return { links: { next: hasNext ? `/v1/clusters?at=${page + 1}` : null } };
      };
      const queries = { cursor: "cursor=c", offset: "offset=", page: "page=", link: "at=" };
      const queryAt = (page: number) => {
        const value = style === "offset" ? page * size : style === "page" ? page + 1 : page;
        return page === 0 ? "" : `${queries[style]}${value}`;
      };
      const pages = Array.from({ length: last + 1 }, (_, page) => {
        const part = records(...all.slice(page * size, (page + 1) * size));
        return [queryAt(page), { json: { clusters: part, ...more(page) } }] as const;
      });
      const list = await listOf(Object.fromEntries(pages));
      expect(list.ids).toEqual(all);
      expect(list.complete).toBe(true);
      expect(list.asked).toHaveLength(last + 1);
    },
  );
  await fc.assert(property, { numRuns: 200 });
});
