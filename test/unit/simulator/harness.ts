import { type Simulator, type SimulatorOptions, startSimulator } from "../../../simulator";

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
export interface Bench {
  simulator: Simulator;
  clock: TestClock;
  call(line: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

const running: Simulator[] = [];

/** Starts a simulator that `stopAll` ends. */
export async function start(options: SimulatorOptions = {}): Promise<Bench> {
  const clock = new TestClock();
  const simulator = await startSimulator({ clock, ...options });
  running.push(simulator);
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
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: parse(text) };
    },
  };
}

/** Starts a simulator with one running cluster. */
export async function startWithCluster(options: SimulatorOptions = {}): Promise<Bench & { id: string; path: string }> {
  const bench = await start(options);
  const { id } = (await bench.call("POST /v1/clusters", web)).body;
  bench.clock.advance(3000);
  return { ...bench, id, path: `/v1/clusters/${id}` };
}

/** Ends every simulator that a test started. */
export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
}

/** A valid create request. */
export const web = {
  name: "web",
  gpu_type: "h100",
  replicas: 3,
  container: "vllm/vllm-openai:v0.6.3",
  env: { A: "1" },
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
