import {
  getGpuAvailability,
  getGpuModels,
  getGpuPricing,
  getGpuTypes,
  getGpuTypesFor,
} from "../../../provider/functions/gpus";
import { resolveDialect } from "../../../simulator/dialects";
import { type Bench, closeAll, failureOf, openBench, requestLines } from "../cluster/harness";
import { names } from "../dialects/harness";

afterEach(closeAll);

const name = { name: "NVIDIA H100", memoryGb: 80 };
const price = { pricePerHour: 2.99, currency: "USD" };
const stock = { available: true, availableCount: 256 };

/** The four lists, each with its path and the facts of one type. */
const lists: [string, (bench: Bench) => Promise<object>, string, object][] = [
  ["gpuTypes", ({ client }) => getGpuTypes(client), "GET /v1/gpus", { type: "h100", ...name, ...price, ...stock }],
  ["models", ({ client }) => getGpuModels(client), "GET /v1/gpus/models", { type: "h100", ...name }],
  ["prices", ({ client }) => getGpuPricing(client), "GET /v1/gpus/pricing", { type: "h100", ...price }],
  ["availability", ({ client }) => getGpuAvailability(client), "GET /v1/gpus/availability", { type: "h100", ...stock }],
];

describe.each(lists)("the GPU %s", (name, ask, line, facts) => {
  const listOf = async (bench: Bench): Promise<{ type: string }[]> => Reflect.get(await bench.run(ask(bench)), name);

  it.each(["plain", "terse"])("come in the service's order after one request (%s)", async (dialect) => {
    const bench = await openBench({ dialect });
    const records = await listOf(bench);
    expect(records.map(({ type }) => type).slice(0, 3)).toEqual(["a100-40gb", "a100-80gb", "h100"]);
    expect(records.find(({ type }) => type === "h100")).toEqual({
      ...facts,
      raw: expect.objectContaining({ type: "h100" }),
    });
    expect(requestLines(bench.simulator)).toEqual([line]);
    await listOf(bench); // anew by each call
    expect(requestLines(bench.simulator)).toEqual([line, line]);
  });

  it("hold just these facts, and are plain JSON, where the service says more", async () => {
    const record = { ...{ type: "h100", name: "NVIDIA H100", memory_gb: 80, price_per_hour: 2.99 }, currency: "USD" };
    const body = JSON.stringify([{ ...record, available: true, available_count: 256 }]);
    const bench = await openBench({ faults: [{ kind: "body", body }] });
    expect(await bench.run(ask(bench))).toStrictEqual({ [name]: [{ ...facts, raw: JSON.parse(body)[0] }] });
  });

  it("leave out what the service does not say, and records without a type", async () => {
    const bench = await openBench({ faults: [{ kind: "body", body: '[{"type":"x1"},{"note":"no type"}]' }] });
    expect(await bench.run(ask(bench))).toStrictEqual({ [name]: [{ type: "x1", raw: { type: "x1" } }] });
  });

  it.each([
    ["a refused key", { kind: "status", status: 401 }, /HTTP 401/],
    ["a body that is no list", { kind: "body", body: "7", times: 100 }, /cannot read/],
  ] as const)("cannot be had with %s, and the error says so", async (_title, fault, text) => {
    const bench = await openBench({ faults: [fault] });
    expect((await bench.run(failureOf(ask(bench)))).message).toMatch(text);
  });
});

describe("the availability of one GPU type", () => {
  const ask = async (type: string, bench: Bench) => bench.run(getGpuAvailability(bench.client, { type }));

  it("is asked for by its own path, and is a list of one", async () => {
    const bench = await openBench();
    bench.simulator.setGpuType("h100", { stock: 3 });
    expect(await ask("h100", bench)).toStrictEqual({
      availability: [{ type: "h100", available: true, availableCount: 3, raw: expect.any(Object) }],
    });
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/gpus/h100/availability"]);
  });

  it("is that of clusters where the service shows it for machines too", async () => {
    const cluster = (free: number) => ({ totalGpus: 16, freeGpus: free, maxPlaceableGpus: free });
    const vm = { totalGpus: 16, freeGpus: 9, maxPlaceableGpus: 8 };
    const rows = [
      { gpuModelId: "rtx-4090", vm, cluster: cluster(4) },
      { gpuModelId: "h100", vm, cluster: cluster(0) },
    ];
    const bench = await openBench({
      faults: [
        { kind: "body", path: "/v1/gpus/availability", body: JSON.stringify(rows), times: 9 },
        { kind: "status", path: "/v1/gpus/*/availability", status: 404, times: 9 },
      ],
    });
    const [rtx, h100] = [
      { type: "rtx-4090", available: true, availableCount: 4, raw: rows[0] },
      { type: "h100", available: false, availableCount: 0, raw: rows[1] },
    ];
    expect(await bench.run(getGpuAvailability(bench.client))).toStrictEqual({ availability: [rtx, h100] });
    expect(await ask("RTX 4090", bench)).toStrictEqual({ availability: [rtx] });
  });

  it("can be that there is none", async () => {
    const { availability } = await ask("rtx4090", await openBench());
    expect(availability).toMatchObject([{ type: "rtx4090", available: false, availableCount: 0 }]);
  });

  it("is an error for a type that the service does not know, which says where the types are", async () => {
    const bench = await openBench();
    const { message } = await failureOf(ask("h/1?", bench));
    expect(message).toMatch(/There is no GPU type "h\/1\?".*HTTP 404.*getGpuTypes\(\) lists/);
    // The 404 may also mean that there is no such endpoint, so the list of all types is asked.
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/gpus/h%2F1%3F/availability", "GET /v1/gpus/availability"]);
  });
});

