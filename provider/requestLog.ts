import { appendFileSync } from "node:fs";
import { debuglog } from "node:util";
import { ConfigError } from "./errors";

/** Where requests are logged: to standard error, or to the end of a file. */
export type LogTarget = "stderr" | { readonly file: string };

/** One request to the service, for the log. Absent fields are not known. */
export interface RequestEntry {
  /** When the request was given to the chain, in ISO 8601. */
  readonly time: string;
  readonly method: string;
  /** The path with names in place of its parameters: `/v1/clusters/{id}`. */
  readonly route: string;
  readonly status?: number | undefined;
  /** 1 for the first sending of a request. */
  readonly attempt: number;
  /** From sending to the last byte, in milliseconds; absent if it was not sent. */
  readonly durationMs?: number | undefined;
  /** The wait for the rate budget, in milliseconds. */
  readonly waitedMs: number;
  /** Requests left in the window of the rate limit, as the answer says. */
  readonly remaining?: number | undefined;
  /** The id of the cluster in the path. */
  readonly cluster?: string | undefined;
  /** The resource that the request is about: `cluster "web" (cl_1)`. */
  readonly subject?: string | undefined;
  /** The service's own id of the request. */
  readonly requestId?: string | undefined;
  readonly error?: string | undefined;
}

export type RequestLog = (entry: RequestEntry) => void;

const debug = debuglog("gpucluster");
const dropped = (error: unknown) => debug("a line of the log could not be written: %s", error);

/**
 * Writes one line of JSON for each request. Several processes may write to one file.
 * @throws ConfigError if the file cannot be written. Later, a line that cannot be written is dropped: it must not fail an
 * operation.
 */
export function requestLog(target: LogTarget): RequestLog {
  const write = (text: string) =>
    target === "stderr" ? void process.stderr.write(text) : appendFileSync(target.file, text, { mode: 0o600 });
  // Without a listener, a pipe that its reader has closed would end the process.
  if (target === "stderr" && !process.stderr.listeners("error").includes(dropped)) process.stderr.on("error", dropped);
  try {
    write("");
  } catch (error) {
    throw new ConfigError(`GPUCLUSTER_LOG names a file that cannot be written (${codeOf(error)})`);
  }
  return (entry) => {
    try {
      write(`${JSON.stringify(entry)}\n`);
    } catch (error) {
      dropped(error);
    }
  };
}

/** Not the text, which names the path: it is up to 4096 characters long. */
function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : "no code";
}
