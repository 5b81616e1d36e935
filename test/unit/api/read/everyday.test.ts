import { readErrorBody } from "../../../../provider/api/http/statusErrors";
import { readCreated, readDetail } from "../../../../provider/api/read/clusterRecord";
import { readGpuType } from "../../../../provider/api/read/gpuRecords";
import { gpusOf, listOf, one } from "./listHarness";

/** The facts of one GPU type with these fields. */
async function factsOf(fields: object) {
  const [{ type: _type, raw: _raw, ...facts } = { type: "", raw: {} }] = (await gpusOf([{ id: "h100", ...fields }]))
    .gpus;
  return facts;
}

const inStock = { available: true };
const soldOut = { available: false };
const five = { available: true, availableCount: 5 };
const hourly = { pricePerHour: 2.5 };

test.each<[string, unknown, object]>([
  ["available", true, inStock],
  ["is_available", false, soldOut],
  ["inStock", "true", inStock],
  ["availability", "AVAILABLE", inStock],
  ["availability", "In Stock", inStock],
  ["availability", "limited", inStock],
  ["stockStatus", "Low", inStock],
  ["stock_level", "high", inStock],
  ["stock", "medium", inStock],
  ["capacity", "scarce", inStock],
  ["available", "yes", inStock],
  ["availability", "unavailable", soldOut],
  ["availability", "Sold out", soldOut],
  ["status", "OUT_OF_STOCK", soldOut],
  ["stock", "none", soldOut],
  ["stock-status", "exhausted", soldOut],
  ["capacity", "no_capacity", soldOut],
  ["capacity", "InsufficientCapacity", soldOut],
  ["availability", "at capacity", soldOut],
  ["status", "waitlisted", soldOut],
  ["sold_out", true, soldOut],
  ["outOfStock", false, inStock],
  ["available_count", 5, five],
  ["freeGpus", 5, five],
  ["available-gpus", "5", five],
  ["qty", 5, five],
  ["quantity", 5, five],
  ["remaining", 5, five],
  ["stock", 0, { available: false, availableCount: 0 }],
  ["regions", { eu: "available", us: "sold_out" }, inStock],
  [
    "zones",
    [
      { zone: "a", free: 2 },
      { zone: "b", free: 3 },
    ],
    five,
  ],
  ["capacity", 12, {}],
  ["available", -5, {}],
  ["availability", "perhaps", {}],
  ["price_per_hour", 2.5, hourly],
  ["hourly_rate", 2.5, hourly],
  ["hourlyPrice", "2.50", hourly],
  ["rate", "$2.50", { ...hourly, currency: "USD" }],
  ["cost_per_hr", 2.5, hourly],
  ["price-per-gpu-hour", 2.5, hourly],
  ["usd_per_hour", 2.5, { ...hourly, currency: "USD" }],
  ["dollarsPerHour", 2.5, hourly],
  ["on_demand_price", 2.5, hourly],
  ["hourly_cents", 250, hourly],
  ["pricePerHourCents", 250, hourly],
  ["pricing", { hourly: 2.5, currency: "usd" }, { ...hourly, currency: "USD" }],
  ["price", { amount: 2.5, currency: "EUR", per: "hour" }, { ...hourly, currency: "EUR" }],
  ["rate", { value: 2.5, unit: "USD/GPU-hr" }, hourly],
  ["spot_price", 0.9, {}],
  ["price_per_month", 1800, {}],
])("a GPU type with %s: %j is read as a person reads it", async (name, value, expected) => {
  expect(await factsOf({ [name]: value })).toEqual(expected);
});

const web = { id: "cl_1", name: "web", status: "Running", gpuType: "h100", replicas: 2 };
const isWeb = { id: "cl_1", name: "web", status: "Running", gpuType: "h100", replicas: 2 };

test("clusters in pages, with a link to the next one", async () => {
  const [first, second] = ["web", "api"].map((name, at) => ({
    cluster_id: `cl_${at}`,
    name,
    state: "up",
    desired_replicas: 1,
  }));
  const list = await listOf({
    "": { json: { clusters: [first], links: { next: { href: "/v1/clusters?page=2" } }, total_pages: 2 } },
    "page=2": { json: { clusters: [second], links: { next: null }, total_pages: 2 } },
  });
  expect(list).toMatchObject({ ids: ["cl_0", "cl_1"], complete: true, asked: ["", "page=2"] });
});

test("clusters in pages, by a token whose parameter is in camelCase", async () => {
  const list = await listOf({
    "": { json: { items: [web], nextPageToken: "/b+c=" } },
    "pageToken=%2Fb%2Bc%3D": { json: { items: [{ ...web, id: "cl_2" }], nextPageToken: "" } },
  });
  expect(list).toMatchObject({ ids: ["cl_1", "cl_2"], complete: true });
});

