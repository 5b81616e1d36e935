import type { Dialect } from "../../../simulator";
import { start, startWithCluster, stopAll, web } from "./harness";

afterEach(stopAll);

type Codes = Record<Dialect["errorCodes"], [number, string]>;

const refusals: [what: string, line: string, body: unknown, codes: Codes][] = [
  [
    "an invalid body",
    "POST /v1/clusters",
    {},
    {
      documented: [400, "invalid_request"],
      other: [422, "VALIDATION_ERROR"],
    },
  ],
  [
    "an unknown cluster",
    "GET /v1/clusters/cl_none",
    undefined,
    {
      documented: [404, "cluster_not_found"],
      other: [404, "NOT_FOUND"],
    },
  ],
  ["a name that is taken", "POST /v1/clusters", web, { documented: [409, "name_taken"], other: [409, "CONFLICT"] }],
  [
    "an unknown GPU type",
    "POST /v1/clusters",
    { ...web, gpu_type: "x900" },
    {
      documented: [400, "invalid_gpu_type"],
      other: [400, "invalid_gpu_type"],
    },
  ],
  [
    "too many replicas",
    "POST /v1/clusters",
    { ...web, name: "big", replicas: 999 },
    {
      documented: [409, "insufficient_capacity"],
      other: [409, "INSUFFICIENT_CAPACITY"],
    },
  ],
];

const rows = refusals.flatMap(([what, line, body, codes]) =>
  (["documented", "other"] as const).flatMap((errorCodes) =>
    (["envelope", "flat"] as const).map((errorShape) => {
      const [status, code] = codes[errorCodes];
      return { what, line, body, errorCodes, errorShape, status, code };
    }),
  ),
);

test.each(rows)(
  "$what is refused with $status $code ($errorCodes, $errorShape)",
  async ({ line, body, errorCodes, errorShape, status, code }) => {
    const dialect = { errorCodes, errorShape, uniqueNames: true };
    const { call, simulator } = await startWithCluster({ dialect });
    const reply = await call(line, body);
    const facts = { code, message: expect.any(String) };
    expect(reply.body).toEqual(errorShape === "flat" ? facts : { error: { ...facts, status } });
    expect(reply.status).toBe(status);
    expect(simulator.requests.at(-1)?.status).toBe(status);
  },
);

test.each<[Partial<Dialect>, unknown]>([
  [{}, { error: { code: "unauthorized", message: expect.any(String), status: 401 } }],
  [{ errorCodes: "other" }, { error: { code: "UNAUTHORIZED", message: expect.any(String), status: 401 } }],
  [{ errorShape: "flat" }, { code: "unauthorized", message: expect.any(String) }],
  [
    { errorShape: "flat", errorCodes: "other" },
    { code: "UNAUTHORIZED", message: expect.any(String) },
  ],
])("a request without a key is refused in the dialect %j too", async (dialect, expected) => {
  const { call } = await start({ dialect });
  const { body, headers } = await call("GET /health", undefined, { authorization: "" });
  expect(body).toEqual(expected);
  expect(headers.get("www-authenticate")).toBe("Bearer");
});

test("a fault keeps its code and status, in the dialect's shape", async () => {
  const fault = { kind: "status", status: 400, code: "invalid_request", message: "No." } as const;
  const other = await start({ dialect: { errorCodes: "other" }, faults: [fault] });
  expect((await other.call("GET /health")).body).toEqual({
    error: { code: "invalid_request", message: "No.", status: 400 },
  });
  const flat = await start({ dialect: { errorShape: "flat" }, faults: [fault] });
  expect((await flat.call("GET /health")).body).toEqual({ code: "invalid_request", message: "No." });
});

test("an error inside the simulator has the dialect's shape", async () => {
  const { call, simulator } = await start({ dialect: { priceForm: "text", errorShape: "flat" } });
  simulator.setGpuType("h100", { pricePerHour: JSON.parse('"none"') });
  const { status, body } = await call("GET /v1/gpus");
  expect([status, body.code]).toEqual([500, "internal_error"]);
});

test.each<[Dialect["rateLimitForm"], Dialect["rateLimitStatus"], string | null]>([
  ["retry-after", 429, "60"],
  ["no-retry-after", 429, null],
  ["retry-after", 503, "60"],
  ["no-retry-after", 503, null],
])("over the rate limit: %s with %d", async (rateLimitForm, rateLimitStatus, retryAfter) => {
  const { call } = await start({ rateLimit: 0, dialect: { rateLimitForm, rateLimitStatus } });
  const { status, body, headers } = await call("GET /health");
  expect(status).toBe(rateLimitStatus);
  expect(body.error).toMatchObject({ status: rateLimitStatus, code: "rate_limited" });
  expect(headers.get("retry-after")).toBe(retryAfter);
  expect(headers.get("x-ratelimit-reset")).toBe("1893456060");
});

test("the Date of an answer is the simulator's, also of a refusal", async () => {
  const { call, clock } = await start();
  expect((await call("GET /health")).headers.get("date")).toBe("Tue, 01 Jan 2030 00:00:00 GMT");
  clock.advance(90_000);
  expect((await call("GET /nowhere")).headers.get("date")).toBe("Tue, 01 Jan 2030 00:01:30 GMT");
});

test("without a clock of its own the simulator says the real time", async () => {
  const { call } = await start({ clock: Date });
  const { headers } = await call("GET /health");
  expect(Math.abs(Date.parse(headers.get("date") ?? "") - Date.now())).toBeLessThan(60_000);
});

test("a fault may say another Date", async () => {
  const date = "Tue, 01 Jan 2019 00:00:00 GMT";
  const { call } = await start({ faults: [{ kind: "status", status: 503, headers: { date } }] });
  expect((await call("GET /health")).headers.get("date")).toBe(date);
});
