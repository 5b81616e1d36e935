import { createServer as createTcpServer } from "node:net";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { http } from "../../../provider/api/http";
import { ConnectionError, ResponseShapeError } from "../../../provider/errors";
import { canary, failureOf, listen, once, serve, stopServers, transportTo } from "./httpHarness";

afterEach(stopServers);

test("a refused connection is known by the shape of Node's error, whatever realm that is of", async () => {
  const { server, url } = await serve(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  const error = await failureOf(http(url)(once("POST", { body: "{}" })));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ outcome: "not-sent", maybeApplied: false, cause: { code: "ECONNREFUSED" } });
});

test.each([
  ["status line", (request: string) => `HTTP/1.1 what OK\r\n\r\n${request}`],
  ["header", (request: string) => `HTTP/1.1 200 OK\r\n: ${request.replaceAll("\r\n", " ")}\r\n\r\n`],
])("the cause does not hold an answer with a malformed %s that repeats the request", async (_what, answer) => {
  const requests: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on("data", (data) => {
      requests.push(String(data));
      socket.end(answer(String(data)));
    });
  });
  const error = await failureOf(transportTo(await listen(server)).send(once("GET")));
  server.close();
  expect(requests.join()).toContain(canary);
  expect(error).toMatchObject({ outcome: "ambiguous", cause: { code: "HTTPParserError" } });
  const cause = error instanceof ConnectionError ? error.cause : undefined;
  expect(Object.keys(Object(cause)).sort()).toEqual(["code", "message"]);
  for (const shown of [inspect(error, { depth: 10, showHidden: true }), JSON.stringify(cause)]) {
    expect(shown).not.toContain(canary);
    expect(shown).not.toContain(Buffer.from(canary).toString("hex").replace(/..\B/g, "$& "));
  }
});

test("six answers that are compressed unasked, and never end, leave the connections free", async () => {
  let arrived = 0;
  const { url } = await serve((_request, response) => {
    arrived += 1;
    if (arrived > 6) response.end("[]");
    else response.writeHead(200, { "content-encoding": "gzip" }).write(gzipSync("[]"));
  });
  const send = http(url);
  const errors = await Promise.all(Array.from({ length: 6 }, () => failureOf(send(once("GET")))));
  for (const error of errors) expect(error).toBeInstanceOf(ResponseShapeError);
  expect((await send(once("GET", { attemptTimeoutMs: 2_000 }))).body).toBe("[]");
});