test("clusters with the page and the number of pages in headers", async () => {
  const headers = (page: number) => ({ "x-page": String(page), "x-total-pages": "2", "x-csrf-token": "abc" });
  const list = await listOf({
    "": { json: [web], headers: headers(1) },
    "page=2": { json: [{ ...web, id: "cl_2" }], headers: headers(2) },
  });
  expect(list).toMatchObject({ ids: ["cl_1", "cl_2"], complete: true });
});

test("clusters in a map by id, in an answer that says that all is well", async () => {
  const { id, ...fields } = web;
  const list = await one({ success: true, error: null, data: { clusters: { [id]: fields }, total_count: 1 } });
  expect(list).toMatchObject({ clusters: [isWeb], complete: true });
});

test("a cluster whose configuration stands in groups", () => {
  const answer = {
    data: {
      id: "cl_1",
      attributes: { "cluster-name": "web", status: { state: "running" }, gpu: { id: "h100", name: "NVIDIA H100" } },
      spec: { targetReplicas: 2, image: "example/server:1", env: [{ name: "PORT", value: "8080" }] },
      created_at: "Sat, 21 Nov 2026 10:00:00 GMT",
    },
  };
  expect(readDetail("cl_1")(answer)).toMatchObject({
    id: "cl_1",
    name: "web",
    status: "running",
    gpuType: "h100",
    replicas: 2,
    container: "example/server:1",
    env: { PORT: "8080" },
    createdAt: "2026-11-21T10:00:00.000Z",
  });
});

test("a cluster whose desired and present numbers differ", () => {
  const answer = { result: { ...web, replicas: undefined, desiredReplicaCount: 3, replicaCount: 1 } };
  expect(readDetail("cl_1")(answer).replicas).toBe(3);
});

test("a new cluster, with the id of the request beside it", () => {
  const answer = { request_id: "req-9", cluster: { ...web, status: "creating" } };
  expect(readCreated(answer)).toMatchObject({ ...isWeb, status: "creating" });
});

test("GPU models in an answer of their own, with memory and stock", async () => {
  const answer = {
    models: [
      { slug: 1, id: "h100-sxm", name: "NVIDIA H100 SXM", vram: "80 GB", stock_status: "low" },
      { slug: 2, id: "l40s", name: "NVIDIA L40S", vram: "48 GB", stock_status: "sold out" },
    ],
    count: 2,
  };
  const { gpus, certain } = await gpusOf(answer, "models");
  expect(gpus.map(({ raw: _raw, ...gpu }) => gpu)).toEqual([
    { type: "h100-sxm", name: "NVIDIA H100 SXM", memoryGb: 80, available: true },
    { type: "l40s", name: "NVIDIA L40S", memoryGb: 48, available: false },
  ]);
  expect(certain).toBe(true);
});

test("machines with GPUs, whose memory is not that of a GPU", async () => {
  const answer = {
    data: [{ type: "gpu", id: "h100-8x", gpu_count: 8, vcpus: 208, memory_gib: 1_000, hourly_rate: 24 }],
  };
  const [{ raw: _raw, ...gpu } = { raw: {} }] = (await gpusOf(answer)).gpus;
  expect(gpu).toEqual({ type: "h100-8x", pricePerHour: 24 });
});

test("prices in a map by type, in cents for an hour", async () => {
  const answer = { currency: "USD", unit: "hour", prices: { h100: { cents: 250 }, l4: { cents: 80 } } };
  const { gpus } = await gpusOf(answer, "pricing");
  expect(gpus.map(({ type, pricePerHour, currency }) => [type, pricePerHour, currency])).toEqual([
    ["h100", 2.5, "USD"],
    ["l4", 0.8, "USD"],
  ]);
});

test("the availability of one type by region", () => {
  const rows = [
    { gpu_type: "H100", region: "eu", in_stock: false, qty: 0 },
    { gpu_type: "H100", region: "us", in_stock: true, qty: 5 },
  ];
  expect(readGpuType("h100")({ availability: rows })).toMatchObject({ type: "h100", ...five });
});

test.each<[unknown, object]>([
  [
    { error: { code: "quota_exceeded", message: "too many GPUs" } },
    { code: "quota_exceeded", message: "too many GPUs" },
  ],
  [{ error: "quota_exceeded", error_description: "too many GPUs" }, { message: "quota_exceeded" }],
  [{ title: "Conflict", detail: "the name is in use" }, { message: "the name is in use" }],
  [
    { msg: "no such cluster", error_code: "not_found" },
    { code: "not_found", message: "no such cluster" },
  ],
])("an error %j", (json, expected) => {
  expect(readErrorBody({ body: JSON.stringify(json), headers: {} })).toMatchObject({ ...expected, isApiAnswer: true });
});
