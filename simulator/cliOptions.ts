import { parseArgs } from "node:util";
import type { Dialect } from "./dialectOptions";
import { dialectLines, dialectNames, parseDialect, resolveDialect } from "./dialects";
import { type Fault, faultLines, parseFault } from "./faults";
import type { SimulatorOptions } from "./index";

/** The parsed command line. */
export type CliOptions =
  | { command: "help" }
  | { command: "fail"; message: string }
  | { command: "run"; options: SimulatorOptions; dialectName: string; exitWithStdin: boolean };

/** The help text. */
export const usage = `Usage: pulumi-gpucluster simulator [options]

A local server that behaves like the GPU cluster service. When it is ready, it prints the lines that
set its address and its key in a shell; if the output is no terminal, one line of JSON with url,
apiKey, dialect and pid. SIGINT and SIGTERM end it.

  --port N               port on 127.0.0.1 (default: a free one)
  --api-key KEY          the one API key (default: $GPUCLUSTER_API_KEY, else a generated one)
  --dialect NAME         reading of the specification (default: plain), one of
                         ${dialectNames};
                         or options on top of plain in JSON, such as '{"updateMethod":"PUT"}'; see below
  --provisioning-ms N    time until all replicas of a cluster are healthy (default: 3000)
  --deletion-ms N        time until a deleted cluster is gone (default: 300)
  --rate-limit N         requests per window (default: 100)
  --rate-window-ms N     length of a window (default: 60000)
  --list-lag-ms N        lists show clusters as they were N ms ago (default: 0)
  --latency-ms N         added to each request (default: 0)
  --fault JSON           a fault, such as
                         '{"kind":"drop","when":"after","method":"POST"}' (repeatable)
  --exit-with-stdin      end when standard input closes
  --help                 this text

Example: npx pulumi-gpucluster simulator --port 8080 --provisioning-ms 10000

Faults, by their kind (? marks an optional field):
${faultLines()
  .map((line) => `  ${line}\n`)
  .join("")}  Each takes the requests or the new clusters that it applies to: method?, path?, name?, times?, after?

Options of a dialect, each with its values; plain has the first of them:
${dialectLines()
  .map((line) => `  ${line}\n`)
  .join("")}`;

const whatItIs =
  "A simulated GPU cluster service. Run these lines in the terminal that you use for Pulumi; Ctrl-C here ends it.";

/** What the command prints when the simulator is ready: lines for a shell, or JSON for programs. */
export function readyText(
  { url, apiKey, dialect, pid }: { url: string; apiKey: string; dialect: string; pid: number },
  isTerminal: boolean,
): string {
  if (!isTerminal) return `${JSON.stringify({ url, apiKey, dialect, pid })}\n`;
  const lines = [`export GPUCLUSTER_BASE_URL=${url}`, `export GPUCLUSTER_API_KEY=${quoted(apiKey)}`];
  return `${whatItIs}\n${lines.join("\n")}\n`;
}

/** A text as one word of a shell. */
function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Reads the command line. Pure: errors come back as a message. */
export function parseCli(args: readonly string[], env: Readonly<Record<string, string | undefined>>): CliOptions {
  try {
    const { values } = parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: false });
    if (values.help) return { command: "help" };
    const apiKey = values["api-key"] ?? env.GPUCLUSTER_API_KEY;
    const dialectName = values.dialect ?? "plain";
    const dialect = parseDialectText(dialectName);
    const number = (flag: NumberFlag) => parseNumber(flag, values[flag]);
    return {
      command: "run",
      dialectName,
      exitWithStdin: values["exit-with-stdin"] ?? false,
      options: {
        port: number("port"),
        apiKeys: apiKey ? { [apiKey]: "org_default" } : undefined,
        dialect,
        provisioningMs: number("provisioning-ms"),
        deletionMs: number("deletion-ms"),
        rateLimit: number("rate-limit"),
        rateWindowMs: number("rate-window-ms"),
        listLagMs: number("list-lag-ms"),
        latencyMs: number("latency-ms"),
        faults: values.fault?.map(parseFaultText),
      },
    };
  } catch (error) {
    return { command: "fail", message: error instanceof Error ? error.message : String(error) };
  }
}

const flags = {
  port: { type: "string" },
  "api-key": { type: "string" },
  dialect: { type: "string" },
  "provisioning-ms": { type: "string" },
  "deletion-ms": { type: "string" },
  "rate-limit": { type: "string" },
  "rate-window-ms": { type: "string" },
  "list-lag-ms": { type: "string" },
  "latency-ms": { type: "string" },
  fault: { type: "string", multiple: true },
  "exit-with-stdin": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

type NumberFlag = "port" | "rate-limit" | `${"provisioning" | "deletion" | "rate-window" | "list-lag" | "latency"}-ms`;

function parseNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new RangeError(`--${flag} must be a whole number, got "${text}".`);
}

function parseDialectText(text: string): string | Partial<Dialect> {
  if (text.startsWith("{")) return parseDialect(parseJson("dialect", text));
  resolveDialect(text);
  return text;
}

function parseFaultText(text: string): Fault {
  return parseFault(parseJson("fault", text));
}

function parseJson(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TypeError(`--${flag} must be JSON, got "${text}".`);
  }
}
