import { gpuKey } from "../../../../provider/api/names";
import { identifiersOf, readGpuList, readGpus, readGpuType } from "../../../../provider/api/read/gpuRecords";

test("identifiers that differ in case and punctuation alone are one", () => {
  expect(new Set(["RTX 4090", "rtx-4090", "rtx_4090", "Rtx4090"].map(gpuKey)).size).toBe(1);
  expect(gpuKey("a100")).not.toBe(gpuKey("a10"));
  expect(gpuKey("--")).toBe("--");
});

const types = (json: unknown) => readGpus("types")(json).gpus.map(({ type }) => type);

test.each<[string, Record<string, unknown>[], string[]]>([
  ["gpu_type", [{ id: "x1", gpu_type: "h100" }], ["h100"]],
  ["gpuTypeId", [{ gpuTypeId: "NVIDIA H100", name: "H100" }], ["NVIDIA H100"]],
  ["gpuModelId before its name", [{ gpuModelName: "RTX 4090", gpuModelId: "rtx-4090" }], ["rtx-4090"]],
  ["gpu_slug", [{ gpu_slug: "gpu-mi300x1-192gb", region: "nyc2" }], ["gpu-mi300x1-192gb"]],
  ["acceleratorType", [{ acceleratorType: "NVIDIA_H100_80GB", acceleratorCount: 1 }], ["NVIDIA_H100_80GB"]],
  ["the type of a machine, not the number of its row", [{ id: 17, instance_type: "1V100.6V" }], ["1V100.6V"]],
  ["its id, not what it is made of", [{ id: "2x_a100", specs: { gpu_type: "a100" } }], ["2x_a100"]],
  ["what differs, not what all are", ["h100", "l4"].map((id) => ({ type: "accelerated", id })), ["h100", "l4"]],
  ["its name, if there is nothing else", [{ name: "h100" }], ["h100"]],
])("a GPU is identified by %s", (_what, records, expected) => {
  expect(types(records)).toEqual(expected);
});

test("every text that identifies a GPU is one of its identifiers, and no number is", () => {
  const [gpu] = readGpus("models")([
    { id: "m-1", name: "RTX 4090", gpu: { id: "90" }, instance_type: "x1", vramGb: 24 },
  ]).gpus;
  expect(gpu && identifiersOf(gpu)).toEqual(["m-1", "x1", "RTX 4090"]);
});

test("the keys of a map are the types, whatever its values are called", () => {
  expect(types({ data: { "h100-sxm": { whatever: 1 }, l4: { whatever: 2 } } })).toEqual(["h100-sxm", "l4"]);
});

test("a provider or a region that only holds records stands for these", () => {
  const computes = [{ id: "aws-l4", pricePerHour: 0.8 }];
  expect(types({ vendors: [{ name: "aws", regions: [{ name: "us", computes }] }] })).toEqual(["aws-l4"]);
});

const [idH100, idL4] = [{ id: "h100" }, { id: "l4" }];
test.each<[string, unknown, boolean]>([
  ["identifiers that differ", [idH100, idL4], true],
  ["a map", { gpus: { h100: { price: 1 }, l4: { price: 2 } } }, true],
  ["one type by region", ["us", "eu"].map((region) => ({ gpu_type: "h100", region })), true],
  ["prices beside the types", { gpus: [idH100, idL4], pricing: [{ id: "h100", price: 1 }] }, true],
  ["nothing", { gpus: [] }, false],
  ["words", ["h100", "l4"], false],
  ["names for people", [{ name: "H100" }, { name: "L4" }], false],
  ["one type twice", [idH100, { ...idH100, price: 1 }], false],
  ["a record without a type", [idH100, { price: 1 }], false],
  ["a second list of other types", { gpus: [idH100], models: [idL4] }, false],
])("a list of %s shows whether it is certain", (_what, json, certain) => {
  expect(readGpus("types")(json).certain).toBe(certain);
});

const h100At = { type: "h100", price_per_hour: 2.99 };
test.each([
  ["one bare record", h100At, ["h100"]],
  ["one bare record with a name and a flag", { name: "h100", availability: true, data: {} }, ["h100"]],
  ["a list beside a name", { name: "GPU types", gpus: [h100At, { type: "l4" }] }, ["h100", "l4"]],
  ["a list beside an id and a type", { id: "list_1", type: "list", data: [h100At, { type: "l4" }] }, ["h100", "l4"]],
  ["an empty list beside a name", { name: "GPU types", gpus: [] }, []],
])("GPU types are read from %s", (_what, json, expected) => {
  expect(types(json)).toEqual(expected);
});

const gpuL4 = { type: "l4", available: true };

test.each<[string, unknown]>([
  ["a record", { gpu_type: "l4", available: true }],
  ["a record under data", { data: { gpu_type: "l4", available: true } }],
  ["a list of one", [gpuL4]],
  ["a list of one under gpus", { gpus: [gpuL4] }],
  ["a list of several records", [gpuL4, { type: "a100" }]],
  ["a list of several records under gpus", { gpus: [gpuL4, { type: "a100" }] }],
])("%s that names another type says nothing about this one", (_what, json) => {
  expect(() => readGpuType("h100")(json)).toThrow("it is not about this GPU type");
  expect(readGpuType("L4")(json)).toMatchObject({ available: true });
});

test("a list of words that names other types says nothing about this one", () => {
  expect(() => readGpuType("h100")(["l4", "a100"])).toThrow("it is not about this GPU type");
});

test.each<[string, unknown]>([
  ["records without a type", [{ price: 1 }, { available: true }]],
  ["records that say only what they are", { gpus: [{ type: "gpu" }] }],
  ["values that are not records", [null, 7]],
])("a list of %s is no list of GPU types", (_what, json) => {
  expect(() => readGpus("types")(json)).toThrow("none of its records names a GPU type");
});

test.each<[string, (inner: unknown) => unknown]>([
  ["maps", (inner) => ({ regions: inner })],
  ["maps under each name", (inner) => ({ regions: inner, availability: inner, stock: inner, zones: inner })],
  ["lists", (inner) => ({ regions: [inner, inner] })],
])("regions that are 40 %s deep take no time", (_what, around) => {
  let deep: unknown = {};
  for (let level = 0; level < 40; level += 1) deep = around(deep);
  const start = performance.now();
  expect(readGpus("types")([{ type: "h100", regions: deep }]).gpus).toHaveLength(1);
  expect(readGpuType("h100")({ regions: deep })).toMatchObject({ type: "h100" });
  expect(performance.now() - start).toBeLessThan(200);
});

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
