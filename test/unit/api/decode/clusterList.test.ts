import { Client } from "../../../../provider/api/client";
import type { Extent } from "../../../../provider/api/decode/records";
import type { HttpResponse, Send } from "../../../../provider/api/http/send";
import { ApiError } from "../../../../provider/base/errors";
import { VirtualClock } from "../../../support/virtualClock";
import { transportOver } from "../http/httpHarness";
import { listOf, one, type Page, readClusters, record, records } from "./listHarness";

/** neverWorst.test.ts has the laws of lists. These are examples of what surrounds a list, and of other ends. */

const full = record("cl_1");
const clusters = [full];

describe("a list of clusters", () => {
  it.each<[string, unknown]>([
    ["is read from a map by id", { clusters: { cl_1: { name: "web" } } }],
    ["is read beside an account", { clusters, account: { id: "a", name: "b", status: "active" } }],
  ])("%s", async (_name, json) => {
    expect(await one(json)).toMatchObject({ ids: ["cl_1"], extent: "unproven", problem: undefined, queries: [""] });
  });

  it("is complete if empty", async () => {
    for (const json of [[], { data: [] }, { clusters: {} }])
      expect(await one(json)).toMatchObject({ ids: [], extent: "whole", queries: [""] });
  });

  it("is unreadable under another name", async () => {
    for (const json of [{ fleet: clusters }, { fleet: [], total: 0 }])
      await expect(one(json)).rejects.toThrow("it is not a list of clusters in a form");
  });

  it.each<[string, unknown]>([
    ["is incomplete with a record without a name", [{ id: "cl_1" }]],
    ["is incomplete with an id that would change a path", [full, { ...full, id: "cl_1/../../admin" }]],
    ["is incomplete beside ids of another form", { clusters, meta: { archived: [{ ...full, id: "3f2b8c1e" }] } }],
    ["is incomplete below its count", { clusters, count: 3 }],
  ])("%s", async (_name, json) => {
    expect(await one(json)).toMatchObject({ ids: ["cl_1"], extent: "part" });
  });
});

test("no further page is requested after a page that is empty, or shorter than its size", async () => {
  for (const json of [
    { clusters: [], page: 1, total_pages: 2 },
    { clusters: records("cl_1"), page: 1, page_size: 10 },
    { clusters: records("cl_1"), offset: 0, total: 1 },
  ])
    expect((await one(json)).queries).toEqual([""]);
});

describe("a list that says nothing about pages", () => {
  const ids = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `cl_${from + index}`);
  const bare = (...list: string[]) => JSON.stringify(records(...list));
  type Second = Partial<HttpResponse>;

  /** A client whose service has these clusters, and answers so to the question for a second page. */
  function clientOf(first: string, second: Second) {
    const clock = new VirtualClock();
    const asked: string[] = [];
    const service = { first, second };
    const wire: Send = async ({ path }) => {
      asked.push(path);
      const answer = path.includes("?") ? service.second : { body: service.first };
      return { status: 200, headers: {}, body: "", ...answer };
    };
    const client = new Client({ send: transportOver(wire, { clock }) });
    const list = async () => client.proven(await client.listClusters());
    return { asked, service, list: () => clock.run(list()) };
  }

  const whole: [string, Second][] = [
    ["refuses the question", { status: 400, body: "{}" }],
    ["answers it by 404", { status: 404, body: "{}" }],
    ["ignores it", { body: bare(...ids(10)) }],
    ["ignores it, and has got another cluster meanwhile", { body: bare(...ids(11)) }],
    ["ignores it, and has lost a cluster meanwhile", { body: bare(...ids(9)) }],
  ];

  it.each(whole)("is whole, after one question in a process, if the service %s", async (_how, second) => {
    const { asked, service, list } = clientOf(bare(...ids(10)), second);
    expect(await list()).toMatchObject({ extent: "whole" });
    service.first = bare(...ids(25));
    expect(await list()).toMatchObject({ extent: "whole", clusters: { length: 25 } });
    expect(asked).toEqual(["/v1/clusters", "/v1/clusters?page=2", "/v1/clusters"]);
  });

  it("is whole after an empty second page, which proves nothing about a longer list", async () => {
    const { asked, service, list } = clientOf(bare(...ids(10)), { body: "[]" });
    expect(await list()).toMatchObject({ extent: "whole" });
    expect(await list()).toMatchObject({ extent: "whole" });
    expect(asked).toHaveLength(3);
    service.first = bare(...ids(20));
    service.second = { body: bare(...ids(5, 20)) };
    expect(await list()).toMatchObject({ extent: "unproven", clusters: { length: 20 } });
  });

  it("is incomplete if the second page has other clusters, and nothing more is asked", async () => {
    for (const count of [3, 10, 100]) {
      const { asked, list } = clientOf(bare(...ids(count)), { body: bare(...ids(count, count)) });
      expect(await list()).toMatchObject({ extent: "unproven", problem: undefined });
      expect(await list()).toMatchObject({ extent: "unproven" });
      expect(asked).toEqual(["/v1/clusters", "/v1/clusters?page=2", "/v1/clusters"]);
    }
  });

  it.each<[string, Second]>([
    ["a failure", { status: 500, body: "{}" }],
    ["a web page", { body: "<html>" }],
    ["a refusal of the key", { status: 403, body: "{}" }],
    ["a refusal of the rate", { status: 429, body: '{"error": {"code": "quota_exceeded"}}' }],
  ])("is incomplete after %s, and the next list asks again", async (_what, second) => {
    const { service, list } = clientOf(bare(...ids(10)), second);
    expect(await list()).toMatchObject({ extent: "unproven" });
    service.second = { status: 400, body: "{}" };
    expect(await list()).toMatchObject({ extent: "whole" });
  });

  it.each<[string, object]>([
    ["it is empty", { clusters: [] }],
    ["it shows its length", { clusters: records(...ids(10)), total: 10 }],
    ["it shows that nothing follows", { clusters: records(...ids(10)), next_cursor: null }],
    ["it is incomplete anyway", { clusters: [...records(...ids(10)), {}] }],
  ])("is the only one that is asked for a second page: not if %s", async (_why, json) => {
    const { asked, list } = clientOf(JSON.stringify(json), {});
    await list();
    expect(asked).toEqual(["/v1/clusters"]);
  });
});

