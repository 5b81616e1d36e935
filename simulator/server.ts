import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, errorAnswer } from "./answers";
import { answer, type Backend, organizationOf } from "./exchange";
import { readBody, recordedBody } from "./router";

/** One request that the simulator has answered. */
export interface RecordedRequest {
  /** The time of arrival on the simulator's clock, in milliseconds. */
  at: number;
  method: string;
  /** With the query, if any. */
  path: string;
  /** The status of the answer, or `dropped` if the connection was broken instead. */
  status: number | "dropped";
  /** The JSON value, else the text; absent without a body. */
  body?: unknown;
  /** The headers without Authorization. */
  headers: Record<string, string | string[] | undefined>;
  /** Absent if the key was not known. */
  organization?: string;
}

/** One request in flight. */
export type OpenRequest = Pick<RecordedRequest, "method" | "path">;

/** The recorded requests of a server. */
export interface RequestBook {
  /** In the order of the answers. */
  readonly answered: RecordedRequest[];
  readonly open: Set<OpenRequest>;
}

/** Serves the backend on 127.0.0.1 and records every request. */
export async function listen(backend: Backend, port: number, book: RequestBook): Promise<Server> {
  const server = createServer((request, response) => {
    // An error while the socket is read or written is the client's concern: the request is dropped.
    serve(backend, book, request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}

/** The address of a listening server. */
export function urlOf(server: Server): string {
  const address = server.address();
  return isAddressInfo(address) ? `http://127.0.0.1:${address.port}` : "";
}

async function serve(
  backend: Backend,
  { answered, open }: RequestBook,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const at = backend.fleet.clock.now();
  const { method = "", url: path = "/" } = request;
  const { authorization, ...headers } = request.headers;
  const body = await readBody(request);
  const incoming = { method, url: parseUrl(path), authorization, body };
  const waiting = { method, path };
  open.add(waiting);
  const result = await answer(backend, incoming).catch((error) =>
    backend.signal.aborted ? { status: 0, wire: "drop" as const } : errorAnswer(error, backend.dialect),
  );
  open.delete(waiting);
  answered.push({
    at,
    method,
    path,
    status: result.wire === "drop" ? "dropped" : result.status,
    body: recordedBody(body),
    headers,
    organization: organizationOf(backend, incoming),
  });
  // Node would write the real time, which would mislead a client that computes the rate windows from this header.
  response.setHeader("Date", new Date(backend.fleet.clock.now()).toUTCString());
  write(result, response);
}

function write({ status, body, text, headers, wire }: Answer, response: ServerResponse): void {
  if (wire === "drop") {
    response.destroy();
    return;
  }
  const content = Buffer.from(text ?? (body === undefined ? "" : JSON.stringify(body)));
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  const length = status === 204 || status === 304 ? {} : { "Content-Length": String(content.length) };
  response.writeHead(status, { ...type, ...headers, ...length });
  if (wire === "truncate") {
    response.write(content.subarray(0, Math.ceil(content.length / 2)), () => response.destroy());
  } else {
    response.end(content);
  }
}

function parseUrl(path: string): URL {
  // The URL parser would take "//x" for a host name.
  return new URL(`http://localhost${path.startsWith("/") ? path : `/${path}`}`);
}

function isAddressInfo(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
