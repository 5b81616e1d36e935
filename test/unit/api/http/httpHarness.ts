import { createServer, type RequestListener, type Server } from "node:http";
import type { Server as NetServer, Socket } from "node:net";
import { keyHider, readAnswer } from "../../../../provider/api/http/answers";
import type { HttpRequest, HttpResponse, RequestKind, Send } from "../../../../provider/api/http/send";
import { Transport, type TransportOptions } from "../../../../provider/api/http/transport";
import { Redactor } from "../../../../provider/base/redact";
import { Secret } from "../../../../provider/config/settings";
import { sources } from "../../../support/sources";
import { VirtualClock } from "../../../support/virtualClock";

/** Stands for an API key; no output may hold it. */
export const canary = "sk-canary-/+=0123456789";

const servers: NetServer[] = [];
const sockets = new Set<Socket>();

/** Serves on a free port of this machine until the end of the test. */
export async function serve(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener);
  return { server, url: await listen(server) };
}

/** The address of a server that listens until the end of the test. */
export async function listen(server: NetServer): Promise<string> {
  servers.push(server);
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
}

/** Every test ends its servers. */
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** The whole chain against a base URL, in virtual time. */
export function transportTo(baseUrl: string, key = canary): { clock: VirtualClock; send: Send } {
  const clock = new VirtualClock();
  const common = { random: () => 0.5, userAgent: "test/1", sources };
  const chain = new Transport({ ...common, baseUrl, apiKey: new Secret(key), clock });
  return { clock, send: (request) => clock.run(chain.send(request)) };
}

/** A transport over such a wire, in virtual time. */
export function transportOver(wire: Send, options: Partial<TransportOptions> & { readonly clock: VirtualClock }): Send {
  const common = { baseUrl: "http://x", apiKey: new Secret(canary), userAgent: "test/1", random: () => 0.5, sources };
  const transport = new Transport({ ...common, ...options, wire });
  return (request) => transport.send(request);
}

/** Reads the answer of a service that always answers so, as one attempt does. */
export function answering(response: Partial<HttpResponse>, key = canary): Send {
  return async (request) => {
    const redactor = request.redactor ?? new Redactor();
    redactor.learn([key]);
    return readAnswer({ ...request, redactor }, { status: 200, headers: {}, body: "", ...response }, keyHider(key));
  };
}

/** The error of a request that has to fail. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** A request of a kind, with the method that it would have. */
export function requestOf(kind: RequestKind = "read", more: Partial<HttpRequest> = {}): HttpRequest {
  const method = { read: "GET", delete: "DELETE", create: "POST", write: "PATCH", action: "POST" }[kind];
  return { kind, method, path: "/v1/clusters", ...more };
}

/** An answer with rate headers. */
export function rateAnswer(headers: Record<string, string> = {}, status = 200): HttpResponse {
  return { status, headers, body: "{}" };
}

/** A request that is tried only once. */
export function once(kind: RequestKind, more: Partial<HttpRequest> = {}): HttpRequest {
  return requestOf(kind, { attempts: 1, ...more });
}
