import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { listenOn, urlOf } from "../../simulator/server";

/** How the served endpoint answers. */
export type EndpointAnswer =
  | { kind: "status"; status: number; body?: string }
  /** As the first step: nothing listens, so the connection is refused. Its `forMs` is real time; then it answers 200. */
  | { kind: "refused" }
  /** A redirect; to `/ready` of the same host, which answers 200, or to another host. */
  | { kind: "redirect"; to: "same-host" | "other-host"; status?: number }
  /** 200 after this real time. */
  | { kind: "slow"; ms: number }
  /** 200 with a body that never ends. */
  | { kind: "endless" }
  /** The connection stays open without an answer. */
  | { kind: "silent" }
  /** The connection breaks without an answer. */
  | { kind: "broken" };

/** One answer for some time, by the simulator's clock, or for a number of requests; the last one stays. */
export type EndpointStep = EndpointAnswer & { forMs?: number; times?: number };

/** One request to the endpoint of a cluster, with all of its headers. */
export interface EndpointRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A real HTTP server for the endpoints of all clusters. */
export interface EndpointServer {
  /** Its address; the path of each cluster's endpoint follows. */
  readonly url: string;
  readonly requests: EndpointRequest[];
  /** Replaces the script; its time begins now. */
  answer(...script: EndpointStep[]): Promise<void>;
  close(): Promise<void>;
}

const answered: EndpointStep = { kind: "status", status: 200 };

/** Serves the endpoints of clusters on 127.0.0.1. */
export async function serveEndpoints(first: EndpointStep[], clock: { now(): number }): Promise<EndpointServer> {
  let next = player(first, clock);
  let late: NodeJS.Timeout | undefined;
  const requests: EndpointRequest[] = [];
  const server = createServer((request, response) => {
    record(request, requests).then(
      () => write(request.url === "/ready" ? answered : next(), response),
      () => request.socket.destroy(),
    );
  });
  // The first start finds a free port; `refused` leaves it for a while.
  await listenOn(server, 0);
  const url = urlOf(server);
  const port = Number(new URL(url).port);
  const open = async () => {
    if (!server.listening) await listenOn(server, port);
  };
  const answer = async (...steps: EndpointStep[]) => {
    clearTimeout(late);
    next = player(steps, clock);
    const [step] = steps;
    if (step?.kind !== "refused") return open();
    await closed(server);
    if (step.forMs !== undefined) late = setTimeout(() => void open().catch(() => undefined), step.forMs);
  };
  await answer(...first);
  return {
    url,
    requests,
    answer,
    close: () => {
      clearTimeout(late);
      return closed(server);
    },
  };
}

/** Returns the step for each request, one after the other. */
function player(script: readonly EndpointStep[], clock: { now(): number }): () => EndpointStep {
  const rest = [...script];
  let since = clock.now();
  let count = 0;
  return () => {
    for (let [step] = rest; step && rest.length > 1; [step] = rest) {
      const { forMs = Number.POSITIVE_INFINITY, times = Number.POSITIVE_INFINITY } = step;
      if (clock.now() < since + forMs && count < times) break;
      since = Math.min(clock.now(), since + forMs);
      count = 0;
      rest.shift();
    }
    count += 1;
    return rest[0] ?? answered;
  };
}

async function record(request: IncomingMessage, requests: EndpointRequest[]): Promise<void> {
  const { method = "", url: path = "/", headers } = request;
  let body = "";
  for await (const chunk of request) body += String(chunk);
  requests.push({ method, path, headers, body });
}

function write(step: EndpointStep, response: ServerResponse): void {
  switch (step.kind) {
    case "status":
      response.writeHead(step.status).end(step.body);
      return;
    case "redirect":
      response.writeHead(step.status ?? 302, { Location: targets[step.to] }).end();
      return;
    case "slow":
      setTimeout(() => response.end("ready"), step.ms).unref();
      return;
    case "endless":
      pour(response);
      return;
    case "silent":
      return;
    case "refused":
      // The time without a server is over.
      response.end();
      return;
    default:
      response.destroy();
  }
}

const targets = { "same-host": "/ready", "other-host": "http://localhost:9/elsewhere" };

function pour(response: ServerResponse): void {
  if (!response.destroyed) response.write("x".repeat(16_384), () => setImmediate(pour, response));
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
