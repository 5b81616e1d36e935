import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { askAddress } from "../../../../provider/api/http/address";
import { certificateFor } from "../../../support/certificate";
import { type EndpointServer, type EndpointStep, serveEndpoints } from "../../../support/endpointServer";

/** One request to an address that is really served. */

let server: EndpointServer;
beforeEach(async () => {
  server = await serveEndpoints([{ kind: "status", status: 200 }], Date);
});
afterEach(() => server.close());

const request = (url: string, signal = new AbortController().signal) =>
  askAddress({ url: new URL(url), method: "GET", headers: { "X-Own": "own" }, signal });

async function answerTo(...script: EndpointStep[]) {
  await server.answer(...script);
  return request(`${server.url}/web/health`);
}

it.each<[string, EndpointStep, object]>([
  ["a status", { kind: "status", status: 503, body: "busy" }, { status: 503 }],
  ["a redirect, which is not followed", { kind: "redirect", to: "same-host" }, { status: 302, location: "/ready" }],
  ["a slow answer", { kind: "slow", ms: 50 }, { status: 200 }],
  ["a body that never ends, of which only a part is read", { kind: "endless" }, { status: 200 }],
  ["a refused connection", { kind: "refused" }, { problem: "the connection was refused (ECONNREFUSED)" }],
  [
    "a broken connection",
    { kind: "broken" },
    { problem: "the connection broke before the answer was complete (UND_ERR_SOCKET)" },
  ],
])("the answer to %s", async (_what, step, expected) => {
  expect(await answerTo(step)).toEqual(expected);
});

it("is sent with the given headers and no others of ours", async () => {
  await answerTo();
  expect(server.requests).toEqual([
    {
      method: "GET",
      path: "/web/health",
      body: "",
      headers: { "x-own": "own", host: new URL(server.url).host, connection: "keep-alive" },
    },
  ]);
});

it("ends with the reason of its signal, if no answer comes", async () => {
  await server.answer({ kind: "silent" });
  const limit = new AbortController();
  const answer = request(`${server.url}/`, limit.signal);
  const reason = new Error("late");
  setTimeout(() => limit.abort(reason), 20);
  await expect(answer).rejects.toBe(reason);
});

it("comes after a while, where the endpoint is served late", async () => {
  await server.answer({ kind: "refused", forMs: 50 });
  expect(await request(server.url)).toHaveProperty("problem");
  let answer = await request(server.url);
  for (const endMs = Date.now() + 10_000; answer.status === undefined && Date.now() < endMs; )
    answer = await request(server.url);
  expect(answer).toEqual({ status: 200 });
});

it("is a reason to wait if the certificate is not trusted", async () => {
  const own = createServer(certificateFor("localhost"), (_request, response) => response.end());
  await new Promise<void>((done) => own.listen(0, "127.0.0.1", done));
  const { port } = own.address() as AddressInfo;
  expect(await request(`https://localhost:${port}/`)).toEqual({
    problem: "the certificate of the host is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)",
  });
  own.closeAllConnections();
  await new Promise((done) => own.close(done));
});
