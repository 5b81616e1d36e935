// @ts-check
// `npm run bench`: the benchmark of test/bench. Writes docs/benchmark.md; exit code 1 if a target is missed.
import { join } from "node:path";
import { isMain, ROOT, runMain } from "./lib/root.mjs";
import { run } from "./lib/run.mjs";
import { ensurePulumiCli } from "./pulumi-cli.mjs";
import { setup } from "./setup.mjs";

/** The benchmark takes ten minutes on two cores. */
const limitMinutes = 15;

async function main() {
  await setup();
  const env = { PULUMI_CLI_ROOT: await ensurePulumiCli() };
  const folder = join(ROOT, "test", "bench");
  const args = ["-r", join(folder, "loadTypeScript.cjs"), join(folder, "main.ts")];
  const { code } = await run(process.execPath, args, { show: true, env, timeout: limitMinutes * 60_000 });
  if (code === undefined) console.error(`The benchmark took longer than ${limitMinutes} minutes and was ended.`);
  process.exitCode = code === 0 ? 0 : 1;
}

if (isMain(import.meta.url)) await runMain(main);
