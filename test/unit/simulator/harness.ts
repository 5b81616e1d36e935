import type { SimulatedCluster, Simulator, SimulatorOptions } from "../../../simulator";
import { closeSimulators, openSimulator } from "../../support/simulators";

/** A clock that only tests move. */
export class TestClock {
  time = Date.parse("2030-01-01T00:00:00Z");

  now(): number {
    return this.time;
  }

  advance(ms: number): void {
    this.time += ms;
  }
}

/** A parsed answer. */
export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of many shapes
  body: any;
  text: string;
  headers: Headers;
}

/** A simulator with a virtual clock, and a client that sends JSON to it. */
export interface Fixture {
  simulator: Simulator;
  clock: TestClock;
  call(line: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

/** Every test closes what it has opened. */
afterEach(closeSimulators);

/** Starts a simulator that the end of the test closes. */
export async function start(options: SimulatorOptions = {}): Promise<Fixture> {
  const clock = new TestClock();
  const simulator = await openSimulator({ clock, ...options });
  return {
    simulator,
    clock,
    async call(line, body, headers) {
      const [method = "", path = ""] = line.split(" ");
      const response = await fetch(simulator.url + path, {
        method,
        redirect: "manual",
        headers: {
          authorization: `Bearer ${simulator.apiKey}`,
          ...(body !== undefined && !(body instanceof Blob) && { "content-type": "application/json" }),
          ...headers,
        },
        body: body === undefined || typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: parse(text) };
    },
  };
}

/** Starts a simulator with one cluster, which runs unless less time has passed. */
export async function startWithCluster(options: SimulatorOptions = {}, ageMs = 3000): Promise<WithCluster> {
  const fixture = await start(options);
  const { id } = (await fixture.call("POST /v1/clusters", web)).body;
  fixture.clock.advance(ageMs);
  return { ...fixture, id, path: `/v1/clusters/${id}` };
}

/** A simulator with one cluster. */
export type WithCluster = Fixture & { id: string; path: string };

const update = { replicas: 2, container: "acme/model:2", env: { B: "2" } };
type Call = readonly [line: string, body?: unknown];
const requests: Readonly<Record<string, Call>> = {
  get: ["GET"],
  status: ["GET /status"],
  stop: ["POST /stop"],
  restart: ["POST /restart"],
  redeploy: ["POST /redeploy"],
  delete: ["DELETE"],
  update: ["PATCH", update],
  env: ["PATCH", { env: update.env }],
  nothing: ["PATCH", { env: { A: "1" }, replicas: 3 }],
  create: ["POST /v1/clusters", { ...update, name: "web", gpu_type: "h100" }],
};

/**
 * Plays a script such as `stop=stopping 300 scale5=409:cluster_busy stock2`: requests with their answers, pauses in
 * milliseconds, and events. Returns the script with the answers that came.
 */
export async function play(fixture: WithCluster, script: string): Promise<string> {
  const played: string[] = [];
  for (const [name = ""] of script.split(" ").map((step) => step.split("="))) {
    const [, verb, number] = /^([a-z]*)(\d+)$/.exec(name) ?? [];
    const call = verb === "scale" ? (["POST /scale", { replicas: Number(number) }] as const) : requests[name];
    if (call) played.push(`${name}=${await answerTo(fixture, call)}`);
    else played.push(name);
    if (verb === "") fixture.clock.advance(Number(number));
    if (verb === "stock") fixture.simulator.setGpuType("h100", { stock: Number(number) });
    if (["running", "failed", "stopped", "gone"].includes(name))
      fixture.simulator.change(fixture.id, { status: name as "gone" });
  }
  return played.join(" ");
}

async function answerTo(fixture: WithCluster, [line, body]: Call): Promise<string> {
  const [method, rest = ""] = line.split(" ");
  const reply = await fixture.call(`${method} ${rest.startsWith("/v1") ? rest : fixture.path + rest}`, body);
  const word = reply.body?.error?.code ?? reply.body?.status ?? "-";
  return reply.status === 200 ? word : `${reply.status}:${word}`;
}

/** What the simulator knows of the cluster. */
export const snapshotOf = ({ simulator, id }: WithCluster): SimulatedCluster =>
  simulator.cluster(id) as SimulatedCluster;

/** A valid create request. */
export const web = {
  name: "web",
  gpu_type: "h100",
  replicas: 3,
  container: "acme/model:1",
  env: { A: "1" },
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
