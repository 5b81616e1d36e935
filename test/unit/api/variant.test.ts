import { createClient } from "../../../provider/api/client";
import type { GpuType } from "../../../provider/api/decode/types";
import { readAnswer } from "../../../provider/api/http/answers";
import type { Send } from "../../../provider/api/http/send";
import type { RequestNames } from "../../../provider/api/requests";
import { ApiVariant } from "../../../provider/api/variant";
import { messageOf, ResponseShapeError } from "../../../provider/base/errors";

const uuid = "3f2b8c1e-0000-4000-8000-000000000090";
const gpu = (type: string): GpuType => ({ type, raw: { id: type } });
const client = { id: "1", gpuModelId: uuid, replicaCount: 2 };
const specification = { id: "cl_1", gpu_type: "h100", replicas: 2 };

/** The answers of a service: a list of clusters, and a list of GPU models. */
type Row = [string, unknown, GpuType[], RequestNames | undefined];

test.each<Row>([
  ["records of the client's form", { data: [client] }, [], "client"],
  ["records of the specification", { data: [specification] }, [], "specification"],
  ["an empty list in an open envelope, and ids that are UUIDs", { data: [] }, [gpu(uuid)], "client"],
  ["an empty list in an open envelope, and ids that are words", { data: [] }, [gpu("h100")], undefined],
  ["silent records in an open envelope, and ids that are UUIDs", { items: [{ id: "1" }] }, [gpu(uuid)], "client"],
  ["nothing in place of a list, and ids that are UUIDs", { items: null }, [gpu(uuid)], "client"],
  ["a bare empty list, and ids that are UUIDs", [], [gpu(uuid)], undefined],
  ["an empty list of clusters, and ids that are UUIDs", { clusters: [] }, [gpu(uuid)], undefined],
  ["records that show both", { clusters: [{ gpuModelId: uuid, gpu_type: "h100" }] }, [], undefined],
])("%s show the names of requests, whatever is read first", (_title, clusters, models, names) => {
  for (const isListFirst of [true, false]) {
    const form = new ApiVariant();
    if (isListFirst) form.observe(clusters);
    form.models = models;
    if (!isListFirst) form.observe(clusters);
    expect(form.names).toBe(names);
  }
});

test("a record that shows the names is final, and a setting takes precedence over it", () => {
  const form = new ApiVariant();
  form.observe({ data: [] });
  form.observe(specification);
  form.observe({ data: [client] });
  expect([form.names, form.isConfirmed]).toEqual(["specification", true]);
  const forced = new ApiVariant("client");
  forced.observe(specification);
  expect([forced.names, forced.isConfirmed]).toEqual(["client", false]);
});

/** A service with one answer for each path; each other path is missing. */
function bench(answers: Record<string, unknown>, statuses: Record<string, number> = {}) {
  const sent: string[] = [];
  const service: Send = async ({ method, path, body, signal }) => {
    signal?.throwIfAborted();
    sent.push(`${method} ${path}${body === undefined ? "" : ` ${Object.keys(JSON.parse(body))}`}`);
    await Promise.resolve();
    signal?.throwIfAborted();
    const json = answers[path] ?? { error: { code: "not_found", message: "no such thing", status: 404 } };
    return { status: statuses[path] ?? (path in answers ? 200 : 404), headers: {}, body: JSON.stringify(json) };
  };
  const api = createClient(async (request) => readAnswer(request, await service(request), String));
  const create = (gpuType = uuid, signal?: AbortSignal) =>
    api.createCluster({ name: "web", gpuType, replicas: 1, container: "a/b:1", env: {} }, signal && { signal });
  return { api, sent, create };
}

const [clientNames, specified] = [
  "gpusPerReplica,name,gpuModelId,replicaCount,imageUrl",
  "name,gpu_type,replicas,container,env",
];

const [models, pricing] = ["/v1/gpus/models", "/v1/gpus/pricing"];
const words = { [models]: [{ id: "h100", name: "NVIDIA H100" }] };
const prices = { gpu: [{ gpuModelId: "h100", gpuModelName: "NVIDIA H100", pricePerHourCents: 299 }], cpu: [] };
const readModels = `GET ${models}`;
const readBoth = [readModels, `GET ${pricing}`];
const [asClient, asSpecified] = [`POST /v1/clusters ${clientNames}`, `POST /v1/clusters ${specified}`];

