import { Client } from "../../../provider/api/client";
import { readAnswer } from "../../../provider/api/http/answers";
import type { Send } from "../../../provider/api/http/send";
import { messageOf } from "../../../provider/base/errors";
import type { RequestNames } from "../../../provider/config/settings";

const uuid = "3f2b8c1e-0000-4000-8000-000000000090";
const client = { id: "1", gpuModelId: uuid, replicaCount: 2 };
const specification = { id: "cl_1", gpu_type: "h100", replicas: 2 };

type Read = readonly [read: "listClusters" | "listGpuModels" | "listGpuTypes" | "detail", json: unknown];

/** What a client knows after such answers. */
async function observing(reads: readonly Read[], requestNames?: RequestNames) {
  let json: unknown;
  const send = async () => ({ status: 200, headers: {}, body: "", json });
  const api = new Client({ send }, { requestNames });
  for (const [read, answer] of reads) {
    json = answer;
    await (read === "detail" ? api.getCluster("cl_1") : api[read]());
  }
  return api.capabilities;
}

describe("the request names", () => {
  it.each<[string, unknown, string[], RequestNames | undefined]>([
    ["are those of a record of the client", { data: [client] }, [], "client"],
    ["are those of a record of the specification", { data: [specification] }, [], "specification"],
    ["are the client's by UUIDs beside an empty list", { data: [] }, [uuid], "client"],
    ["are the client's by UUIDs beside a record without a GPU", { items: [{ id: "1" }] }, [uuid], "client"],
    ["are the client's by UUIDs beside a null", { items: null }, [uuid], "client"],
    ["are unknown by other identifiers", { data: [] }, ["h100"], undefined],
    ["are unknown by UUIDs beside a bare list", [], [uuid], undefined],
    ["are unknown by UUIDs beside a list of clusters", { clusters: [] }, [uuid], undefined],
    ["are unknown by a record with both", { clusters: [{ ...client, gpu_type: "h100" }] }, [], undefined],
  ])("%s, whatever is read first", async (_name, clusters, models, names) => {
    const list: Read = ["listClusters", clusters];
    const reads: Read[] = [list, ["listGpuModels", models.map((id) => ({ id }))]];
    for (const order of [reads, reads.toReversed()])
      expect((await observing(models.length > 0 ? order : [list])).names).toBe(names);
  });

  it("are final once a record shows them, and a setting takes precedence", async () => {
    const detail: Read = ["detail", specification];
    const known = await observing([["listClusters", { data: [] }], detail, ["listClusters", { data: [client] }]]);
    expect([known.names, known.isConfirmed]).toEqual(["specification", true]);
    const configured = await observing([detail], "client");
    expect([configured.names, configured.isConfirmed]).toEqual(["client", false]);
  });
});

test("the request names of lists about GPUs are those of the first list that shows any", async () => {
  const lists = [[{ id: "h100" }], [{ gpuModelId: "h100" }], [{ gpu_type: "h100" }]];
  const reads = lists.map((list): Read => ["listGpuTypes", list]);
  const known = await observing([["listClusters", { data: [] }], ...reads]);
  expect([known.names, known.isUndecided]).toEqual(["client", false]);
});

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

describe("concurrent creations", () => {
  const silent = { "/v1/clusters": { items: [] }, ...words, [pricing]: [] };

  it("share one read of the lists about GPUs, even with later ones", async () => {
    const { api, sent, create } = fixture(silent);
    await api.listClusters();
    await Promise.allSettled([create(), create(), create()]);
    await Promise.allSettled([create()]);
    expect(sent.slice(1)).toEqual([...readBoth, ...Array.from({ length: 4 }, () => asSpecified)]);
  });

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
