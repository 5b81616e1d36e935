import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import type { Job } from "./jobs";
import { plotOf, plotOfProcesses } from "./plot";
import { reportOf } from "./report";
import { type Row, titleOf, whoOf } from "./rows";
import { tableOf } from "./table";
import { missesOf, missText } from "./targets";

/** Duration of the longest of the later jobs: one that begins later than this before the time limit may not end in time. */
const longestJobMinutes = 1;

const docs = resolve(__dirname, "../../docs");

/** The parts, loaded when they are needed: the engine's rows look for the Pulumi CLI when they are loaded. */
const parts: Readonly<Record<string, () => readonly Job[]>> = {
  fleet() {
    const rows: typeof import("./fleetRows") = require("./fleetRows");
    return rows.fleetJobs;
  },
  engine() {
    const rows: typeof import("./engineRows") = require("./engineRows");
    return rows.engineJobs;
  },
};

async function main(): Promise<void> {
  const startMs = performance.now();
  const { only, minutes } = parseArgs({
    options: { only: { type: "string" }, minutes: { type: "string", default: "15" } },
  }).values;
  const chosen = Object.keys(parts).filter((name) => only === undefined || name === only);
  if (chosen.length === 0) throw new Error(`There is no part "${only}". Parts: ${Object.keys(parts).join(", ")}.`);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const rows: Row[] = [];
  let skipped = 0;
  for (const job of chosen.flatMap((name) => parts[name]?.() ?? [])) {
    if (performance.now() - startMs < (Number(minutes) - longestJobMinutes) * 60_000) rows.push(...show(await job()));
    else skipped += 1;
  }
  const latenessMs = Math.max(0, delay.percentile(99) / 1e6 - 5);
  const misses = missesOf(rows);
  console.log(`\n${tableOf(rows, misses)}\n`);
  for (const miss of misses) console.log(`MISSED ${missText(miss)}`);
  if (skipped > 0) console.log(`NOT RUN ${skipped} of the benchmark's runs: the ${minutes} minutes are over`);
  if (misses.length + skipped > 0) process.exitCode = 1;
  if (only !== undefined) return;
  writeFileSync(join(docs, "benchmark.svg"), plotOf(rows));
  writeFileSync(join(docs, "benchmark-processes.svg"), plotOfProcesses(rows));
  writeFileSync(join(docs, "benchmark.md"), reportOf(rows, misses, latenessMs));
}

/** Prints a line for each row as soon as it is measured, because the whole run takes minutes. */
function show(rows: Row[]): Row[] {
  for (const row of rows) console.log(`${titleOf(row)} | ${whoOf(row)} | ${JSON.stringify(row.figures)}`);
  return rows;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