test.each<[string, Record<string, unknown>, Record<string, number>, string[]]>([
  ["models that are UUIDs", { [models]: [{ id: uuid }] }, {}, [readModels, asClient]],
  ["models under the client's name", { [models]: [{ gpuModelId: uuid }] }, {}, [readModels, asClient]],
  ["models under the specification's name", { [models]: [{ gpu_type: uuid }] }, {}, [readModels, asSpecified]],
  ["words, and prices under the client's name", { ...words, [pricing]: prices }, {}, [...readBoth, asClient]],
  ["words, and prices of types", { ...words, [pricing]: [{ gpu_type: "h100" }] }, {}, [...readBoth, asSpecified]],
  ["words, and silent prices", { ...words, [pricing]: { data: [{ id: "h100" }] } }, {}, [...readBoth, asSpecified]],
  ["neither list", {}, {}, [...readBoth, asSpecified]],
  ["forbidden models", {}, { [models]: 403 }, [...readBoth, asSpecified]],
  ["models that cannot be read", { [models]: { x: 1 } }, {}, [...readBoth, asSpecified]],
  ["models that fail at the moment", {}, { [models]: 500 }, readBoth],
  ["prices that fail at the moment", words, { [pricing]: 503 }, readBoth],
  [
    "failing models, and prices under the client's name,",
    { [pricing]: prices },
    { [models]: 500 },
    [...readBoth, asClient],
  ],
])(
  "after an empty list that leaves the names open, %s decide before anything is created",
  async (_what, answers, statuses, lines) => {
    const { api, sent, create } = bench({ "/v1/clusters": { items: [] }, ...answers }, statuses);
    await api.listClusters();
    const error = await create().catch(messageOf);
    expect(sent.slice(1)).toEqual(lines);
    if (lines === readBoth) expect(error).toMatch(/^GET \/v1\/gpus\/(models|pricing): .*HTTP 50/);
  },
);

describe("creations in parallel", () => {
  const silent = { "/v1/clusters": { items: [] }, ...words, [pricing]: [] };

  it("read the lists about GPUs once for all, and so do later ones", async () => {
    const { api, sent, create } = bench(silent);
    await api.listClusters();
    await Promise.allSettled([create(), create(), create()]);
    await Promise.allSettled([create()]);
    expect(sent.slice(1)).toEqual([...readBoth, ...Array.from({ length: 4 }, () => asSpecified)]);
  });

  it("read the models once for all if only they show the id of the type", async () => {
    const answers = { "/v1/clusters": { data: [client] }, [models]: [{ id: uuid, name: "h100" }] };
    const { api, sent, create } = bench(answers);
    await api.listClusters();
    await Promise.allSettled([create("h100"), create("h100")]);
    expect(sent.slice(1)).toEqual([readModels, asClient, asClient]);
  });

  it("create nothing if their read fails, and the next one reads again", async () => {
    const statuses = { [models]: 500 };
    const { api, sent, create } = bench(silent, statuses);
    await api.listClusters();
    const ends = await Promise.allSettled([create(), create()]);
    const reason = expect.objectContaining({ message: expect.stringContaining("HTTP 500") });
    expect(ends).toEqual([reason, reason].map((each) => ({ status: "rejected", reason: each })));
    statuses[models] = 200;
    await create().catch(() => undefined);
    expect(sent.slice(1)).toEqual([...readBoth, ...readBoth, asSpecified]);
  });

  it("go on with another read if the one who reads for all is interrupted", async () => {
    const interrupt = new AbortController();
    const { api, sent, create } = bench(silent);
    await api.listClusters();
    const ends = Promise.allSettled([create(uuid, interrupt.signal), create()]);
    interrupt.abort("interrupted");
    expect(await ends).toMatchObject([{ reason: "interrupted" }, { reason: expect.any(ResponseShapeError) }]);
    expect(sent.slice(2)).toEqual([...readBoth, asSpecified]);
  });
});

test("lists about GPUs are not read if the list of clusters shows the names", async () => {
  const { api, sent, create } = bench({ "/v1/clusters": { data: [specification] } });
  await api.listClusters();
  await create().catch(() => undefined);
  expect(sent).toEqual(["GET /v1/clusters", `POST /v1/clusters ${specified}`]);
});

describe("a 404 of /status", () => {
  const path = "/v1/clusters/cl_1";
  const record = { id: "cl_1", status: "provisioning", replica_count: 2, running_replicas: 0 };
  const full = { replicas: [{ id: "a", healthy: false, message: "no space left" }] };

  it("is about replicas that do not exist yet while none is healthy: the next call reads it again", async () => {
    const answers: Record<string, unknown> = { [path]: record };
    const { api, sent } = bench(answers);
    expect((await api.getClusterStatus("cl_1")).replicas).toHaveLength(2);
    expect(api.variant.has("status")).toBeUndefined();
    answers[`${path}/status`] = full;
    expect((await api.getClusterStatus("cl_1")).replicas).toMatchObject([{ message: "no space left" }]);
    expect(api.variant.has("status")).toBe(true);
    expect(sent).toEqual([`GET ${path}/status`, `GET ${path}`, `GET ${path}/status`]);
  });

  it("beside a healthy replica is about the endpoint: later calls read the record alone", async () => {
    const { api, sent } = bench({ [path]: { ...record, status: "running", running_replicas: 1 } });
    for (const _call of [1, 2]) expect((await api.getClusterStatus("cl_1")).replicas).toHaveLength(2);
    expect(api.variant.has("status")).toBe(false);
    expect(sent).toEqual([`GET ${path}/status`, `GET ${path}`, `GET ${path}`]);
  });
});
