import { readClusterList } from "../../../../provider/api/read/clusterList";

const full = { id: "cl_1", name: "web", status: "running", gpu_type: "h100", replicas: 3 };

const listOf = (json: unknown) => readClusterList(async () => ({ json, headers: {} }));

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
    const withOne = await listOf(wrap(name, [full]));
    const withNone = await listOf(wrap(name, []));
    expect(withOne).toMatchObject({ clusters: [{ id: "cl_1" }], complete: true });
    expect(withNone).toEqual({ clusters: [], complete: true });
  },
);

test.each(names.slice(0, 3))("a map under %s is complete without clusters too", async (name) => {
  for (const wrap of [wraps["under a name"], wraps["under a result"], wraps["under data"]]) {
    expect(await listOf(wrap?.(name, { cl_1: full }))).toMatchObject({ clusters: [{ id: "cl_1" }], complete: true });
    expect(await listOf(wrap?.(name, {}))).toEqual({ clusters: [], complete: true });
  }
});

test("of two empty lists, neither is surely the one", async () => {
  expect(await listOf({ fleet: [], others: [] })).toEqual({ clusters: [], complete: false });
});
