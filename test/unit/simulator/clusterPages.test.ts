import type { Dialect } from "../../../simulator";
import { type Bench, start, stopAll } from "./harness";

afterEach(stopAll);

type Body = Bench["call"] extends (line: string) => Promise<infer R> ? R : never;

async function five(dialect: Partial<Dialect>): Promise<Bench> {
  const bench = await start({ dialect });
  for (let index = 1; index <= 5; index += 1) bench.simulator.addCluster({ name: `c${index}`, gpuType: "h100" });
  return bench;
}

const listsOf: Record<Dialect["listShape"], (reply: Body) => object> = {
  wrapped: ({ body }) => body.clusters,
  bare: ({ body }) => body,
  nested: ({ body }) => body.data.items,
  data: ({ body }) => body.data,
  items: ({ body }) => body.items,
};

const shapes = Object.keys(listsOf) as Dialect["listShape"][];
const forms: readonly Dialect["listForm"][] = ["list", "by-id"];

/** The clusters of a list in any form. */
const clustersOf = (reply: Body, shape: Dialect["listShape"]): { name: string }[] =>
  Object.values(listsOf[shape](reply));

/** The fields beside a list, in either shape. */
const besides = ({ body }: Body, shape: Dialect["listShape"]) => (shape === "nested" ? body.data : body);

/** The query of the next page, as a client finds it; undefined on the last page. */
const followers: Record<string, (reply: Body, shape: Dialect["listShape"]) => string | undefined> = {
  cursor(reply, shape) {
    const cursor = shape === "bare" ? reply.headers.get("x-next-cursor") : besides(reply, shape).next_cursor;
    return cursor === null ? undefined : `?cursor=${encodeURIComponent(cursor)}`;
  },
  link(reply, shape) {
    const link = reply.headers.get("link") ?? "";
    const url = shape === "bare" ? /^<(.*)>; rel="next"$/.exec(link)?.[1] : besides(reply, shape).links.next;
    return url?.replace("/v1/clusters", "") ?? undefined;
  },
  offset(reply, shape) {
    const { headers } = reply;
    const inHeaders = { offset: headers.get("x-offset"), limit: 2, total: headers.get("x-total-count") };
    const { offset, limit, total } = shape === "bare" ? inHeaders : besides(reply, shape);
    const next = Number(offset) + limit;
    return next < Number(total) ? `?offset=${next}` : undefined;
  },
  page(reply, shape) {
    const inHeaders = { page: reply.headers.get("x-page"), total_pages: reply.headers.get("x-total-pages") };
    const { page, total_pages } = shape === "bare" ? inHeaders : besides(reply, shape);
    return Number(page) < Number(total_pages) ? `?page=${Number(page) + 1}` : undefined;
  },
};

/** The options of each paging, by its query parameter. */
const pagings = {
  cursor: { paging: "cursor" },
  link: { paging: "link" },
  offset: { paging: "numbered", pageNumbers: "offset" },
  page: { paging: "numbered", pageNumbers: "page" },
} as const satisfies Record<string, Partial<Dialect>>;

type Paging = keyof typeof pagings;

const lists = shapes.flatMap((shape) =>
  forms.flatMap((form) => (Object.keys(pagings) as Paging[]).map((paging) => [shape, form, paging] as const)),
);

test.each(lists)("a %s list in the form %s is walked page by page by %s", async (listShape, listForm, paging) => {
  const { call } = await five({ listShape, listForm, paged: true, ...pagings[paging] });
  const pages: string[][] = [];
  let query: string | undefined = "";
  while (query !== undefined && pages.length < 9) {
    const reply: Body = await call(`GET /v1/clusters${query}`);
    pages.push(clustersOf(reply, listShape).map(({ name }) => name));
    query = followers[paging]?.(reply, listShape);
  }
  expect(pages).toEqual([["c1", "c2"], ["c3", "c4"], ["c5"]]);
});

test.each(lists)(
  "a %s list in the form %s without pages is whole, and has no field about pages, whatever the paging (%s)",
  async (listShape, listForm, paging) => {
    const { call } = await five({ listShape, listForm, ...pagings[paging] });
    const reply = await call("GET /v1/clusters");
    expect(clustersOf(reply, listShape)).toHaveLength(5);
    expect(Object.keys(besides(reply, listShape))).toHaveLength(listShape === "bare" ? 5 : 1);
    const facts = ["link", "x-next-cursor", "x-offset", "x-total-count", "x-page", "x-total-pages"];
    expect(facts.filter((name) => reply.headers.has(name))).toEqual([]);
  },
);

