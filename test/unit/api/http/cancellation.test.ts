import { once as event } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { quiet } from "../../../support/virtualClock";
import { once, serve, transportTo } from "./httpHarness";

/** A server whose answers the test gives; `arrival` settles when a request is there. */
async function held() {
  let arrived: (exchange: { request: IncomingMessage; response: ServerResponse }) => void = () => undefined;
  const arrival = new Promise<{ request: IncomingMessage; response: ServerResponse }>((resolve) => {
    arrived = resolve;
  });
  const { url } = await serve((request, response) => {
    request.resume();
    arrived({ request, response });
  });
  return { ...transportTo(url), arrival };
}

test("a read in flight ends at once when its signal aborts, with the reason", async () => {
  const { send, arrival } = await held();
  const controller = new AbortController();
  const pending = send(once("GET", { signal: controller.signal }));
  const { request } = await arrival;
  const closed = event(request.socket, "close");
  controller.abort(new Error("interrupted"));
  await expect(pending).rejects.toThrow(/^interrupted$/);
  await closed;
});

test.each(["POST", "PATCH", "DELETE"])("a %s in flight is let finish although its signal aborts", async (method) => {
  const { send, arrival } = await held();
  const controller = new AbortController();
  const pending = send(once(method, { signal: controller.signal, ...(method === "POST" && { body: "{}" }) }));
  const { response } = await arrival;
  controller.abort(new Error("interrupted"));
  response.end('{"id":"cl_1"}');
  expect((await pending).json).toEqual({ id: "cl_1" });
});

test.each(["GET", "POST"])("a %s whose signal has aborted is not sent", async (method) => {
  let count = 0;
  const { url } = await serve((_request, response) => {
    count += 1;
    response.end("{}");
  });
  const { send } = transportTo(url);
  await expect(send(once(method, { signal: AbortSignal.abort(new Error("no")) }))).rejects.toThrow(/^no$/);
  await quiet();
  expect(count).toBe(0);
});
