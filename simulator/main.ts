import { parseCli, readyText, usage } from "./cliOptions";
import { serveEndpoints } from "./endpoints";
import { isRecord } from "./fields";
import type { RecordedRequest } from "./server";
import { openSimulator, type SimulatorOptions } from "./simulator";

/** Runs the command line of `pulumi-gpucluster simulator`. Returns what to print; a started simulator keeps running. */
export async function run(args: readonly string[]) {
  const cli = parseCli(args);
  if (cli.command === "help") return { code: 0, out: usage, err: "" };
  if (cli.command === "fail") return failure(2, `${cli.message}\nSee pulumi-gpucluster simulator --help.`);
  const endpoints = await serveEndpoints(() => simulator?.clusters() ?? []);
  const simulator = await open({ ...cli.options, endpoint: endpoints.url }, cli.isVerbose);
  if (simulator === undefined) {
    endpoints.close();
    const reason = `port ${cli.options.port} of 127.0.0.1 is taken, perhaps by another simulator.`;
    return failure(1, `${reason}\nEnd that program, or choose another port; --port 0 takes a free one.`);
  }
  const shutDown = async () => {
    endpoints.close();
    await simulator.close();
    process.exit(0);
  };
  process.once("SIGINT", shutDown);
  process.once("SIGTERM", shutDown);
  if (cli.exitWithStdin) process.stdin.once("end", shutDown).once("error", shutDown).resume();
  return { code: 0, out: readyText({ ...simulator, pid: process.pid }, process.stdout.isTTY === true), err: "" };
}

/** Opens the simulator; undefined if its port is taken. It keeps no requests, because nothing could read them. */
async function open(options: SimulatorOptions, isVerbose: boolean) {
  try {
    return await openSimulator(options, isVerbose ? printRequest : () => {});
  } catch (error) {
    if (isRecord(error) && error.code === "EADDRINUSE") return undefined;
    throw error;
  }
}

/** Without the query, the headers and the body, which can contain secrets. */
function printRequest({ at, method, path, status }: RecordedRequest): void {
  const [pathname] = path.split("?");
  process.stderr.write(`${method} ${pathname} ${status} ${Date.now() - at} ms\n`);
}

function failure(code: number, message: string) {
  return { code, out: "", err: `pulumi-gpucluster: ${message}\n` };
}
