import { createServer, type ServerResponse } from "node:http";
import { listenOn, urlOf } from "./server";
import type { SimulatedCluster } from "./snapshot";

/**
 * Serves the endpoints of all clusters at `<url>/<name of the cluster>`, as a model server would: `GET` answers whether it is
 * healthy, `POST` a completion in the shape of OpenAI's API. No model runs.
 */
export async function serveEndpoints(clusters: () => SimulatedCluster[]): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume();
    const [, name] = (request.url ?? "/").split(/[/?]/);
    const cluster = clusters().findLast((candidate) => candidate.name === name && candidate.status !== "gone");
    if (cluster === undefined) return write(response, 404, errorBody(`There is no cluster "${name}".`));
    const replica = cluster.replicaStates.find(({ healthy }) => healthy);
    if (replica === undefined) return write(response, 503, errorBody("No replica is healthy."));
    write(response, 200, request.method === "POST" ? completion(cluster, replica.id) : { status: "ok" });
  });
  await listenOn(server, 0);
  return { url: urlOf(server), close: () => void server.close() };
}

function completion({ name, container }: SimulatedCluster, replica: string): object {
  const content = `This is ${replica} of "${name}". It is simulated: no model runs.`;
  const choice = { index: 0, message: { role: "assistant", content }, finish_reason: "stop" };
  return { object: "chat.completion", model: container, choices: [choice] };
}

function errorBody(message: string): object {
  return { error: { message } };
}

function write(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { "Content-Type": "application/json", Connection: "close" })
    .end(`${JSON.stringify(body)}\n`);
}
