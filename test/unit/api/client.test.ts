import { Client } from "../../../provider/api/client";
import type { HttpRequest } from "../../../provider/api/http/send";
import { canary, failureOf, once, transportTo } from "./http/httpHarness";

function fixture(json: unknown = { id: "cl_1" }) {
  const sent: HttpRequest[] = [];
  const client = new Client({
    send: async (request) => {
      sent.push(request);
      return { status: 200, headers: {}, body: "", json };
    },
  });
  return { client, sent };
}

const withId: ((client: Client, id: string) => Promise<unknown>)[] = [
  (client, id) => client.getCluster(id),
  (client, id) => client.updateCluster(id, () => ({ replicas: 2 })),
  (client, id) => client.deleteCluster(id),
  (client, id) => client.stopCluster(id),
  (client, id) => client.restartCluster(id),
  (client, id) => client.redeployCluster(id),
  (client, id) => client.scaleCluster(id, 2),
  (client, id) => client.getClusterStatus(id),
];
const badIds = ["", "../../admin", "cl_1/stop", "cl_%2e%2e", "cl_\u001b[31m", "..", "x".repeat(200)];

test("nothing is sent for an id that would change the path", async () => {
  const { client, sent } = fixture();
  for (const call of withId)
    for (const id of badIds) {
      const error: unknown = await (async () => call(client, id))().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain("not a cluster id");
      expect(String(error)).not.toMatch(/\p{Cc}/u);
    }
  expect(sent).toEqual([]);
});

test.each([
  ["http://127.0.0.1:1", "@127.0.0.1:2/evil"],
  ["http://127.0.0", ".1:2/evil"],
])("%s, %s: nothing is sent to a path that would change the host", async (base, path) => {
  const error = await failureOf(transportTo(base).send(once("read", { path })));
  expect(error).toMatchObject({ name: "TypeError", message: expect.stringMatching(/^not a path of the API: /) });
  expect(String(error)).not.toContain(canary);
});

test("each request has its kind, on which retries, priorities and connections depend", async () => {
  const { client, sent } = fixture();
  await client.createCluster({ name: "web", gpuType: "h100", replicas: 1, container: "a/b:1", env: {} });
  for (const call of withId) await call(client, "cl_1").catch(() => undefined);
  const kinds = sent.map(({ method, path, kind }) => `${kind} ${method} ${path.replace("/v1/clusters", "")}`);
  expect(kinds.filter((each) => !each.startsWith("read"))).toEqual([
    "create POST ",
    "write PATCH /cl_1",
    "delete DELETE /cl_1",
    "action POST /cl_1/stop",
    "action POST /cl_1/restart",
    "action POST /cl_1/redeploy",
    "write POST /cl_1/scale",
  ]);
});

test("a GPU type is encoded in the path", async () => {
  const { client, sent } = fixture({});
  await client.getGpuTypeAvailability("a/b?c#d e");
  expect(sent[0]?.path).toBe("/v1/gpus/a%2Fb%3Fc%23d%20e/availability");
});
