import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { creation, sweeps, warmUp } from "./fleets";
import { memory } from "./memory";
import { pageOf, tableOf } from "./page";
import { plotOfRequests, plotOfTimes } from "./plot";
import { unchangedPreview } from "./previews";
import { sharedKey } from "./processes";
import { missesOf, type Row } from "./rows";

const docs = resolve(__dirname, "../../docs");

async function main(): Promise<void> {
  await warmUp(60);
  const rows: Row[] = [];
  const add = (...added: Row[]) => {
    // At once, because the whole run takes minutes.
    for (const row of added) console.log(`${row.run}: ${JSON.stringify(row.ours)}`);
    rows.push(...added);
  };
  // Small fleets keep the process idle, so they run side by side, but not beside larger ones.
  for (const clusters of [1, 10]) add(...(await Promise.all([creation(clusters, 30), creation(clusters, 300)])));
  add(await creation(100, 30));
  add(await creation(100, 300));
  add(await creation(500, 30));
  add(await creation(500, 300));
  add(...(await sweeps()));
  add(await sharedKey());
  add(await unchangedPreview());
  add(await memory());
  const misses = missesOf(rows);
  console.log(`\n${tableOf(rows)}\n`);
  for (const miss of misses) console.log(`MISSED ${miss}`);
  if (misses.length > 0) process.exitCode = 1;
  writeFileSync(join(docs, "benchmark.svg"), plotOfTimes(rows));
  writeFileSync(join(docs, "benchmark-requests.svg"), plotOfRequests(rows));
  writeFileSync(join(docs, "benchmark.md"), pageOf(rows));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
