import { readGpuList } from "../../../../provider/api/read/gpuRecords";

const [h100, l4] = [{ type: "h100" }, { type: "l4" }];

/** A service whose list has a page for each query. */
async function typesOf(pages: Record<string, unknown>) {
  const asked: string[] = [];
  const { gpus } = await readGpuList("types", async (query = "") => {
    asked.push(query);
    return { json: pages[query], headers: {} };
  });
  return { types: gpus.map(({ type }) => type), asked };
}

test.each<[string, Record<string, unknown>]>([
  ["a cursor", { "": { gpus: [h100], next_cursor: "x" }, "cursor=x": { gpus: [l4], next_cursor: null } }],
  [
    "page numbers",
    {
      "": { data: [h100], meta: { page: 1, total_pages: 2 } },
      "page=2": { data: [l4], meta: { page: 2, total_pages: 2 } },
    },
  ],
  ["a link", { "": { gpus: { h100: { price: 1 } }, links: { next: "?p=2" } }, "p=2": { gpus: { l4: { price: 1 } } } }],
])("a list of GPUs in pages is read to its end by %s", async (_by, pages) => {
  expect(await typesOf(pages)).toEqual({ types: ["h100", "l4"], asked: Object.keys(pages) });
});

test.each<[string, unknown]>([
  ["a bare list", [h100, l4]],
  [
    "a map of types whose records speak of something next",
    { h100: { price: 1, next_page: 2 }, l4: { price: 1, next: "x" } },
  ],
  ["a list that says nothing of pages", { gpus: [h100, l4], region: "eu" }],
])("%s is one page", async (_what, json) => {
  expect(await typesOf({ "": json })).toEqual({ types: ["h100", "l4"], asked: [""] });
});

test("a page that repeats is an error", async () => {
  const page = { gpus: [h100], next_cursor: "x" };
  await expect(typesOf({ "": page, "cursor=x": page })).rejects.toThrow("the service returns the same page repeatedly");
});
