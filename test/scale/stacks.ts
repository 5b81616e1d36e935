import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestEntry } from "../../provider/api/http/transport";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../simulator";
import { canaryKey } from "../engine/harness";
import { type Run, type Running, Workspace } from "../engine/workspace";

/** A stack with so many clusters. */
interface Stack {
  readonly name: string;
  readonly count: number;
}

export interface Ended extends Run {
  readonly startMs: number;
  readonly endMs: number;
}

/** Stacks that share nothing but a key of one simulator. */
export class Stacks {
  readonly #workspaces = new Map<string, Workspace>();

  private constructor(readonly simulator: Simulator) {}

  static async open(stacks: readonly Stack[], options: SimulatorOptions): Promise<Stacks> {
    const gpuTypes = [{ type: "l4", name: "NVIDIA L4", memoryGb: 24, pricePerHour: 0.44, stock: 10_000 }];
    const opened = new Stacks(await startSimulator({ apiKeys: { [canaryKey]: "org_test" }, gpuTypes, ...options }));
    const env = { GPUCLUSTER_BASE_URL: opened.simulator.url, GPUCLUSTER_API_KEY: canaryKey };
    for (const { name, count } of stacks) {
      const program = `for (let index = 0; index < ${count}; index++) {
        new gpu.Cluster("${name}-" + index, { gpuType: "l4", container: "acme/model:1" });
      }`;
      const workspace = new Workspace({ env, program });
      workspace.env["GPUCLUSTER_LOG"] = `json:${logOf(workspace)}`;
      opened.#workspaces.set(name, workspace);
      workspace.init();
    }
    opened.simulator.requests.splice(0);
    return opened;
  }

  /** One `pulumi up`. */
  async up(name: string): Promise<Ended> {
    const startMs = Date.now();
    const run = await this.start(name).ended;
    return { ...run, startMs, endMs: Date.now() };
  }

  /** Starts one `pulumi up`. */
  start(name: string): Running {
    return this.#workspace(name).start("up", "--yes", "--skip-preview", "--parallel", "256");
  }

  /** The requests of a stack up to its first creation, as its provider logs them. */
  untilCreation(name: string): RequestEntry[] {
    const lines = readFileSync(logOf(this.#workspace(name)), "utf8")
      .trimEnd()
      .split("\n");
    const entries = lines.map((line): RequestEntry => JSON.parse(line));
    return entries.slice(0, entries.findIndex(({ method }) => method === "POST") + 1);
  }

  /** When the clusters of a stack were created, the first one first. */
  createdMs(name: string): number[] {
    const own = this.simulator.clusters().filter((cluster) => cluster.name.startsWith(`${name}-`));
    return own.map(({ createdAt }) => Date.parse(createdAt)).sort((a, b) => a - b);
  }

  /** All requests, and the share of them that the rate limit refused. */
  traffic(): { readonly sent: number; readonly refused: number } {
    const sent = this.simulator.requests.length;
    return { sent, refused: this.simulator.requests.filter(({ status }) => status === 429).length / sent };
  }

  /** The window of a time: when its first request came, and how many came before that time. */
  windowAt(atMs: number, windowMs: number): { readonly beganMs: number; readonly used: number } {
    let window = { beganMs: Number.NEGATIVE_INFINITY, used: 0 };
    for (const { at } of this.simulator.requests) {
      if (at >= atMs) break;
      window = at >= window.beganMs + windowMs ? { beganMs: at, used: 1 } : { ...window, used: window.used + 1 };
    }
    return window;
  }

  #workspace(name: string): Workspace {
    const workspace = this.#workspaces.get(name);
    if (!workspace) throw new Error(`there is no stack ${name}`);
    return workspace;
  }

  async close(): Promise<void> {
    await this.simulator.close();
    for (const workspace of this.#workspaces.values()) workspace.remove();
  }
}

function logOf({ folder }: Workspace): string {
  return join(folder, "requests.log");
}

/** Stacks of one size. */
export function stacksOf(count: number, perStack: number): Stack[] {
  return Array.from({ length: count }, (_, index) => ({ name: `s${index}`, count: perStack }));
}
