import { createFunctions } from "../../../provider/functions/dataFunctions";
import { type Fixture, failureOf, openFixture } from "../cluster/harness";

const name = { name: "NVIDIA H100", memoryGb: 80 };
const price = { pricePerHour: 2.99, currency: "USD" };
const stock = { available: true, availableCount: 256 };

/** The four lists, each with its path and the record of one type. */
const lists: [string, (fixture: Fixture) => Promise<object>, string, object][] = [
  [
    "gpuTypes",
    ({ client }) => createFunctions(() => client).getGpuTypes(),
    "GET /v1/gpus",
    { type: "h100", ...name, ...price, ...stock },
  ],
  [
    "models",
    ({ client }) => createFunctions(() => client).getGpuModels(),
    "GET /v1/gpus/models",
    { type: "h100", ...name },
  ],
  [
    "prices",
    ({ client }) => createFunctions(() => client).getGpuPricing(),
    "GET /v1/gpus/pricing",
    { type: "h100", ...price },
  ],
  [
    "availability",
    ({ client }) => createFunctions(() => client).getGpuAvailability(),
    "GET /v1/gpus/availability",
    { type: "h100", ...stock },
  ],
];

test.each(lists)("%s: only documented fields, in the order of the service, by one request", async (...row) => {
  const [name, call, line, fields] = row;
  const names = { type: "h100", name: "NVIDIA H100", memory_gb: 80 };
  const full = { ...names, price_per_hour: 2.99, currency: "USD", available: true, available_count: 256 };
  const body = JSON.stringify([{ type: "x1" }, full, { note: "no type" }]);
  const fixture = await openFixture({ faults: [{ kind: "body", body }] });
  const rows = [
    { type: "x1", raw: { type: "x1" } },
    { ...fields, raw: full },
  ];
  expect(await fixture.run(call(fixture))).toStrictEqual({ [name]: rows });
  expect(fixture.requestLines()).toEqual([line]);
});

describe("the availability of one GPU type", () => {
  const call = async (type: string, fixture: Fixture) =>
    fixture.run(createFunctions(() => fixture.client).getGpuAvailability({ type }));

  it("fails for a type that the service does not know, and names the function that lists the types", async () => {
    const fixture = await openFixture();
    const { message } = await failureOf(call("h/1?", fixture));
    expect(message).toMatch(/There is no GPU type "h\/1\?".*HTTP 404.*getGpuTypes\(\) lists/);
    // The 404 may also mean that there is no such endpoint, so the list of all types is read.
    expect(fixture.requestLines()).toEqual(["GET /v1/gpus/h%2F1%3F/availability", "GET /v1/gpus/availability"]);
  });
});
