import {
  type Capabilities,
  capabilitiesOf,
  type Evidence,
  evidenceOfClusters,
  evidenceOfGpus,
} from "../../../provider/api/capabilities";
import { Client } from "../../../provider/api/client";
import type { GpuType } from "../../../provider/api/decode/types";
import { readAnswer } from "../../../provider/api/http/answers";
import type { Send } from "../../../provider/api/http/send";
import { messageOf } from "../../../provider/base/errors";
import type { RequestNames } from "../../../provider/config/settings";

const uuid = "3f2b8c1e-0000-4000-8000-000000000090";
const gpu = (type: string): GpuType => ({ type, raw: { id: type } });
const client = { id: "1", gpuModelId: uuid, replicaCount: 2 };
const specification = { id: "cl_1", gpu_type: "h100", replicas: 2 };

/** What is known after such answers about clusters. */
function observing(evidence: Evidence, ...answers: unknown[]): Capabilities {
  let known = capabilitiesOf(evidence);
  for (const answer of answers) known = capabilitiesOf({ ...known, ...evidenceOfClusters(known, answer) });
  return known;
}

describe("the request names", () => {
  it.each<[string, unknown, GpuType[], RequestNames | undefined]>([
    ["are those of a record of the client", { data: [client] }, [], "client"],
    ["are those of a record of the specification", { data: [specification] }, [], "specification"],
    ["are the client's by UUIDs beside an empty list", { data: [] }, [gpu(uuid)], "client"],
    ["are the client's by UUIDs beside a record without a GPU", { items: [{ id: "1" }] }, [gpu(uuid)], "client"],
    ["are the client's by UUIDs beside a null", { items: null }, [gpu(uuid)], "client"],
    ["are unknown by other identifiers", { data: [] }, [gpu("h100")], undefined],
    ["are unknown by UUIDs beside a bare list", [], [gpu(uuid)], undefined],
    ["are unknown by UUIDs beside a list of clusters", { clusters: [] }, [gpu(uuid)], undefined],
    ["are unknown by a record with both", { clusters: [{ gpuModelId: uuid, gpu_type: "h100" }] }, [], undefined],
  ])("%s, whatever is read first", (_name, clusters, models, names) => {
    for (const isListFirst of [true, false]) {
      let known = isListFirst ? observing({}, clusters) : capabilitiesOf({});
      known = capabilitiesOf({ ...known, models });
      if (!isListFirst) known = observing(known, clusters);
      expect(known.names).toBe(names);
    }
  });

  it("are final once a record shows them, and a setting takes precedence", () => {
    const known = observing({}, { data: [] }, specification, { data: [client] });
    expect([known.names, known.isConfirmed]).toEqual(["specification", true]);
    const configured = observing({ configuredNames: "client" }, specification);
    expect([configured.names, configured.isConfirmed]).toEqual(["client", false]);
  });
});

test("the request names of lists about GPUs are those of the first list that shows any", () => {
  let known = observing({}, { data: [] });
  for (const list of [[{ id: "h100" }], [{ gpuModelId: "h100" }], [{ gpu_type: "h100" }]])
    known = capabilitiesOf({ ...known, ...evidenceOfGpus(known, list) });
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
