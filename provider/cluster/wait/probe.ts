import type { AddressAnswer, AddressRequest } from "../../api/http/address";
import { cleanText } from "../../base/text";
import { version } from "../../base/version";
import type { ReadinessProbe } from "../model/fields";
import type { CheckedInputs } from "../model/stateFields";

/** The readiness probe: its requests, and the judgement of their answers. Pure, but for the sender that `answerOf` gets. */

/** A probe with its defaults. */
export interface Probe extends Pick<ReadinessProbe, "path" | "port" | "status" | "body"> {
  /** The request in messages, without its query: `GET /health`. */
  readonly title: string;
  readonly method: AddressRequest["method"];
  readonly headers: AddressRequest["headers"];
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly successThreshold: number;
}

type Asking = Pick<CheckedInputs, "readinessProbe" | "skipAwait" | "desiredStatus">;

/** The probe of a cluster; `undefined` if the inputs have none, or if nothing waits for a running cluster. */
export function probeOf({ readinessProbe, skipAwait, desiredStatus }: Asking): Probe | undefined {
  if (readinessProbe === undefined || skipAwait || desiredStatus === "stopped") return undefined;
  const { period = 10, timeout = 10, method = "GET", successThreshold = 1, headers = {}, body } = readinessProbe;
  const { path, port, status } = readinessProbe;
  const shown = `${port === undefined ? "" : `:${port}`}${path.replace(/\?.*$/s, "")}`;
  return {
    ...{ path, port, status, body, method, successThreshold },
    title: `${method} ${cleanText(shown, 100)}`,
    headers: withDefaults(headers, body),
    periodMs: period * 1_000,
    timeoutMs: timeout * 1_000,
  };
}

/** The headers with those that the program leaves out. Servers of models refuse a JSON body without its type. */
function withDefaults(headers: AddressRequest["headers"], body: string | undefined): AddressRequest["headers"] {
  const given = Object.keys(headers).map((name) => name.toLowerCase());
  const isTyped = body === undefined || !isJson(body) || given.includes("content-type");
  return {
    ...(given.includes("user-agent") ? {} : { "User-Agent": `pulumi-gpucluster/${version}` }),
    ...(isTyped ? {} : { "Content-Type": "application/json" }),
    ...headers,
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The URL of a probe below the endpoint; the reason if there is none. The host is always that of the endpoint. */
export function addressOf(endpoint: string | undefined, { path, port }: Pick<Probe, "path" | "port">): URL | string {
  if (!endpoint) return "the service shows no endpoint";
  const text = endpoint.includes("://") ? endpoint : `https://${endpoint}`;
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return "the service shows an endpoint that is no web address";
  const base = new URL(text);
  const url = new URL(base.origin);
  const [, own = path, query = ""] = /^(.*?)(\?.*)?$/s.exec(path) ?? [];
  // Setters of a URL cannot change its host, whatever the text is.
  url.pathname = `${base.pathname.replace(/\/+$/, "")}${own}`;
  url.search = query;
  if (port !== undefined) url.port = String(port);
  return url;
}

/** The result of one probe: a status, or the reason why there is none. */
export type ProbeResult =
  | { readonly status: number; readonly isElsewhere?: boolean }
  | { readonly problem: string; readonly status?: undefined };

const mostRedirects = 5;

/** Sends the request of a probe, and follows redirects within the scheme, host and port of the endpoint. */
export async function answerOf(
  send: (request: AddressRequest) => Promise<AddressAnswer>,
  { method, headers, body, status: wanted }: Probe,
  first: URL,
  signal: AbortSignal,
): Promise<ProbeResult> {
  let url = first;
  for (let followed = 0; ; followed += 1) {
    const answer = await send({ url, method, headers, body, signal });
    const next = answer.status === wanted ? undefined : targetOf(answer, url);
    if (!next || method === "POST" || followed === mostRedirects || next.origin !== first.origin) {
      return answer.status === undefined
        ? answer
        : { status: answer.status, isElsewhere: next !== undefined && next.origin !== first.origin };
    }
    url = next;
  }
}

/** The address that a redirect names. */
function targetOf(answer: AddressAnswer, from: URL): URL | undefined {
  if (answer.status === undefined || ![301, 302, 303, 307, 308].includes(answer.status)) return undefined;
  const { location } = answer;
  return location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}

export interface ProbeVerdict {
  readonly isReady: boolean;
  /** Right answers in a row, this one included. */
  readonly successes: number;
  readonly summary: string;
}

/** Judges the result of one probe after `before` right answers in a row. */
export function judgeProbe(
  result: ProbeResult,
  before: number,
  { title, status: wanted, successThreshold }: Pick<Probe, "title" | "status" | "successThreshold">,
): ProbeVerdict {
  if (result.status === undefined) return { isReady: false, successes: 0, summary: `${title}: ${result.problem}` };
  const { status, isElsewhere = false } = result;
  const said = `${title} answers ${status}`;
  const isRight = wanted === undefined ? status >= 200 && status < 300 : status === wanted;
  const hint = isElsewhere ? ", a redirect to another address, which is not followed" : "";
  if (!isRight) return { isReady: false, successes: 0, summary: `${said}${hint}` };
  const successes = before + 1;
  const count = successThreshold > 1 ? ` (${successes} of ${successThreshold} in a row)` : "";
  return { isReady: successes >= successThreshold, successes, summary: `${said}${count}` };
}

/** The right answer, for the error at the time limit. */
export function wantedOf({ status, successThreshold }: Pick<Probe, "status" | "successThreshold">): string {
  const times = successThreshold > 1 ? `, ${successThreshold} times in a row` : "";
  return `\`readinessProbe\` asks for ${status === undefined ? "a status from 200 to 299" : `the status ${status}`}${times}`;
}
