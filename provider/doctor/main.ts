#!/usr/bin/env node
import { messageOf } from "../errors";
import { run } from "./cli";

async function main(): Promise<void> {
  const { code, out, err } = await run(process.argv.slice(2), process.env, process.stdout.isTTY);
  process.stdout.write(out);
  process.stderr.write(err);
  process.exitCode = code;
}

main().catch((error: unknown) => {
  process.stderr.write(`pulumi-gpucluster: ${messageOf(error)}\n`);
  process.exitCode = 1;
});
