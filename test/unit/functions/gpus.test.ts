import { getGpuTypes } from "../../../provider/functions/gpus";
import type { Dialect } from "../../../simulator";
import { closeAll, failureOf, openBench, requestLines } from "../cluster/harness";

afterEach(closeAll);

describe("the GPU types", () => {
  it("come with name, memory, price and stock, in the service's order, after one request", async () => {
    const bench = await openBench();
    const { gpuTypes } = await bench.run(getGpuTypes(bench.client));
    expect(gpuTypes.map(({ type }) => type).slice(0, 3)).toEqual(["a100-40gb", "a100-80gb", "h100"]);
    expect(gpuTypes.find(({ type }) => type === "h100")).toEqual({
      type: "h100",
      name: "NVIDIA H100",
      memoryGb: 80,
      pricePerHour: 2.99,
      currency: "USD",
      available: true,
      availableCount: 256,
      raw: expect.objectContaining({ type: "h100" }),
    });
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/gpus"]);
  });

  it.each<[string, Partial<Dialect>]>([
    ["a bare list", { gpuListShape: "bare" }],
    ["a list under a name", { gpuListShape: "wrapped" }],
    ["prices in texts", { priceForm: "text" }],
    ["a flag for the stock", { stockForm: "flag" }],
    ["a count for the stock", { stockForm: "count" }],
  ])("are read from %s", async (_title, dialect) => {
    const bench = await openBench({ dialect });
    const { gpuTypes } = await bench.run(getGpuTypes(bench.client));
    const affordable = gpuTypes.filter(
      ({ available, pricePerHour = Number.POSITIVE_INFINITY }) => available && pricePerHour < 0.5,
    );
    expect(affordable.map(({ type }) => type)).toEqual(["l4"]);
  });

  it("leave out what the service does not say", async () => {
    const body = JSON.stringify([{ id: "x1" }, { note: "no type" }, { type: "x2", price: "free" }]);
    const bench = await openBench({ faults: [{ kind: "body", body }] });
    expect(await bench.run(getGpuTypes(bench.client))).toEqual({
      gpuTypes: [
        { type: "x1", raw: { id: "x1" } },
        { type: "x2", raw: { type: "x2", price: "free" } },
      ],
    });
  });

  it("are asked for anew by each call", async () => {
    const bench = await openBench();
    const stockOf = async () => {
      const { gpuTypes } = await bench.run(getGpuTypes(bench.client));
      return gpuTypes.find(({ type }) => type === "h100")?.availableCount;
    };
    expect(await stockOf()).toBe(256);
    bench.simulator.setGpuType("h100", { stock: 3 });
    expect(await stockOf()).toBe(3);
  });

  it("are plain JSON", async () => {
    const bench = await openBench({ dialect: "terse" });
    const result = await bench.run(getGpuTypes(bench.client));
    expect(JSON.parse(JSON.stringify(result))).toStrictEqual(result);
  });

  it.each([
    ["a refused key", { kind: "status", status: 401 }, /HTTP 401/],
    ["a body that is no list", { kind: "body", body: '{"x":{}}', times: 100 }, /cannot read/],
  ] as const)("cannot be had with %s, and the error says so", async (_title, fault, text) => {
    const bench = await openBench({ faults: [fault] });
    expect((await bench.run(failureOf(getGpuTypes(bench.client)))).message).toMatch(text);
  });
});
