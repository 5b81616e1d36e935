import { type Client, createClient } from "../../../provider/api/client";
import { clientFor } from "../../../provider/api/clients";
import type { HttpRequest } from "../../../provider/api/http/send";
import { Secret } from "../../../provider/base/text";
import { canary, serve, transportTo } from "./http/httpHarness";

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
const badIds = ["", "../../admin", "cl_1/stop", "cl_%2e%2e", "cl_\u001b[31m", "..", "x".repeat(200)];

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

type Place = { base: string; path: string };
test.each<[string, (own: URL, other: URL) => Place]>([
  ["makes the host a user name", (own, other) => ({ base: own.origin, path: `@${other.host}/evil` })],
  ["goes on with the host", (_own, other) => ({ base: "http://127.0.0", path: `.1:${other.port}/evil` })],
])("a path that %s is refused, and nothing arrives anywhere", async (_what, placeOf) => {
  const arrived: unknown[] = [];
  const open = async () => {
    const { url } = await serve((request, response) => {
      arrived.push(request.headers);
      response.end("{}");
    });
    return new URL(url);
  };
  const { base, path } = placeOf(await open(), await open());
  const { send } = transportTo(base);
  const error: unknown = await send({ kind: "read", method: "GET", path, attempts: 1 }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: "TypeError" });
  expect(String(error)).not.toContain(canary);
  expect(arrived).toEqual([]);
});

test("a creation, a deletion and changes are sent as such: retries, priorities and connections depend on it", async () => {
  const { client, sent } = bench();
  await client.createCluster({ name: "web", gpuType: "h100", replicas: 1, container: "a/b:1", env: {} });
  for (const [, call] of withId) await call(client, "cl_1").catch(() => undefined);
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
  const { client, sent } = bench({});
  await client.getGpuTypeAvailability("a/b?c#d e");
  expect(sent[0]?.path).toBe("/v1/gpus/a%2Fb%3Fc%23d%20e/availability");
});

test("clients of one key share its rate limiter and the secrets of its clusters, whichever names their requests use", () => {
  const connection = (key: string) => ({ baseUrl: "https://clients.example.com", apiKey: new Secret(key) });
  const client = clientFor(connection("one-key"));
  const named = clientFor({ ...connection("one-key"), requestNames: "client" });
  expect([clientFor(connection("one-key")) === client, named === client]).toEqual([true, false]);
  expect([named.rateLimiter === client.rateLimiter, named.redactor === client.redactor]).toEqual([true, true]);
  const other = clientFor(connection("another-key"));
  expect([other.rateLimiter === client.rateLimiter, other.redactor === client.redactor]).toEqual([false, false]);
});
