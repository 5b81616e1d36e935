import { parseArgs } from "node:util";
import type { Dialect } from "./dialectOptions";
import { describeOptions, dialectSummaries, parseDialect, resolveDialect } from "./dialects";
import { describeFaults, type Fault, parseFault } from "./faults";
import type { SimulatorOptions } from "./simulator";

/** The parsed command line. */
export type CliOptions =
  | { command: "help" }
  | { command: "fail"; message: string }
  | { command: "run"; options: SimulatorOptions; isVerbose: boolean; exitWithStdin: boolean };

// The port and the key are fixed, so that a restarted simulator is the same service, whose clusters are gone. 478 is GPU on
// the keys of a telephone. Ports below 32768 are never the local end of an outgoing connection: Linux takes those from 32768
// (ip_local_port_range), other systems from 49152 (RFC 6335).
const defaultPort = 8478;
// Scanners for secrets (the generic rule of gitleaks) ignore a value of fewer than 10 characters.
const defaultKey = "sim-key";

/** The help text. */
export const usage = `Usage: pulumi-gpucluster simulator [options]

A local server that behaves like the GPU cluster service. It begins without
clusters. The endpoints of its clusters answer like a model server, but no model
runs. When it is ready, it prints the lines that set its address and its key in
a shell; if the output is not a terminal, one line of JSON with url, apiKey and
pid. SIGINT and SIGTERM end it.

Services, for --dialect:
${columns(Object.entries(dialectSummaries))}
Options:
  --dialect NAME       one of these services (default: plain), or JSON with
                       options that change plain, such as
                       '{"updateMethod":"PUT"}'
  --port N             port of 127.0.0.1; 0 takes a free one (default: ${defaultPort})
  --api-key KEY        the only API key (default: ${defaultKey})
  --verbose            print one line for each request to stderr: method, path,
                       status, duration
  --provisioning-ms N  time until all replicas of a cluster are healthy
                       (default: 3000)
  --deletion-ms N      time until a deleted cluster is gone (default: 300)
  --rate-limit N       requests per window (default: 100)
  --rate-window-ms N   length of a window (default: 60000)
  --list-lag-ms N      lists show clusters as they were N ms ago (default: 0)
  --latency-ms N       added to each request (default: 0)
  --fault JSON         a fault (repeatable), such as
                       '{"kind":"drop","when":"after","method":"POST"}'
  --exit-with-stdin    end when standard input closes
  --help               this text

Example: npx pulumi-gpucluster simulator --verbose --provisioning-ms 10000

Faults, by their kind (? marks an optional field):
${columns(describeFaults())}  Each can select the requests or the new clusters that it applies to: method?,
  path?, name?, times?, after?

Options of a service, each with its values; plain has the first of them:
${columns(describeOptions())}`;

/** Rows of a terminal of 80 columns. */
function columns(rows: readonly [string, string][]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const line = new RegExp(`(.{1,${80 - width - 4}})(?: |$)`, "g");
  const wrapped = (text: string) =>
    (text.match(line) ?? []).map((part) => part.trimEnd()).join(`\n${" ".repeat(width + 4)}`);
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${wrapped(text)}`.trimEnd().concat("\n")).join("");
}

const introduction =
  "A simulated GPU cluster service. Run these lines in the terminal that you use for Pulumi; Ctrl-C here ends it.";

/** What a ready simulator prints: lines for a shell if a person reads it, else one line of JSON for programs. */
export function readyText(
  { url, apiKey, pid }: { url: string; apiKey: string; pid: number },
  isTerminal: boolean,
): string {
  if (!isTerminal) return `${JSON.stringify({ url, apiKey, pid })}\n`;
  const lines = [`export GPUCLUSTER_BASE_URL=${url}`, `export GPUCLUSTER_API_KEY=${quoted(apiKey)}`];
  return `${introduction}\n${lines.join("\n")}\n`;
}

/** A string as one word of a shell. */
function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Reads the command line. Errors are returned as a message. */
export function parseCli(args: readonly string[]): CliOptions {
  try {
    const { values } = parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: false });
    if (values.help) return { command: "help" };
    const number = (flag: NumberFlag, max?: number) => parseNumber(flag, values[flag], max);
    return {
      command: "run",
      isVerbose: values.verbose ?? false,
      exitWithStdin: values["exit-with-stdin"] ?? false,
      options: {
        port: number("port", 65_535) ?? defaultPort,
        apiKeys: { [parseKey(values["api-key"])]: "org_default" },
        dialect: parseDialectText(values.dialect ?? "plain"),
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
  verbose: { type: "boolean" },
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

function parseNumber(flag: NumberFlag, text: string | undefined, max?: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,12}$/.test(text) && Number(text) <= (max ?? Number(text))) return Number(text);
  const limit = max === undefined ? "" : ` of at most ${max}`;
  throw new RangeError(`--${flag} must be a whole number${limit}, got "${text}".`);
}

function parseKey(key = defaultKey): string {
  if (/^\S+$/.test(key)) return key;
  throw new RangeError("--api-key must be a key without spaces, and not empty.");
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
