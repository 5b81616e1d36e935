import { Client } from "../../../provider/api/client";
import { readAnswer } from "../../../provider/api/http/answers";
import type { Send } from "../../../provider/api/http/send";
import { messageOf } from "../../../provider/base/errors";

const uuid = "3f2b8c1e-0000-4000-8000-000000000090";
const client = { id: "1", gpuModelId: uuid, replicaCount: 2 };

/** A client of a service with one answer for each path; other paths are missing. */
function fixture(answers: Record<string, unknown>, statuses: Record<string, number> = {}) {
  const sent: string[] = [];
  const service: Send = async ({ method, path, body, signal }) => {
    signal?.throwIfAborted();
    sent.push(`${method} ${path}${body === undefined ? "" : ` ${Object.keys(JSON.parse(body))}`}`);
    await Promise.resolve();
    signal?.throwIfAborted();
    const json = answers[path] ?? { error: { code: "not_found", message: "no such thing", status: 404 } };
    return { status: statuses[path] ?? (path in answers ? 200 : 404), headers: {}, body: JSON.stringify(json) };
  };
  const api = new Client({ send: async (request) => readAnswer(request, await service(request), String) });
  const create = (gpuType = uuid, signal?: AbortSignal) =>
    api.createCluster({ name: "web", gpuType, replicas: 1, container: "a/b:1", env: {} }, signal && { signal });
  return { api, sent, create };
}

const models = "/v1/gpus/models";
const pricing = "/v1/gpus/pricing";
const words = { [models]: [{ id: "h100", name: "NVIDIA H100" }] };
const prices = { gpu: [{ gpuModelId: "h100", gpuModelName: "NVIDIA H100", pricePerHourCents: 299 }], cpu: [] };
const readModels = `GET ${models}`;
const readBoth = [readModels, `GET ${pricing}`];
const asClient = "POST /v1/clusters gpusPerReplica,name,gpuModelId,replicaCount,imageUrl";
const asSpecified = "POST /v1/clusters name,gpu_type,replicas,container,env";

describe("a creation after an empty list that leaves the names undecided", () => {
  it.each<[string, Record<string, unknown>, Record<string, number>, string[]]>([
    ["follows UUIDs of models", { [models]: [{ id: uuid }] }, {}, [readModels, asClient]],
    ["follows the client's field of models", { [models]: [{ gpuModelId: uuid }] }, {}, [readModels, asClient]],
    ["follows the specified field of models", { [models]: [{ gpu_type: uuid }] }, {}, [readModels, asSpecified]],
    ["follows the client's field of prices", { ...words, [pricing]: prices }, {}, [...readBoth, asClient]],
    ["follows prices after models that fail", { [pricing]: prices }, { [models]: 500 }, [...readBoth, asClient]],
    ["is as specified by the field of prices", { [pricing]: [{ gpu_type: "h100" }] }, {}, [...readBoth, asSpecified]],
    ["is as specified without evidence", { ...words, [pricing]: [{ id: "h100" }] }, {}, [...readBoth, asSpecified]],
    ["is as specified without lists", {}, {}, [...readBoth, asSpecified]],
    ["is as specified if models are forbidden", {}, { [models]: 403 }, [...readBoth, asSpecified]],
    ["is as specified if models cannot be read", { [models]: { x: 1 } }, {}, [...readBoth, asSpecified]],
    ["is not sent while models fail", {}, { [models]: 500 }, readBoth],
    ["is not sent while prices fail", words, { [pricing]: 503 }, readBoth],
  ])("%s", async (_name, answers, statuses, lines) => {
    const { api, sent, create } = fixture({ "/v1/clusters": { items: [] }, ...answers }, statuses);
    await api.listClusters();
    const error = await create().catch(messageOf);
    expect(sent.slice(1)).toEqual(lines);
    if (lines === readBoth) expect(error).toMatch(/^GET \/v1\/gpus\/(models|pricing): .*HTTP 50/);
  });
});

test("the request names are those of the first list about GPUs that shows any, and of the first cluster that does", async () => {
  const answers: Record<string, unknown> = { "/v1/clusters": { data: [] } };
  const { api } = fixture(answers);
  await api.listClusters();
  for (const gpu of [{ id: "h100" }, { gpuModelId: "h100" }, { gpu_type: "h100" }]) {
    answers[pricing] = [gpu];
    await api.listGpuPricing();
  }
  expect(api.capabilities.names).toBe("client");
  for (const record of [{ id: "cl_1", gpu_type: "h100" }, client]) {
    answers["/v1/clusters"] = [record];
    await api.listClusters();
  }
  expect(api.capabilities.names).toBe("specification");
});

describe("concurrent creations", () => {
  const silent = { "/v1/clusters": { items: [] }, ...words, [pricing]: [] };

  it("share one read of the models if only that shows the id of the type", async () => {
    const answers = { "/v1/clusters": { data: [client] }, [models]: [{ id: uuid, name: "h100" }] };
    const { api, sent, create } = fixture(answers);
    await api.listClusters();
    await Promise.allSettled([create("h100"), create("h100")]);
    expect(sent.slice(1)).toEqual([readModels, asClient, asClient]);
  });

  it("send nothing if their read fails, and the next one reads again", async () => {
    const statuses = { [models]: 500 };
    const { api, sent, create } = fixture(silent, statuses);
    await api.listClusters();
    const ends = await Promise.allSettled([create(), create()]);
    const reason = expect.objectContaining({ message: expect.stringContaining("HTTP 500") });
    expect(ends).toEqual([reason, reason].map((each) => ({ status: "rejected", reason: each })));
    statuses[models] = 200;
    await create().catch(() => undefined);
    expect(sent.slice(1)).toEqual([...readBoth, ...readBoth, asSpecified]);
  });
});

test("without /status, the health of a cluster is that of its status word, except after a 404", async () => {
  const path = "/v1/clusters/cl_1";
  const statusOf = (status: number) =>
    fixture(
      { [path]: { id: "cl_1", status: "up" }, [`${path}/status`]: {} },
      { [`${path}/status`]: status },
    ).api.getClusterStatus("cl_1");
  expect(await statusOf(405)).toEqual({ replicas: [], status: "up", overall: true, isMissing: true });
  await expect(statusOf(404)).rejects.toThrow("HTTP 404");
});
