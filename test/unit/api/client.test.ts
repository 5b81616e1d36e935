import { type Client, createClient } from "../../../provider/api/client";
import { fingerprint } from "../../../provider/api/clients";
import type { HttpRequest } from "../../../provider/api/http/send";
import { ApiError } from "../../../provider/base/errors";
import { Secret } from "../../../provider/base/text";

function bench(json: unknown = { id: "cl_1" }) {
  const sent: HttpRequest[] = [];
  const client = createClient(async (request) => {
    sent.push(request);
    return { status: 200, headers: {}, body: "", json };
  });
  return { client, sent };
}

const withId: [string, (client: Client, id: string) => Promise<unknown>][] = [
  ["getCluster", (client, id) => client.getCluster(id)],
  ["updateCluster", (client, id) => client.updateCluster(id, () => ({ replicas: 2 }))],
  ["deleteCluster", (client, id) => client.deleteCluster(id)],
  ["stopCluster", (client, id) => client.stopCluster(id)],
  ["restartCluster", (client, id) => client.restartCluster(id)],
  ["redeployCluster", (client, id) => client.redeployCluster(id)],
  ["scaleCluster", (client, id) => client.scaleCluster(id, 2)],
  ["getClusterStatus", (client, id) => client.getClusterStatus(id)],
];
const badIds = ["", "../../admin", "cl_1/stop", "cl_%2e%2e", "cl_\u0000", "cl_\u001b[31m", ".", "..", "x".repeat(200)];

test.each(withId)("%s sends nothing for an id that could leave its place in the path", async (_name, call) => {
  const { client, sent } = bench();
  for (const id of badIds) {
    const error: unknown = await (async () => call(client, id))().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain("not a cluster id");
    expect(String(error)).not.toMatch(/\p{Cc}/u);
  }
  expect(sent).toEqual([]);
});

test("a GPU type is encoded in the path", async () => {
  const { client, sent } = bench({});
  await client.getGpuTypeAvailability("a/b?c#d e");
  expect(sent[0]?.path).toBe("/v1/gpus/a%2Fb%3Fc%23d%20e/availability");
});

test("the options of a call are passed down the chain", async () => {
  const { client, sent } = bench();
  const { signal } = new AbortController();
  const options = { attempts: 2, maxQueueMs: 3, attemptTimeoutMs: 4, subject: "s", signal };
  await client.getCluster("cl_1", options);
  const place = { method: "GET", path: "/v1/clusters/cl_1", route: "/v1/clusters/:id", kind: "read" };
  const { redactor } = client;
  expect(sent).toEqual([{ ...options, ...place, redactor, accepts: expect.any(Function) }]);
});

test("a body has only the fields that the specification knows", async () => {
  const { client, sent } = bench();
  const body = { name: "web", gpuType: "h100", replicas: 1, container: "a/b:1", env: { fooBar: "x" }, more: 1 };
  await client.createCluster(body);
  const creation = sent.find(({ kind }) => kind === "create");
  const { gpuType: gpu_type, more: _more, ...same } = body;
  expect(JSON.parse(creation?.body ?? "")).toEqual({ ...same, gpu_type });
});

test.each<[string, string, boolean]>([
  ["a field with another name in the other form", 'Unknown field "gpu_type"', true],
  ["a field with the same name in both", "name is too long", false],
  ["a variable", "env.MODEL is not valid", false],
])("a refused creation names the setting if it is about %s", async (_what, said, isAbout) => {
  const refusal = { outcome: "refused", method: "POST", path: "/v1/clusters", status: 400, isApiAnswer: true } as const;
  const client = createClient(async ({ method }) => {
    if (method === "POST") throw new ApiError("refused", { ...refusal, apiMessage: said });
    return { status: 200, headers: {}, body: "", json: [] };
  });
  const body = { name: "web", gpuType: "h100", replicas: 1, container: "a/b:1", env: {} };
  const error = await client.createCluster(body).catch(String);
  expect(String(error).includes("set gpucluster:requestNames")).toBe(isAbout);
});

test("a fingerprint distinguishes connections and does not reveal the key", () => {
  const print = fingerprint({ baseUrl: "https://one.example.com", apiKey: new Secret("canary-key") });
  expect(print).toMatch(/^[0-9a-f]{64}$/);
  expect(fingerprint({ baseUrl: "https://one.example.com", apiKey: new Secret("canary-kez") })).not.toBe(print);
});
