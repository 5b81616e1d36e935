import { readClusterList } from "../../../provider/api/records";

test.each<[string, Record<string, unknown>, boolean]>([
  ["hasMore", { hasMore: true }, false],
  ["nextCursor", { nextCursor: "abc" }, false],
  ["nextPageToken", { nextPageToken: "abc" }, false],
  ["hasMore that says no", { hasMore: false, nextCursor: null }, true],
  ["a next cursor under pagination", { pagination: { next_cursor: "abc" } }, false],
  ["hasMore under pagination", { pagination: { hasMore: true } }, false],
  ["a next page under meta", { meta: { next_page: 2 } }, false],
  ["a next address under links", { links: { self: "/v1/clusters", next: "/v1/clusters?page=2" } }, false],
  ["the last page under links", { links: { self: "/v1/clusters", next: null } }, true],
  ["more in total", { total: 3 }, false],
  ["more in total, in camelCase", { totalCount: 3 }, false],
  ["more in total under pagination", { pagination: { total: 3 } }, false],
  ["more in total under meta", { meta: { total_count: 3 } }, false],
  ["as many in total", { total: 2 }, true],
  ["as many in total under pagination", { pagination: { total: 2, next: "" } }, true],
])("whether a list is complete is read from %s", (_what, more, complete) => {
  const list = readClusterList({ clusters: [{ id: "cl_1" }, { id: "cl_2" }], ...more });
  expect(list).toEqual({ clusters: [{ id: "cl_1" }, { id: "cl_2" }], complete });
});
