import { readGpus, readGpuType } from "../../../../provider/api/read/gpuRecords";

const l4 = { type: "l4", available: true };

test.each<[string, unknown]>([
  ["a record", { gpu_type: "l4", available: true }],
  ["a record under data", { data: { gpu_type: "l4", available: true } }],
  ["a list of one", [l4]],
  ["a list of one under gpus", { gpus: [l4] }],
  ["a list of several records", [l4, { type: "a100" }]],
  ["a list of several records under gpus", { gpus: [l4, { type: "a100" }] }],
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
