import { parseCli, readyText, usage } from "./cliOptions";
import { startSimulator } from "./index";

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs the command line behind the word `simulator`: what to print, while a started simulator goes on. */
export async function run(args: readonly string[], env: Environment) {
  const cli = parseCli(args, env);
  if (cli.command === "help") return { code: 0, out: usage, err: "" };
  if (cli.command === "fail") {
    return { code: 2, out: "", err: `pulumi-gpucluster: ${cli.message}\nSee pulumi-gpucluster simulator --help.\n` };
  }
  const simulator = await startSimulator(cli.options);
  const shutDown = () => simulator.close().then(() => process.exit(0));
  process.once("SIGINT", shutDown);
  process.once("SIGTERM", shutDown);
  if (cli.exitWithStdin) process.stdin.once("end", shutDown).once("error", shutDown).resume();
  const { url, apiKey } = simulator;
  const ready = { url, apiKey, dialect: cli.dialectName, pid: process.pid };
  return { code: 0, out: readyText(ready, process.stdout.isTTY === true), err: "" };
}