describe("the GPU types for a new cluster", () => {
  const gpu = (type: string, memory: number | null, price: number | null, stock?: number) => ({
    type,
    ...(memory === null ? {} : { memory_gb: memory }),
    ...(price === null ? {} : { price_per_hour: price }),
    ...(stock === undefined ? {} : { available: stock > 0, available_count: stock }),
  });
  const catalog = [
    gpu("dear", 141, 4, 2),
    gpu("small", 24, 0.5, 9),
    gpu("twin-b", 80, 2, 1),
    gpu("twin-a", 80, 2, 0),
    gpu("unpriced", 96, null),
    gpu("unknown", null, 3, 5),
  ];
  /** Only the list of types answers with these records; the lists of further facts do not exist. */
  const open = (records: object[]) =>
    openBench({
      faults: [
        { kind: "body", path: "/v1/gpus", body: JSON.stringify(records), times: 9 },
        { kind: "status", path: "/v1/gpus/*", status: 404, times: 9 },
      ],
    });

  it.each<[string, object, string[]]>([
    ["all of them", {}, ["small", "twin-a", "twin-b", "unknown", "dear", "unpriced"]],
    ["with enough memory that is known", { minMemoryGb: 80 }, ["twin-a", "twin-b", "dear", "unpriced"]],
    ["with a price that is known and low enough", { maxPricePerHour: 2 }, ["small", "twin-a", "twin-b"]],
    ["not out of stock", { available: true }, ["small", "twin-b", "unknown", "dear", "unpriced"]],
    ["in any stock", { available: false, minMemoryGb: 100 }, ["dear"]],
    ["with everything at once", { minMemoryGb: 80, maxPricePerHour: 3, available: true }, ["twin-b"]],
  ])("are %s, the cheapest first, ties by name, unknown prices last", async (_title, args, types) => {
    const bench = await open(catalog);
    expect(await bench.run(getGpuTypesFor(bench.client, args))).toEqual({ types: [...types, "*"] });
  });

  it("are at most 20, each once", async () => {
    const many = Array.from({ length: 30 }, (_, index) => gpu(`g${String(index).padStart(2, "0")}`, 80, 30 - index));
    const bench = await open([...many, ...many]);
    const { types } = await bench.run(getGpuTypesFor(bench.client));
    expect(types).toEqual([...Array.from({ length: 20 }, (_, index) => `g${29 - index}`), "*"]);
  });

  it("are an error if nothing fits, which says what was asked for", async () => {
    const bench = await open([catalog[3] ?? {}, catalog[4] ?? {}]);
    const args = { minMemoryGb: 80, maxPricePerHour: 1.5, available: true };
    expect((await bench.run(failureOf(getGpuTypesFor(bench.client, args)))).message).toBe(
      "getGpuTypesFor: the service lists no GPU type with at least 80 GB, a price of at most 1.5 per hour and stock; " +
        "getGpuTypes() shows all",
    );
    const empty = await open([]);
    expect((await empty.run(failureOf(getGpuTypesFor(empty.client)))).message).toMatch(/lists no GPU type|no GPU/);
  });

  it("are an error if the prices cannot be read: the order would be a guess", async () => {
    const types = { kind: "body", path: "/v1/gpus", body: JSON.stringify([gpu("a", 80, null)]), times: 9 } as const;
    const bench = await openBench({
      faults: [types, { kind: "status", path: "/v1/gpus/pricing", status: 403, times: 9 }],
    });
    expect((await bench.run(failureOf(getGpuTypesFor(bench.client)))).message).toMatch(/HTTP 403/);
  });

  it.each(names)("are the same in the dialect %s", async (dialect) => {
    const bench = await openBench({ dialect: { ...resolveDialect(dialect), catalog: "own" } });
    const { types } = await bench.run(getGpuTypesFor(bench.client, { minMemoryGb: 48, maxPricePerHour: 3 }));
    expect(types).toEqual(["l40s", "a100-40gb", "a100-80gb", "h100", "*"].filter((type) => type !== "a100-40gb"));
  });
});
