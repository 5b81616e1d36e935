import { chooseType, closeNames, unlistedText } from "../../../provider/cluster/preview/gpuType";

const catalog = ["a100-40gb", "a100-80gb", "h100", "h200", "l4", "l40s", "rtx4090"];

describe("the types that are close to", () => {
  it.each<[string, string[]]>([
    ["H100", ["h100"]],
    ["h-100", ["h100"]],
    ["h10", ["h100"]],
    ["a100", ["a100-40gb", "a100-80gb"]],
    ["nvidia-h100", ["h100"]],
    ["l40", ["l4", "l40s"]],
    ["a100-80", ["a100-80gb"]],
    ["rtx-4090", ["rtx4090"]],
    ["h300", []],
    ["b300", []],
    ["mi325x", []],
    ["x", []],
  ])("%s are %j", (type, close) => {
    expect(closeNames(type, catalog)).toEqual(close);
  });

  it("one type are at most three", () => {
    expect(closeNames("h100", ["h100a", "h100b", "h100c", "h100d"])).toHaveLength(3);
  });
});

describe("a type that is not listed", () => {
  it("is refused with the close ones, and where the list is from", () => {
    expect(unlistedText("H100", catalog, "GET /v1/gpus")).toBe(
      '"H100" is not a GPU type that the service lists (GET /v1/gpus); similar: "h100"',
    );
  });

  it("is refused with all that there are, where none is close", () => {
    expect(unlistedText("tpu", ["h100", "l4"], "GET /v1/gpus")).toBe(
      '"tpu" is not a GPU type that the service lists (GET /v1/gpus); it lists "h100" and "l4"',
    );
  });

  it("is refused with the first twelve of many", () => {
    const many = Array.from({ length: 40 }, (_, index) => `gpu-model-${index}`);
    expect(unlistedText("tpu", many, "GET /v1/gpus")).toMatch(/"gpu-model-11" and 28 more$/);
  });
});

describe("of several types", () => {
  const choose = (types: string[], replicas: number, stock: Record<string, number | undefined>) =>
    chooseType(types, replicas, async (type) => stock[type]);

  it.each<[string, string[], number, Record<string, number | undefined>, string]>([
    ["the first", ["a", "b"], 2, { a: 2, b: 9 }, "a"],
    ["the first that there are enough of", ["a", "b"], 2, { a: 1, b: 2 }, "b"],
    ["one of which there are some", ["a", "b"], 2, { a: 0, b: Number.POSITIVE_INFINITY }, "b"],
    ["one that may be there before one that is not", ["a", "b", "c"], 2, { a: 0, b: undefined, c: 0 }, "b"],
    ["one that is there before one that may be", ["a", "b"], 2, { a: undefined, b: 2 }, "b"],
    ["the first where nothing is known", ["a", "b"], 2, {}, "a"],
    ["the first where there is nothing of any", ["a", "b"], 2, { a: 0, b: 1 }, "a"],
  ])("%s is taken", async (_title, types, replicas, stock, taken) => {
    expect(await choose(types, replicas, stock)).toBe(taken);
  });

  it("those behind the one that is taken are not asked about", async () => {
    const asked: string[] = [];
    await chooseType(["a", "b", "c"], 1, async (type) => {
      asked.push(type);
      return type === "b" ? 1 : 0;
    });
    expect(asked).toEqual(["a", "b"]);
  });
});
