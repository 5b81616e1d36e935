import { parseArgs } from "node:util";
import { redactor } from "../api/redact/redactor";
import { type Connection, resolveConnection } from "../config";
import { ConfigError, messageOf } from "../errors";
import { examine } from "./examine";
import { coloured, plain, render } from "./render";
import { reportOf } from "./report";

export const usage = `Usage: pulumi-gpucluster doctor [options]
       pulumi-gpucluster report --help

Shows what the provider understands of a GPU cluster service with your key:
which endpoints answer and in which form, the names that requests would hold,
the GPU types, the rate limit. It sends about ten reads and never a write.

The address and the key come from the environment: GPUCLUSTER_BASE_URL and
GPUCLUSTER_API_KEY. The config of a stack is not read. For an entry of
gpucluster:connections, set the two variables to what it names.

  --json     one JSON document in place of the text
  --names    show the names of clusters
  --help     this text

Exit code: 0 if a cluster could be managed, 1 if not, 2 for a wrong command.
No key and no value of env is shown, and no name of a cluster without --names.
`;

/** The output of the process, and its exit code. */
export interface Outcome {
  readonly code: 0 | 1 | 2;
  readonly out: string;
  readonly err: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Options {
  readonly json?: boolean;
  readonly names?: boolean;
}

/** Runs a command line. */
export async function run(args: readonly string[], env: Environment, isTerminal = false): Promise<Outcome> {
  const options = parse(args);
  if (typeof options === "string") {
    const err = `pulumi-gpucluster: ${options}\nSee pulumi-gpucluster --help.\n`;
    return { code: 2, out: "", err };
  }
  if (options.help) return { code: 0, out: usage, err: "" };
  const connection = connectionOf(env);
  if (typeof connection === "string") return unconfigured(connection, options);
  return doctor(connection, options, isTerminal && !env["NO_COLOR"]);
}

async function doctor(connection: Connection, { json, names = false }: Options, hasColours: boolean): Promise<Outcome> {
  const hideKey = redactor([connection.apiKey.reveal()]);
  const report = reportOf(await examine(connection), { showNames: names, hideKey });
  const out = json ? asJson(report) : render(report, hasColours ? coloured : plain);
  return { code: report.canManage ? 0 : 1, out, err: "" };
}

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The parsed command line, or its problem. */
function parse(args: readonly string[]): (Options & { readonly help?: boolean }) | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: flags,
      strict: true,
      allowPositionals: true,
    });
    const [command, ...more] = positionals;
    if (values.help || (command === "doctor" && more.length === 0)) return values;
    return command === undefined
      ? "a command is missing: doctor or report"
      : "the commands are doctor, without more words, and report";
  } catch (error) {
    return messageOf(error);
  }
}

const flags = {
  json: { type: "boolean" },
  names: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** The connection of the environment, or its problem. */
function connectionOf(env: Environment): Connection | string {
  try {
    return resolveConnection(() => undefined, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

function unconfigured(problem: string, { json }: Options): Outcome {
  const note = "This command reads the environment only, not the config of a stack.";
  const verdict = `no cluster can be managed: ${problem}. ${note}`;
  if (json) return { code: 1, out: asJson({ canManage: false, verdict }), err: "" };
  return { code: 1, out: "", err: `pulumi-gpucluster: ${problem}.\n${note}\n` };
}
