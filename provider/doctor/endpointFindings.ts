import { titleOf } from "../api/http";
import { redactor } from "../api/redact/redactor";
import {
  ApiError,
  ConnectionError,
  isMissingEndpoint,
  isUnauthorized,
  RequestError,
  ResponseShapeError,
} from "../errors";
import { type Examination, type ExaminedPath, pathsOf } from "./examine";
import type { Findings } from "./report";
import { excerptOf, formOf, type Spelling, spellingOf } from "./shapes";

/** The result of reading one endpoint. */
export type EndpointState =
  | "answers"
  /** There is no such endpoint. */
  | "missing"
  /** The key may not use it. */
  | "not allowed"
  | "not readable"
  | "rate limit"
  /** No connection, or no answer in time. */
  | "no answer"
  /** 5xx. */
  | "fails"
  /** Any other status. */
  | "refused"
  | "not asked";

export interface EndpointFinding {
  /** With a shortened id: `GET /v1/clusters/cl_…`. */
  readonly endpoint: string;
  readonly state: EndpointState;
  /** The form of the answer: `{data: [...]}`. */
  readonly form?: string;
  readonly spelling?: Spelling;
  /** The reason why there is no result, without a text of the service. */
  readonly detail?: string;
  /** The beginning of an answer that could not be read, without secrets. */
  readonly excerpt?: string;
}

/** The first match counts. */
const states: readonly (readonly [EndpointState, (error: unknown) => boolean])[] = [
  ["answers", (error) => error === undefined],
  ["rate limit", (error) => error instanceof ApiError && (error.status === 429 || error.outcome === "rate-limited")],
  ["not allowed", isUnauthorized],
  ["missing", isMissingEndpoint],
  ["not readable", (error) => error instanceof ResponseShapeError],
  ["no answer", (error) => error instanceof ConnectionError],
  ["fails", (error) => error instanceof ApiError && error.status >= 500],
];

/** One finding for each endpoint; the list of clusters comes first. */
export function endpointFindings(
  examination: Examination,
  showNames: boolean,
  hideKey: (text: string) => string,
): EndpointFinding[] {
  const hideOthers = redactor(secretsOf(examination, showNames));
  const redact = (text: string) => hideOthers(hideKey(text));
  return pathsOf(examination).map((examined) => findingOf(examination, examined, redact));
}

/** The values of clusters that no excerpt may contain. */
function secretsOf({ list, cluster }: Examination, showNames: boolean): string[] {
  const records = [...(list?.clusters ?? []), ...(cluster ? [cluster] : [])];
  const values = records.flatMap(({ env }) => Object.values(env ?? {})).filter((value) => value !== null);
  return showNames ? values : [...values, ...records.flatMap(({ name }) => name ?? [])];
}

function findingOf(
  { observations, info }: Examination,
  { path, endpoint, subject }: ExaminedPath,
  redact: (text: string) => string,
): EndpointFinding {
  const observation = observations.get(path);
  if (!observation) return { endpoint, state: "not asked" };
  const { json, error } = observation;
  const state = states.find(([, holds]) => holds(error))?.[0] ?? "refused";
  const isOther = state === "answers" && subject === "descriptor" && !info;
  if (isOther) return { endpoint, state: "missing", detail: "no descriptor, something else is there" };
  if (state === "answers") return { endpoint, state, form: redact(formOf(json, subject)), spelling: spellingOf(json) };
  const isAboutClusters = path.startsWith("/v1/clusters");
  const excerpt = json === undefined ? undefined : excerptOf(json, { isAboutClusters, redact });
  return { endpoint, state, detail: detailOf(error), excerpt };
}

/** A code of plain words; any other code may quote something. */
const plainCode = /^[a-z]+(_[a-z]+){0,5}$/i;

function detailOf(error: unknown): string {
  if (error instanceof ResponseShapeError) return error.why ?? "a success status with an error";
  if (error instanceof ApiError) {
    const code = plainCode.test(error.code ?? "") ? [error.code] : [];
    return [`HTTP ${error.status}`, ...code, ...(error.isApiAnswer ? [] : ["not an API answer"])].join(", ");
  }
  // The message without its title.
  return error instanceof RequestError ? error.message.slice(titleOf(error).length + 2) : "";
}

/** The advice for the findings, mostly about settings. Pure. */
export function adviceFor(findings: Findings): string[] {
  return advices.flatMap(({ holds, text }) => (holds(findings) ? [text(findings)] : []));
}

interface Advice {
  readonly holds: (findings: Findings) => boolean;
  readonly text: (findings: Findings) => string;
}

const listOf = ({ endpoints }: Findings): EndpointFinding | undefined => endpoints[0];
const isRefusedKey = (findings: Findings) => listOf(findings)?.detail?.startsWith("HTTP 401") === true;

/** The list is missing, a web page or a redirect, and so is the descriptor: something else is at the address. */
function isElsewhere(findings: Findings): boolean {
  const list = listOf(findings);
  const isNone = list !== undefined && ["missing", "not readable", "refused"].includes(list.state);
  return isNone && list.excerpt === undefined && !findings.update.isDescribed;
}

const advices: readonly Advice[] = [
  {
    holds: (findings) => listOf(findings)?.state === "no answer",
    text: () => "Check GPUCLUSTER_BASE_URL, and whether this machine can reach that address.",
  },
  {
    holds: isRefusedKey,
    text: () => "Check GPUCLUSTER_API_KEY: the service does not know this key.",
  },
  {
    holds: (findings) => listOf(findings)?.state === "not allowed" && !isRefusedKey(findings),
    text: () => "Create a key that may list clusters, in the dashboard of the service.",
  },
  {
    holds: isElsewhere,
    text: () =>
      "Check GPUCLUSTER_BASE_URL: the address may belong to another service. It ends before /v1, because the provider adds that.",
  },
  {
    holds: (findings) => listOf(findings)?.excerpt !== undefined,
    text: () =>
      "Send this output to the maintainers of pulumi-gpucluster: the list of clusters has a form that this version does not know.",
  },
  {
    holds: ({ rateLimit }) => rateLimit.isUsedUp,
    text: ({ rateLimit: { resetInSeconds } }) =>
      `Run this command again ${resetInSeconds === undefined ? "later" : `in ${resetInSeconds} s`}: the rate limit is used up, so some endpoints were not read.`,
  },
  {
    holds: ({ canManage, requestNames }) => canManage && requestNames.certainty === "open",
    text: () =>
      "Set gpucluster:requestNames to `specification` or `client` if you know which names the service accepts: no answer shows them.",
  },
  {
    holds: ({ replicaHealth }) => replicaHealth.source === "none",
    text: () =>
      'Set `healthCheck: "list"` on clusters: the service shows no health of replicas, so the status of a cluster has to be enough.',
  },
  {
    holds: ({ gpuTypes }) => gpuTypes?.certain === false,
    text: () =>
      "Each preview warns of an unlisted gpuType, as with gpucluster:gpuTypeCheck `warn`: the list is not certain. `off` skips this check.",
  },
  {
    holds: ({ canManage, gpuTypes }) => canManage && gpuTypes === undefined,
    text: () =>
      "Set gpucluster:gpuTypeCheck to `off`: no list of GPU types can be read, so a preview cannot check gpuType.",
  },
];
