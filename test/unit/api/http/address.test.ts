import { askAddress } from "../../../../provider/api/http/address";
import { type EndpointAnswer, type EndpointServer, serveEndpoints } from "../../../support/endpointServer";

/** One request to an address that is really served; what a probe makes of the answer is in cluster/wait/probe.test.ts. */

let server: EndpointServer;
beforeEach(async () => {
  server = await serveEndpoints();
});
afterEach(() => server.close());

function answerTo(answer: EndpointAnswer, signal = new AbortController().signal) {
  server.answer = answer;
  return askAddress({ url: new URL(`${server.url}/web`), method: "GET", headers: { "X-Own": "own" }, signal });
}

it("reads only a part of a body that never ends, and sends no headers of ours", async () => {
  expect(await answerTo("endless", AbortSignal.timeout(5_000))).toEqual({ status: 200 });
  const headers = { "x-own": "own", host: new URL(server.url).host, connection: "keep-alive" };
  expect(server.requests).toEqual([{ method: "GET", path: "/web", body: "", headers }]);
});

it("ends with the reason of its signal, if no answer comes", async () => {
  const limit = new AbortController();
  const answer = answerTo("silent", limit.signal);
  setTimeout(() => limit.abort(new Error("late")), 50);
  await expect(answer).rejects.toThrow(/^late$/);
});
