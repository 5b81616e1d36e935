import type { RequestListener } from "node:http";
import { inspect } from "node:util";
import { GpuClusterError } from "../../../provider/errors";
import { canary, failureOf, once, serve, stopServers, transportTo } from "./httpHarness";

afterEach(stopServers);

const repeated = (text: string) => JSON.stringify({ error: { code: "unauthorized", message: text, status: 401 } });
const answers: [string, RequestListener][] = [
  ["repeats the key in its reason", (_request, response) => response.writeHead(401).end(repeated(`bad key ${canary}`))],
  ["repeats the header", ({ headers }, response) => response.writeHead(401).end(repeated(`${headers.authorization}`))],
  [
    "repeats the key in its code",
    (_q, response) => response.writeHead(400).end(JSON.stringify({ error: { code: canary } })),
  ],
  [
    "repeats the key in base64",
    (_q, response) => response.writeHead(401).end(repeated(Buffer.from(canary).toString("base64"))),
  ],
  ["repeats the key encoded", (_q, response) => response.writeHead(401).end(repeated(encodeURIComponent(canary)))],
  [
    "shows a page with the request",
    ({ headers }, response) => response.writeHead(502).end(`<pre>${inspect(headers)}</pre>`),
  ],
  ["answers success with a text", ({ headers }, response) => response.end(`hello ${headers.authorization}`)],
  [
    "answers half",
    ({ headers }, response) =>
      void response
        .writeHead(200, { "content-length": 999 })
        .write(`"${headers.authorization}`, () => response.destroy()),
  ],
  ["breaks the connection", (request) => request.socket.destroy()],
  ["never answers", () => undefined],
  ["compresses", (_request, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("x")],
  [
    "redirects",
    (_request, response) => response.writeHead(302, { location: `https://example.com/?key=${canary}` }).end(),
  ],
];

const sinks: [string, (error: unknown) => string][] = [
  ["message", (error) => (error instanceof Error ? error.message : "")],
  ["stack", (error) => (error instanceof Error ? `${error.stack}` : "")],
  ["text", String],
  ["JSON", (error) => JSON.stringify(error)],
  ["JSON of every property", (error) => JSON.stringify(error, Object.getOwnPropertyNames(error))],
  ["inspection", (error) => inspect(error, { depth: 10, showHidden: true, getters: true })],
  [
    "inspection of the cause",
    (error) => inspect(error instanceof Error && error.cause, { depth: 10, showHidden: true }),
  ],
];

test.each(answers)("the key is nowhere in the error when the service %s", async (_what, listener) => {
  const { url } = await serve(listener);
  for (const method of ["GET", "POST"]) {
    const error = await failureOf(transportTo(url).send(once(method, { attemptTimeoutMs: 50 })));
    expect(error).toBeInstanceOf(GpuClusterError);
    for (const [, show] of sinks)
      for (const form of [canary, encodeURIComponent(canary)]) expect(show(error)).not.toContain(form);
  }
});

test.each([
  ["the host", "https://KEY.evil.example/"],
  ["the host, in small letters", "https://key.evil.example/"],
  ["a part of the host", "https://a.KEY-b.example/"],
  ["the host, encoded", "https://KEY%2eevil.example/"],
  ["the host, in two labels", "https://Zq7K-Wv93-.Lm2X-T5.example/"],
  ["the path", "https://example.com/KEY"],
])("the key is nowhere in the error when it is %s of a redirect", async (_what, form) => {
  for (const key of ["Zq7K-Wv93-Lm2X-T5", "Zq7K-Wv93", "Zq7K"]) {
    const location = form.replace("KEY", key).replace("key", key.toLowerCase());
    const { url } = await serve((_request, response) => response.writeHead(302, { location }).end());
    const error = await failureOf(transportTo(url, key).send(once("GET")));
    const places = location.includes(key)
      ? [key, key.toLowerCase()]
      : key.length > 8
        ? [key.toLowerCase(), "lm2x"]
        : [];
    expect(String(error)).toMatch(/Redirects( to https:\/\/\S+)? are not followed/);
    for (const place of places) expect(String(error)).not.toContain(place);
  }
});

test("where a redirect leads is said if that repeats nothing", async () => {
  const { url } = await serve((_q, response) =>
    response.writeHead(301, { location: "https://www.example.com/x" }).end(),
  );
  const error = await failureOf(transportTo(url).send(once("GET")));
  expect(String(error)).toContain("Redirects to https://www.example.com are not followed");
});

test("the key is not in the error when no service listens", async () => {
  const { server, url } = await serve(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  const error = await failureOf(transportTo(url).send(once("GET")));
  for (const [, show] of sinks) expect(show(error)).not.toContain(canary);
});

test("the key is removed from a success too", async () => {
  const { url } = await serve(({ headers }, response) => response.end(JSON.stringify({ seen: headers.authorization })));
  const { body, json } = await transportTo(url).send(once("GET"));
  expect(json).toEqual({ seen: "Bearer [secret]" });
  expect(body).not.toContain(canary);
});

test("every request carries the key, the user agent and what it accepts, and a content type only with a body", async () => {
  const seen: Record<string, unknown>[] = [];
  const { url } = await serve((request, response) => {
    request.resume();
    seen.push(request.headers);
    response.end("{}");
  });
  const { send } = transportTo(url);
  await send(once("GET"));
  await send(once("POST", { body: "{}" }));
  const common = { authorization: `Bearer ${canary}`, "user-agent": "test/1", accept: "application/json" };
  expect(seen).toEqual([
    expect.objectContaining(common),
    expect.objectContaining({ ...common, "content-type": "application/json", "content-length": "2" }),
  ]);
  expect(seen[0]).not.toHaveProperty("content-type");
});
