import { askAddress } from "../../../../provider/api/http/address";
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
