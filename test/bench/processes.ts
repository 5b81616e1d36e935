import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { boundMs } from "./bound";
import type { Address, Who } from "./contenders";
import { atMost, type Figures, meanOf, type Row } from "./rows";
import { ScaledClock } from "./scaledClock";
import { openService, trafficOf, windowOf } from "./service";

/** The order for one process. */
export interface Order extends Address {
  readonly who: Who;
  readonly prefix: string;
  readonly clusters: number;
  readonly factor: number;
  readonly originMs: number;
}

/** What a process reports when its fleet is ready. */
export interface Report {
  readonly ready: number;
  readonly endMs: number;
}

const processes = 16;
const clusters = 160;
/** Windows of 10 s, so that a run with many windows takes little time; a slow clock, because many processes run at once. */
const run = { provisioningMs: 5_000, windowMs: 10_000, phaseMs: 0 };
const factor = 5;

/** A fleet of several processes on one key, which begin together: they learn of each other only from the rate headers. */
export async function sharedKey(): Promise<Row> {
  // A run ends in its fourth window or its fifth, by a few requests.
  const ours = meanOf([await together("ours"), await together("ours"), await together("ours")]);
  const naive = await together("naive");
  const bound = { seconds: boundMs(clusters, run.provisioningMs, windowOf(run)) / 1_000, requests: 2 * clusters };
  const percent = (100 * (ours.refused ?? Number.NaN)) / (ours.requests ?? 1);
  return {
    run: `create ${clusters}, 5 s, by ${processes} processes on one key`,
    ours,
    naive,
    bound,
    targets: [
      atMost("failed", ours.failed, 0),
      atMost("% of requests refused", percent, 15, 1),
      atMost("s", ours.seconds, 38, 1),
    ],
  };
}

async function together(who: Who): Promise<Figures> {
  const children = Array.from({ length: processes }, startChild);
  await Promise.all(children.map((child) => once(child, "message")));
  const clock = new ScaledClock(factor);
  const simulator = await openService(clock, run);
  const startMs = clock.now();
  const { url, apiKey } = simulator;
  const common = { url, apiKey, who, clusters: clusters / processes, factor, originMs: clock.originMs };
  const reports = await Promise.all(
    children.map((child, index) => obey(child, { ...common, prefix: `process-${index}` })),
  );
  const failed = clusters - reports.reduce((sum, { ready }) => sum + ready, 0);
  const seconds = (Math.max(...reports.map(({ endMs }) => endMs)) - startMs) / 1_000;
  const figures = { ...(failed > 0 ? {} : { seconds }), ...trafficOf(simulator, startMs), failed };
  await simulator.close();
  return figures;
}

function startChild(): ChildProcess {
  return fork(join(__dirname, "oneProcess.ts"), { execArgv: ["-r", join(__dirname, "loadTypeScript.cjs")] });
}

/** Sends a process its order and waits for its report. */
async function obey(child: ChildProcess, order: Order): Promise<Report> {
  child.send(order);
  const [report]: Report[] = await once(child, "message");
  child.disconnect();
  if (!report) throw new Error("a process of the benchmark ended without a report");
  return report;
}