describe("a list of several pages", () => {
  const two = records("cl_1", "cl_2");
  const page = (list: unknown, fields: object) => ({ json: { clusters: list, ...fields } });

  it("is read to its end by tokens, even after an empty page", async () => {
    const pages = {
      "": page(two, { nextPageToken: "x/1" }),
      "pageToken=x%2F1": page([], { nextPageToken: "y" }),
      "pageToken=y": page(records("cl_3"), { nextPageToken: "" }),
    };
    const list = await listOf(pages);
    expect(list).toMatchObject({ ids: ["cl_1", "cl_2", "cl_3"], extent: "whole", problem: undefined });
    expect(list.queries).toEqual(Object.keys(pages));
  });

  it.each<[string, object, Extent]>([
    ["is incomplete after a link without a query", { next: "/v1/clusters/page2" }, "part"],
    ["ends without more, even with a stale cursor", { has_more: false, next_cursor: "stale" }, "whole"],
    ["ends at a full page without a next one", { limit: 2, next_cursor: null }, "whole"],
  ])("%s", async (_name, fields, extent) => {
    expect(await listOf({ "": page(two, fields) })).toMatchObject({ ids: ["cl_1", "cl_2"], extent, queries: [""] });
  });

  it.each<[string, Record<string, Page>, string]>([
    ["ends with a problem at a repeated page", { "cursor=x": page(two, { next: "y" }) }, "the same page repeatedly"],
    ["ends with a problem at a refused page", {}, "the next page of the list could not be read: "],
  ])("%s", async (_name, others, problem) => {
    const list = await listOf({ "": page(two, { next: "x" }), ...others });
    expect(list).toMatchObject({ ids: ["cl_1", "cl_2"], extent: "part", problem: expect.stringContaining(problem) });
    expect(list.queries).toHaveLength(2);
  });

  it("is whole if its last page shows nothing about pages", async () => {
    const pages = { "": page(two, { next_cursor: "x" }), "cursor=x": page(records("cl_3"), {}) };
    expect(await listOf(pages)).toMatchObject({ ids: ["cl_1", "cl_2", "cl_3"], extent: "whole" });
  });

  it("ends with a problem after 1,000 pages", async () => {
    let count = 0;
    const list = await readClusters(async () => {
      count += 1;
      return { ...page(records(`cl_${count}`), { next: `x${count}` }), headers: {} };
    });
    expect([count, list.items.length, list.extent]).toEqual([1_001, 1_001, "part"]);
    expect(list.problem).toBe("it is longer than 10000 records or 1000 pages");
  });

  it("fails with the reason if the service fails at a page", async () => {
    const failure = { outcome: "server-error", method: "GET", path: "/", status: 500, isApiAnswer: true } as const;
    const error = new ApiError("down", failure);
    const list = readClusters(async (query) => {
      if (query) throw error;
      return { ...page(two, { next: "x" }), headers: {} };
    });
    await expect(list).rejects.toBe(error);
  });
});
