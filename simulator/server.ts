import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Answer, errorAnswer } from "./answers";
import { answer, type Backend, organizationOf } from "./backend";
import { type RawRequest, recordedBody } from "./router";

/** One request that the simulator has answered. */
export interface RecordedRequest {
  /** The time of arrival on the simulator's clock, in milliseconds. */
  at: number;
  method: string;
  /** With the query, if any. */
  path: string;
  /** The status of the answer, or `dropped` if the connection was closed instead. */
  status: number | "dropped";
  /** The JSON value, or the string if it is no JSON; absent without a body. */
  body?: unknown;
  /** The headers without Authorization. */
  headers: Record<string, string | string[] | undefined>;
  /** Absent if the key was not known. */
  organization?: string;
}

/** One request in flight. */
export type OpenRequest = Pick<RecordedRequest, "method" | "path">;

/** What the server reports about its requests. */
export interface RequestLog {
  /** The requests in flight, oldest first. */
  readonly open: Set<OpenRequest>;
  /** Called for each answered request. */
  onAnswer(request: RecordedRequest): void;
}

/** Serves the backend on 127.0.0.1. */
export async function listen(backend: Backend, port: number, log: RequestLog): Promise<Server> {
  const server = createServer((request, response) => {
    // An error while the socket is read or written is the client's concern: the request is dropped.
    serve(backend, log, request, response).catch(() => request.socket.destroy());
  });
  await listenOn(server, port);
  return server;
}

/** @param port Of 127.0.0.1; 0 for a free one. */
export function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}

/** The address of a listening server. */
export function urlOf(server: Server): string {
  const address = server.address();
  return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : "";
}

async function serve(backend: Backend, log: RequestLog, message: IncomingMessage, response: ServerResponse) {
  const at = backend.fleet.clock.now();
  const { method = "", url: path = "/" } = message;
  const { authorization, ...headers } = message.headers;
  const body = await readBody(message);
  const request = { method, url: parseUrl(path), authorization, contentType: headers["content-type"], body };
  const open = { method, path };
  log.open.add(open);
  const result = await answerOrFail(backend, request);
  log.open.delete(open);
  log.onAnswer({
    at,
    method,
    path,
    status: result.connection === "drop" ? "dropped" : result.status,
    body: recordedBody(body),
    headers,
    organization: organizationOf(backend, request),
  });
  // Node would write the real time, which would mislead a client that computes the rate windows from this header.
  response.setHeader("Date", new Date(backend.fleet.clock.now()).toUTCString());
  write(result, response);
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The answer to a request. One that waits when the simulator closes is dropped. */
async function answerOrFail(backend: Backend, request: RawRequest): Promise<Answer> {
  try {
    return await answer(backend, request);
  } catch (error) {
    return backend.signal.aborted ? { status: 0, connection: "drop" } : errorAnswer(error, backend.dialect);
  }
}

function write({ status, body, text, headers, connection }: Answer, response: ServerResponse): void {
  if (connection === "drop") {
    response.destroy();
    return;
  }
  const content = Buffer.from(text ?? (body === undefined ? "" : JSON.stringify(body)));
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  const length = status === 204 || status === 304 ? {} : { "Content-Length": String(content.length) };
  response.writeHead(status, { ...type, ...headers, ...length });
  if (connection === "truncate") {
    response.write(content.subarray(0, Math.ceil(content.length / 2)), () => response.destroy());
  } else {
    response.end(content);
  }
}

function parseUrl(path: string): URL {
  // The URL parser would take "//x" for a host name.
  return new URL(`http://localhost${path.startsWith("/") ? path : `/${path}`}`);
}
