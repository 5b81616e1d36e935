// @ts-check
// `npm run bench`: the benchmark of test/bench. `-- --only fleet` or `-- --only engine` runs one part and writes nothing.
// The time limit is a quarter of an hour; `-- --minutes 20` sets another one for a busy machine.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isMain, ROOT, runMain } from "./lib/root.mjs";
import { run } from "./lib/run.mjs";
import { ensurePulumiCli } from "./pulumi-cli.mjs";
import { setup } from "./setup.mjs";

async function main() {
  const { only, minutes } = parseArgs({
    options: { only: { type: "string" }, minutes: { type: "string", default: "15" } },
  }).values;
  await setup();
  // The fleet rows need no CLI.
  const root = only === "fleet" ? undefined : await ensurePulumiCli();
  const folder = join(ROOT, "test", "bench");
  const options = ["--minutes", minutes, ...(only ? ["--only", only] : [])];
  const args = ["-r", join(folder, "loadTypeScript.cjs"), join(folder, "main.ts"), ...options];
  const timeout = Number(minutes) * 60_000;
  const { code } = await run(process.execPath, args, { show: true, env: { PULUMI_CLI_ROOT: root }, timeout });
  if (code === undefined) console.error(`The benchmark took longer than ${minutes} minutes and was ended.`);
  process.exitCode = code === 0 ? 0 : 1;
}

if (isMain(import.meta.url)) await runMain(main);
