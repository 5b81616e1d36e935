import { gpuKey } from "../../../../provider/api/names";
import { identifiersOf, readGpus } from "../../../../provider/api/read/gpuRecords";

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
  [
    "what differs, not what all of them are",
    [
      { type: "accelerated", id: "h100" },
      { type: "accelerated", id: "l4" },
    ],
    ["h100", "l4"],
  ],
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

const [h100, l4] = [{ id: "h100" }, { id: "l4" }];
test.each<[string, unknown, boolean]>([
  ["identifiers that differ", [h100, l4], true],
  ["a map", { gpus: { h100: { price: 1 }, l4: { price: 2 } } }, true],
  [
    "one type by region",
    [
      { gpu_type: "h100", region: "us" },
      { gpu_type: "h100", region: "eu" },
    ],
    true,
  ],
  ["prices beside the types", { gpus: [h100, l4], pricing: [{ id: "h100", price: 1 }] }, true],
  ["nothing", { gpus: [] }, false],
  ["words", ["h100", "l4"], false],
  ["names for people", [{ name: "H100" }, { name: "L4" }], false],
  ["one type twice", [h100, { ...h100, price: 1 }], false],
  ["a record without a type", [h100, { price: 1 }], false],
  ["a second list of other types", { gpus: [h100], models: [l4] }, false],
])("a list of %s shows whether it is certain", (_what, json, certain) => {
  expect(readGpus("types")(json).certain).toBe(certain);
});
