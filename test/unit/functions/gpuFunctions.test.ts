import { getGpuAvailability, getGpuModels, getGpuPricing, getGpuTypes } from "../../../provider/functions/gpus";
import { type Fixture, failureOf, openFixture, requestLines } from "../cluster/harness";

const name = { name: "NVIDIA H100", memoryGb: 80 };
const price = { pricePerHour: 2.99, currency: "USD" };
const stock = { available: true, availableCount: 256 };

/** The four lists, each with its path and the record of one type. */
const lists: [string, (bench: Fixture) => Promise<object>, string, object][] = [
  ["gpuTypes", ({ client }) => getGpuTypes(client), "GET /v1/gpus", { type: "h100", ...name, ...price, ...stock }],
  ["models", ({ client }) => getGpuModels(client), "GET /v1/gpus/models", { type: "h100", ...name }],
  ["prices", ({ client }) => getGpuPricing(client), "GET /v1/gpus/pricing", { type: "h100", ...price }],
  ["availability", ({ client }) => getGpuAvailability(client), "GET /v1/gpus/availability", { type: "h100", ...stock }],
];

describe.each(lists)("the function that returns %s", (name, ask, line, fields) => {
  it("keeps the service's order, and sends one request by each call", async () => {
    const bench = await openFixture();
    const answer = await bench.run(ask(bench));
    const records: { type: string }[] = Reflect.get(answer, name);
    expect(records.map(({ type }) => type).slice(0, 3)).toEqual(["a100-40gb", "a100-80gb", "h100"]);
    const h100 = { ...fields, raw: expect.objectContaining({ type: "h100" }) };
    expect(records.find(({ type }) => type === "h100")).toEqual(h100);
    await bench.run(ask(bench));
    expect(requestLines(bench.simulator)).toEqual([line, line]);
  });

  it("returns only its fields, whatever the service reports, and no record without a type", async () => {
    const record = { ...{ type: "h100", name: "NVIDIA H100", memory_gb: 80, price_per_hour: 2.99 }, currency: "USD" };
    const full = { ...record, available: true, available_count: 256 };
    const body = JSON.stringify([full, { type: "x1" }, { note: "no type" }]);
    const bench = await openFixture({ faults: [{ kind: "body", body }] });
    const rows = [
      { ...fields, raw: full },
      { type: "x1", raw: { type: "x1" } },
    ];
    expect(await bench.run(ask(bench))).toStrictEqual({ [name]: rows });
  });
});

describe("the availability of one GPU type", () => {
  const ask = async (type: string, bench: Fixture) => bench.run(getGpuAvailability(bench.client, { type }));

  it("has a path of its own, and is a list of one", async () => {
    const bench = await openFixture();
    bench.simulator.setGpuType("h100", { stock: 3 });
    expect(await ask("h100", bench)).toStrictEqual({
      availability: [{ type: "h100", available: true, availableCount: 3, raw: expect.any(Object) }],
    });
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/gpus/h100/availability"]);
  });

  it("fails for a type that the service does not know, and names the function that lists the types", async () => {
    const bench = await openFixture();
    const { message } = await failureOf(ask("h/1?", bench));
    expect(message).toMatch(/There is no GPU type "h\/1\?".*HTTP 404.*getGpuTypes\(\) lists/);
    // The 404 may also mean that there is no such endpoint, so the list of all types is asked.
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/gpus/h%2F1%3F/availability", "GET /v1/gpus/availability"]);
  });
});
