import type { RequestListener } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { inspect } from "node:util";
import { ApiError, ConnectionError, ResponseShapeError } from "../../../../provider/base/errors";
import { type Fault, type Simulator, startSimulator } from "../../../../simulator";
import { canary, failureOf, listen, once, serve, transportTo } from "./httpHarness";

const running: Simulator[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

async function simulated(...faults: Fault[]) {
  const simulator = await startSimulator({ faults, apiKeys: { key: "org" } });
  running.push(simulator);
  return { simulator, ...transportTo(simulator.url, "key") };
}

const mebi = 1024 * 1024;
const web = { name: "web", gpu_type: "h100", replicas: 1, container: "example/server:1", env: {} };
const body = JSON.stringify(web);

test.each(["before", "after"] as const)(
  "a creation whose connection breaks %s its effect may have taken effect",
  async (when) => {
    const { send, simulator } = await simulated({ kind: "drop", when });
    const error = await failureOf(send(once("POST", { body })));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: "ambiguous", maybeApplied: true, method: "POST" });
    expect(String(error)).toContain("the connection broke before the answer was complete");
    expect(simulator.clusters()).toHaveLength(when === "after" ? 1 : 0);
  },
);

test.each(["drop", "truncate"] as const)("a read that meets a %s is sent again, a creation is not", async (kind) => {
  const { send, simulator } = await simulated({ kind, method: "GET" }, { kind, method: "POST" });
  expect((await send(once("GET", { attempts: 5 }))).status).toBe(200);
  await failureOf(send(once("POST", { body, attempts: 5 })));
  expect(simulator.requests.map(({ method }) => method)).toEqual(["GET", "GET", "POST"]);
});

test("an answer of more than 8 MiB is refused, one of just 8 MiB is read", async () => {
  const sizes = [8 * mebi + 1, 8 * mebi];
  const { url } = await serve((_request, response) => response.end(`"${"x".repeat((sizes.shift() ?? 2) - 2)}"`));
  const { send } = transportTo(url);
  const error = await failureOf(send(once("GET")));
  expect(error).toBeInstanceOf(ResponseShapeError);
  expect(String(error)).toContain("that this version cannot read: it is larger than 8 MiB");
  expect((await send(once("GET"))).json).toMatch(/^x+…$/);
});

test("a redirect is not followed: nothing arrives at its target", async () => {
  const arrived: unknown[] = [];
  const target = await serve((request, response) => {
    arrived.push(request.headers);
    response.end("[]");
  });
  const { send } = await simulated({ kind: "redirect", status: 307, location: `${target.url}/v1/clusters` });
  const error = await failureOf(send(once("GET", { attempts: 5 })));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ outcome: "refused", status: 307 });
  expect(String(error)).toContain(`Redirects to ${target.url} are not followed`);
  expect(arrived).toEqual([]);
});

test.each<[string, RequestListener]>([
  ["that does not come", () => undefined],
  [
    "that drips",
    (_request, response) => {
      response.write("[");
      const timer = setInterval(() => response.write(" "), 2);
      response.on("close", () => clearInterval(timer));
    },
  ],
])("an answer %s ends with the time limit of the attempt, which may have taken effect", async (_how, listener) => {
  const { url } = await serve(listener);
  const error = await failureOf(transportTo(url).send(once("POST", { attemptTimeoutMs: 40 })));
  expect(error).toMatchObject({ outcome: "ambiguous", details: { isLate: true } });
  expect(String(error)).toContain("no complete answer came in time");
});

test("a refused connection was surely not sent, and a creation is sent again", async () => {
  const { server, url } = await serve(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  const error = await failureOf(transportTo(url).send(once("POST", { attempts: 3 })));
  expect(error).toMatchObject({ outcome: "not-sent", maybeApplied: false, method: "POST" });
  expect(String(error)).toContain(`the connection was refused (ECONNREFUSED, ${new URL(url).host}) (tried 3 times)`);
});

test("a create request opens a connection of its own: one that the service closes while it is idle loses no answer", async () => {
  const used = new Set<unknown>();
  const { url } = await serve((request, response) => {
    // Closes the connection instead of a second answer.
    if (used.has(request.socket)) return request.socket.destroy();
    used.add(request.socket);
    return response.end("[]");
  });
  const { send } = transportTo(url);
  await send(once("GET"));
  for (let index = 0; index < 3; index += 1) expect((await send(once("POST", { body }))).status).toBe(200);
  expect(used.size).toBe(4);
});

test("the cause does not contain a malformed answer that repeats the request", async () => {
  const requests: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on("data", (data) => {
      requests.push(String(data));
      socket.end(`HTTP/1.1 what OK\r\n\r\n${data}`);
    });
  });
  const error = await failureOf(transportTo(await listen(server)).send(once("GET")));
  server.close();
  expect(requests.join()).toContain(canary);
  expect(error).toMatchObject({ outcome: "ambiguous", cause: { code: "HTTPParserError" } });
  const shown = inspect(error, { depth: 10, showHidden: true });
  expect(shown).not.toContain(canary);
  expect(shown).not.toContain(Buffer.from(canary).toString("hex").replace(/..\B/g, "$& "));
});
