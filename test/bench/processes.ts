import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Simulator } from "../../simulator";
import { allReadyMs } from "./bound";
import type { Address } from "./contender";
import type { openers } from "./contenders";
import { type Figures, mean } from "./figures";
import { type Ending, readyAtMs } from "./fleet";
import { ScaledClock } from "./scaledClock";
import { openService, type ServiceOptions, trafficOf, windowOf } from "./service";

/** The order for one process. */
export interface Order extends Address {
  readonly who: keyof typeof openers;
  readonly prefix: string;
  readonly clusters: number;
  readonly factor: number;
  readonly originMs: number;
}

interface ProcessesRun extends Pick<ServiceOptions, "provisioningMs" | "windowMs"> {
  readonly who: keyof typeof openers;
  readonly processes: number;
  /** The clusters of each process. */
  readonly clusters: number;
  readonly factor: number;
}

/** Fleets of several processes on one key at once: they learn of each other only from the service's rate headers. */
export async function runProcesses(run: ProcessesRun): Promise<Figures> {
  const { who, processes, clusters, provisioningMs, windowMs, factor } = run;
  const children = Array.from({ length: processes }, startChild);
  await Promise.all(children.map((child) => once(child, "message")));
  const clock = new ScaledClock(factor);
  const simulator = await openService(clock, { provisioningMs, windowMs, phaseMs: 0 });
  const startMs = clock.now();
  const { url, apiKey } = simulator;
  const orders = children.map((child, index) =>
    obey(child, { url, apiKey, who, prefix: `process-${index}`, clusters, factor, originMs: clock.originMs }),
  );
  const endings = (await Promise.all(orders)).flat();
  const figures = figuresOf(simulator, endings, { startMs, provisioningMs });
  await simulator.close();
  const boundMs = allReadyMs(processes * clusters, provisioningMs, windowOf({ windowMs, phaseMs: 0 }));
  return figures.seconds === undefined ? figures : { ...figures, ratio: (figures.seconds * 1_000) / boundMs };
}

function figuresOf(
  simulator: Simulator,
  endings: readonly (Ending | null)[],
  { startMs, provisioningMs }: { startMs: number; provisioningMs: number },
): Figures {
  const ready = endings.filter((ending) => ending !== null);
  const failed = endings.length - ready.length;
  const seconds = (Math.max(...ready.map(({ endMs }) => endMs)) - startMs) / 1_000;
  const lag = mean(ready.map(({ made, endMs }) => endMs - readyAtMs(simulator, made, provisioningMs))) / 1_000;
  const traffic = trafficOf(simulator, startMs);
  const refusedPercent = (100 * traffic.refused) / traffic.requests;
  return { ...(failed > 0 ? {} : { seconds, lag }), ...traffic, refusedPercent, failed };
}

function startChild(): ChildProcess {
  return fork(join(__dirname, "oneProcess.ts"), { execArgv: ["-r", join(__dirname, "loadTypeScript.cjs")] });
}

/** Sends a process its order and waits for the results; `null` stands for a failed creation. */
async function obey(child: ChildProcess, order: Order): Promise<(Ending | null)[]> {
  child.send(order);
  const [endings]: unknown[] = await once(child, "message");
  child.disconnect();
  if (!Array.isArray(endings)) throw new Error("a process of the benchmark ended without a result");
  return endings;
}
