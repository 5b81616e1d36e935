#!/usr/bin/env node
import { dialectHelp, parseCli, readyText, usage } from "./cliOptions";
import { startSimulator } from "./index";

async function main(): Promise<void> {
  const cli = parseCli(process.argv.slice(2), process.env);
  if (cli.command === "help" || cli.command === "list-dialects") {
    process.stdout.write(cli.command === "help" ? usage : dialectHelp);
    return;
  }
  if (cli.command === "fail") {
    exitWith(2, cli.message);
    return;
  }
  const simulator = await startSimulator(cli.options);
  const shutDown = () => simulator.close().then(() => process.exit(0));
  process.once("SIGINT", shutDown);
  process.once("SIGTERM", shutDown);
  if (cli.exitWithStdin) process.stdin.once("end", shutDown).once("error", shutDown).resume();
  const { url, apiKey } = simulator;
  const ready = { url, apiKey, dialect: cli.dialectName, pid: process.pid };
  process.stdout.write(readyText(ready, process.stdout.isTTY === true));
}

function exitWith(code: number, message: string): void {
  process.stderr.write(`gpucluster-simulator: ${message}\nSee gpucluster-simulator --help.\n`);
  process.exitCode = code;
}

// A port in use is the usual reason.
main().catch((error: Error) => exitWith(1, error.message));
