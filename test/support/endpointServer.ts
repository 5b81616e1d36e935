import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenOn, urlOf } from "../../simulator/server";

/** A status, 200 with a body that never ends, or no answer at all. */
export type EndpointAnswer = number | "endless" | "silent";

/** A real HTTP server for the endpoints of all clusters. */
export interface EndpointServer {
  /** Its address; the path of each cluster's endpoint follows. */
  readonly url: string;
  /** The requests, with all of their headers. */
  readonly requests: (Pick<IncomingMessage, "method" | "headers"> & { path: string; body: string })[];
  /** The answer to each request from now on; 200 at first. */
  answer: EndpointAnswer;
  close(): Promise<void>;
}

/** Serves the endpoints of clusters on 127.0.0.1. */
export async function serveEndpoints(): Promise<EndpointServer> {
  const server = createServer(async (request, response) => {
    const { method, url: path = "/", headers } = request;
    let body = "";
    for await (const chunk of request) body += String(chunk);
    served.requests.push({ method, path, headers, body });
    write(served.answer, response);
  });
  await listenOn(server, 0);
  const served: EndpointServer = {
    url: urlOf(server),
    requests: [],
    answer: 200,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return served;
}

function write(answer: EndpointAnswer, response: ServerResponse): void {
  if (answer === "endless") pour(response);
  else if (answer !== "silent") response.writeHead(answer).end();
}

function pour(response: ServerResponse): void {
  if (!response.destroyed) response.write("x".repeat(16_384), () => setImmediate(pour, response));
}