test.each<[Dialect["listShape"], Dialect["listForm"], unknown]>([
  ["wrapped", "list", { clusters: [] }],
  ["bare", "list", []],
  ["nested", "list", { data: { items: [] } }],
  ["wrapped", "by-id", { clusters: {} }],
  ["bare", "by-id", []],
  ["nested", "by-id", { data: { items: {} } }],
])("an empty %s list in the form %s", async (listShape, listForm, expected) => {
  const { call } = await start({ dialect: { listShape, listForm } });
  expect((await call("GET /v1/clusters")).body).toEqual(expected);
});

test.each<Dialect["listShape"]>(["wrapped", "nested"])(
  "a %s list by id has the whole records under their ids",
  async (listShape) => {
    const { call, simulator } = await start({ dialect: { listShape, listForm: "by-id" } });
    const { id } = simulator.addCluster({ name: "web", gpuType: "h100" });
    expect(listsOf[listShape](await call("GET /v1/clusters"))).toEqual({
      [id]: expect.objectContaining({ id, name: "web" }),
    });
  },
);

test.each<[Paging, object]>([
  ["cursor", { next_cursor: null }],
  ["link", { links: { next: null } }],
  ["offset", { offset: 0, limit: 2, total: 0 }],
  ["page", { page: 1, total_pages: 1 }],
])("an empty list is one page by %s", async (paging, beside) => {
  const { call } = await start({ dialect: { paged: true, ...pagings[paging] } });
  expect((await call("GET /v1/clusters")).body).toEqual({ clusters: [], ...beside });
});

test("a list that fills its page has no next one", async () => {
  const { call } = await five({ paged: true, pageSize: 5 });
  expect((await call("GET /v1/clusters")).body.next_cursor).toBeNull();
});

test("a page behind the end is empty", async () => {
  const byOffset = await five({ paged: true, ...pagings.offset });
  expect((await byOffset.call("GET /v1/clusters?offset=9")).body).toMatchObject({ clusters: [], offset: 9, total: 5 });
  const byPage = await five({ paged: true, ...pagings.page });
  expect((await byPage.call("GET /v1/clusters?page=9")).body).toMatchObject({ clusters: [], page: 9, total_pages: 3 });
});

test.each<[Paging, string]>([
  ["cursor", "cursor=2"],
  ["cursor", "cursor="],
  ["cursor", "cursor=ZnJvbToy!"],
  ["cursor", "offset=2"],
  ["cursor", "cursor=ZnJvbToy&limit=2"],
  ["cursor", "cursor=ZnJvbToy&cursor=ZnJvbToy"],
  ["link", "cursor=ZnJvbToy"],
  ["link", "from=2"],
  ["offset", "offset=-1"],
  ["offset", "offset=x"],
  ["offset", "limit=2"],
  ["page", "page=0"],
  ["page", "page=1.5"],
  ["page", "per_page=2"],
])("with paging %s the query %s is refused", async (paging, query) => {
  const { call } = await five({ paged: true, ...pagings[paging] });
  const { status, body } = await call(`GET /v1/clusters?${query}`);
  expect([status, body.error.code]).toEqual([400, "invalid_request"]);
});

test("a list without pages knows no query", async () => {
  const { call } = await five({ paging: "cursor" });
  expect((await call("GET /v1/clusters?cursor=ZnJvbToy")).status).toBe(400);
});

test("no other endpoint knows the query of the list", async () => {
  const { call, simulator } = await five({ paged: true });
  for (const path of ["/v1/gpus", `/v1/clusters/${simulator.clusters()[0]?.id}`]) {
    expect((await call(`GET ${path}?cursor=ZnJvbToy`)).status).toBe(400);
  }
});

test("a repeating list names a next page for ever, each time by another cursor, and shows the first one", async () => {
  const { call } = await five({ paged: true, paging: "repeating" });
  const cursors = new Set<string>();
  let query = "";
  for (let index = 0; index < 6; index += 1) {
    const { body } = await call(`GET /v1/clusters${query}`);
    expect(body.clusters.map(({ name }: { name: string }) => name)).toEqual(["c1", "c2"]);
    cursors.add(body.next_cursor);
    query = `?cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  expect(cursors.size).toBe(6);
});
