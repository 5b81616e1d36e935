#!/usr/bin/env node
import { run as runDoctor } from "../provider/doctor/main";

/** `npx pulumi-gpucluster`: the doctor, and the report about the clusters of stacks. */

async function run([command, ...args]: readonly string[]) {
  if (command !== "report") return runDoctor(process.argv.slice(2), process.env, process.stdout.isTTY);
  // Loaded only here, because it loads the Pulumi SDK, which the doctor does not need.
  const { runReport } = await import("./automation/reportCommand.js");
  return runReport(args);
}

async function main(): Promise<void> {
  const { code, out, err } = await run(process.argv.slice(2));
  process.stdout.write(out);
  process.stderr.write(err);
  process.exitCode = code;
}

if (require.main === module)
  main().catch((error: unknown) => {
    process.stderr.write(`pulumi-gpucluster: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
