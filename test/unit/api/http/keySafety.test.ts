import type { RequestListener } from "node:http";
import { inspect } from "node:util";
import { GpuClusterError } from "../../../../provider/base/errors";
import { canary, failureOf, once, serve, transportTo } from "./httpHarness";

const repeated = (text: string) => JSON.stringify({ error: { code: "unauthorized", message: text, status: 401 } });
const base64 = Buffer.from(canary).toString("base64");
/** A refusal whose reason is this. */
const refuses =
  (textOf: (authorization: unknown) => string): RequestListener =>
  ({ headers }, response) =>
    void response.writeHead(401).end(repeated(textOf(headers.authorization)));
const answers: [string, RequestListener][] = [
  ["repeats the key in its reason", refuses(() => `bad key ${canary}`)],
  ["repeats the key in its code", (_q, response) => response.writeHead(400).end(`{"error":{"code":"${canary}"}}`)],
  ["repeats the key in base64", refuses(() => base64)],
  ["repeats the key encoded", refuses(() => encodeURIComponent(canary))],
  ["shows the request", ({ headers }, response) => response.writeHead(502).end(`<pre>${inspect(headers)}</pre>`)],
  [
    "answers half",
    ({ headers: { authorization } }, response) =>
      void response.writeHead(200, { "content-length": 999 }).write(`"${authorization}`, () => response.destroy()),
  ],
  ["breaks the connection", (request) => request.socket.destroy()],
  ["never answers", () => undefined],
];

const deep = { depth: 10, showHidden: true };
const sinks: ((error: Error) => string)[] = [
  ({ message }) => message,
  ({ stack }) => `${stack}`,
  String,
  (error) => JSON.stringify(error),
  (error) => JSON.stringify(error, Object.getOwnPropertyNames(error)),
  (error) => inspect(error, { ...deep, getters: true }),
  ({ cause }) => inspect(cause, deep),
];

/** Every way to print the error of a request. */
async function shownOf(url: string, method: string): Promise<string> {
  const error = await failureOf(transportTo(url).send(once(method, { attemptTimeoutMs: 50 })));
  if (!(error instanceof GpuClusterError)) throw new Error("it did not fail as expected");
  return sinks.map((show) => show(error)).join("\n");
}

test.each(answers)("the key is nowhere in the error when the service %s", async (_what, listener) => {
  const { url } = await serve(listener);
  for (const method of ["GET", "POST"]) {
    const shown = await shownOf(url, method);
    for (const form of [canary, encodeURIComponent(canary)]) expect(shown).not.toContain(form);
  }
});

test.each([
  ["the host", "https://KEY.evil.example/"],
  ["the host, in small letters", "https://key.evil.example/"],
  ["the host, in two labels", "https://Zq7K-Wv93-.Lm2X-T5.example/"],
  ["the path", "https://example.com/KEY"],
])("the key is nowhere in the error when it is %s of a redirect", async (_what, form) => {
  for (const key of ["Zq7K-Wv93-Lm2X-T5", "Zq7K-Wv93", "Zq7K"]) {
    const location = form.replace("KEY", key).replace("key", key.toLowerCase());
    const { url } = await serve((_request, response) => response.writeHead(302, { location }).end());
    const error = await failureOf(transportTo(url, key).send(once("GET")));
    const parts = key.length > 8 ? [key.toLowerCase(), "lm2x"] : [];
    const places = location.includes(key) ? [key, key.toLowerCase()] : parts;
    expect(String(error)).toMatch(/Redirects( to https:\/\/\S+)? are not followed/);
    for (const place of places) expect(String(error)).not.toContain(place);
  }
});

test("where a redirect leads is said if that repeats nothing", async () => {
  const elsewhere = "https://www.example.com/x";
  const { url } = await serve((_q, response) => response.writeHead(301, { location: elsewhere }).end());
  const error = await failureOf(transportTo(url).send(once("GET")));
  expect(String(error)).toContain("Redirects to https://www.example.com are not followed");
});

test("the key is not in the error when no service listens", async () => {
  const { server, url } = await serve(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  expect(await shownOf(url, "GET")).not.toContain(canary);
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
