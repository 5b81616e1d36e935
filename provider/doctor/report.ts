import { updateMethods } from "../api/endpoints";
import { titleOf } from "../api/http";
import type { RateHeaders } from "../api/rateHeaders";
import type { ClusterRecord, GpuList } from "../api/records";
import { redactor } from "../api/redact/redactor";
import { evidenceIn, evidenceOfEmptyList, evidenceOfGpus, type RequestNames } from "../api/requestNames";
import {
  ApiError,
  ConnectionError,
  isMissingEndpoint,
  isUnauthorized,
  RequestError,
  ResponseShapeError,
} from "../errors";
import { cleanText } from "../text";
import type { GpuType, ServiceInfo } from "../types";
import { version } from "../version";
import { type Examination, type ExaminedPath, pathsOf } from "./examine";
import { excerptOf, formOf, type Spelling, spellingOf } from "./shapes";

/** What the provider understands of a service, as data: `--json` prints it, and the text is made from it. Pure. */
export interface Report {
  readonly version: string;
  readonly address: string;
  /** Whether the provider could manage a cluster of this service with this key. */
  readonly canManage: boolean;
  readonly verdict: string;
  /** The number of requests that the examination has sent. */
  readonly requests: number;
  readonly endpoints: readonly EndpointFinding[];
  readonly clusters?: ClustersFinding;
  readonly requestNames: NamesFinding;
  readonly replicaHealth: HealthFinding;
  readonly update: UpdateFinding;
  readonly gpuTypes?: GpuFinding;
  readonly rateLimit: RateFinding;
  /** The service's clock minus the local clock; absent if no answer had a `Date`. */
  readonly clockDifferenceSeconds?: number;
  /** The endpoints that the key may not use. */
  readonly notAllowed: readonly string[];
  readonly advice: readonly string[];
}

export interface ClustersFinding {
  readonly count: number;
  /** False if there may be more. */
  readonly complete: boolean;
  readonly names?: readonly string[];
}

/** Where the health of replicas is read. */
export interface HealthFinding {
  readonly source: "status" | "record" | "none" | "unknown";
}

export interface UpdateFinding {
  /** The update that the descriptor names, such as `PATCH /v1/clusters/:id`. */
  readonly named?: string;
  /** Whether there is a descriptor. */
  readonly isDescribed: boolean;
  /** The methods that the first change tries, whatever the descriptor says. */
  readonly tried: readonly string[];
}

export interface GpuFinding {
  /** Whether an unlisted `gpuType` fails a preview. */
  readonly certain: boolean;
  readonly types: readonly Omit<GpuType, "raw" | "memoryGb">[];
}

export interface RateFinding {
  readonly limit?: number;
  readonly left?: number;
  readonly resetInSeconds?: number;
  /** Whether a request was refused, or not sent, because of the rate limit. */
  readonly isUsedUp: boolean;
}

export interface ReportOptions {
  /** Whether names of clusters are shown. */
  readonly showNames: boolean;
  /** Removes the key from a text. */
  readonly hideKey: (text: string) => string;
}

export function reportOf(examination: Examination, { showNames, hideKey }: ReportOptions): Report {
  const { address, sent, list, gpus, info, rate } = examination;
  const endpoints = endpointFindings(examination, showNames, hideKey);
  const isUsedUp = endpoints.some(({ state }) => state === "rate limit");
  const findings = {
    version,
    address,
    requests: sent,
    ...verdictOf(endpoints),
    endpoints,
    clusters: list && {
      count: list.clusters.length,
      complete: list.complete,
      ...(showNames ? { names: list.clusters.map(({ id, name }) => hideKey(name ?? id)) } : {}),
    },
    requestNames: namesFinding(examination),
    replicaHealth: healthFinding(endpoints, examination.cluster),
    update: updateFinding(info, hideKey),
    gpuTypes: gpus && gpuFinding(gpus, hideKey),
    rateLimit: rateFinding(rate, isUsedUp),
    clockDifferenceSeconds: clockDifference(examination),
    notAllowed: endpoints.filter(({ state }) => state === "not allowed").map(({ endpoint }) => endpoint),
  };
  return { ...findings, advice: adviceFor(findings) };
}

/** The parts of a report from which the advice is made. */
export type Findings = Omit<Report, "advice">;

const verdicts: Readonly<Record<Exclude<EndpointFinding["state"], "answers">, string>> = {
  missing: "the service has no list of clusters at this address",
  "not allowed": "the key may not list clusters",
  "not readable": "the list of clusters cannot be read",
  "rate limit": "the rate limit of the key is used up",
  "no answer": "no answer from the address",
  fails: "the service fails",
  refused: "the service refuses to list clusters",
  "not asked": "the list of clusters was not read",
};

/** Each operation begins or ends with the list of clusters: without the list, nothing is created. */
function verdictOf([list]: readonly EndpointFinding[]): Pick<Report, "canManage" | "verdict"> {
  const canManage = list?.state === "answers";
  const why = list?.detail?.startsWith("HTTP 401") ? "the key is refused" : verdicts[toFailure(list)];
  return { canManage, verdict: canManage ? "a cluster can be managed" : `no cluster can be managed: ${why}` };
}

function toFailure(list: EndpointFinding | undefined): keyof typeof verdicts {
  return list === undefined || list.state === "answers" ? "not asked" : list.state;
}

const healthSources: Readonly<Partial<Record<EndpointFinding["state"], HealthFinding["source"]>>> = {
  answers: "status",
  // Only if the endpoint is missing does the provider read the record in its place.
  "not readable": "none",
  "not allowed": "none",
};

function healthFinding(endpoints: readonly EndpointFinding[], cluster: ClusterRecord | undefined): HealthFinding {
  const state = endpoints.find(({ endpoint }) => endpoint.endsWith("/status"))?.state ?? "not asked";
  if (state === "missing") return { source: cluster?.health ? "record" : "none" };
  return { source: healthSources[state] ?? "unknown" };
}

const updateLine = new RegExp(`^(${updateMethods.join("|")})\\s+\\S*/clusters/[:{<]\\w+[}>]?/?$`, "i");

function updateFinding(info: ServiceInfo | undefined, hideKey: ReportOptions["hideKey"]): UpdateFinding {
  const named = info && linesIn(info.endpoints, 3).find((line) => updateLine.test(line));
  return {
    ...(named ? { named: hideKey(cleanText(named, 60)) } : {}),
    isDescribed: info !== undefined,
    tried: updateMethods,
  };
}

/** The single endpoints that a descriptor names: texts, or objects with a method and a path. */
function linesIn(value: unknown, depth: number): string[] {
  if (typeof value === "string") return [value.trim()];
  if (typeof value !== "object" || value === null || depth < 0) return [];
  const { method, path } = { method: undefined, path: undefined, ...value };
  const own = typeof method === "string" && typeof path === "string" ? [`${method} ${path}`] : [];
  return [...own, ...Object.values(value).flatMap((inner) => linesIn(inner, depth - 1))];
}

function gpuFinding({ gpus, certain }: GpuList, hideKey: ReportOptions["hideKey"]): GpuFinding {
  const clean = (text: string | undefined) => text && hideKey(text);
  const types = gpus.map(({ type, name, currency, pricePerHour, available, availableCount }) => ({
    ...{ type: hideKey(type), name: clean(name), pricePerHour, currency: clean(currency) },
    ...{ available, availableCount },
  }));
  return { certain, types };
}

function rateFinding({ limit, remaining, resetInMs, retryAfterMs }: RateHeaders, isUsedUp: boolean): RateFinding {
  const resetMs = isUsedUp ? (retryAfterMs ?? resetInMs) : resetInMs;
  const resetInSeconds = resetMs === undefined ? undefined : Math.ceil(resetMs / 1000);
  return { limit, left: isUsedUp ? 0 : remaining, resetInSeconds, isUsedUp };
}

/** The median of all answers: an answer with a high latency shows a wrong time. */
function clockDifference({ observations }: Examination): number | undefined {
  const skews = [...observations.values()].flatMap(({ skewMs }) => skewMs ?? []).sort((a, b) => a - b);
  const middle = skews[Math.floor(skews.length / 2)];
  return middle === undefined ? undefined : Math.round(middle / 1000);
}

/** The names that requests would use, and the reason. */
export interface NamesFinding {
  readonly names: RequestNames;
  /**
   * `shown` by an answer, `likely` by the form of an empty list, or `open`: the specification's, or those of a setting.
   */
  readonly certainty: "shown" | "likely" | "open";
  /** The evidence of each answer; the first one decides. */
  readonly evidence: readonly { readonly endpoint: string; readonly names: RequestNames }[];
}

/** The answers in the order in which the provider reads them before a creation. */
function namesFinding(examination: Examination): NamesFinding {
  const { observations, gpus } = examination;
  const evidence = pathsOf(examination).flatMap(({ path, endpoint, subject }) => {
    const { json, error } = observations.get(path) ?? {};
    const isTelling = error === undefined && json !== undefined && subject !== "service";
    const isIdentified = path === "/v1/gpus" || path === "/v1/gpus/models";
    const found = isTelling
      ? (evidenceIn(json) ?? (isIdentified ? evidenceOfGpus(gpus?.gpus ?? []) : undefined))
      : undefined;
    return found ? [{ endpoint, names: found }] : [];
  });
  const [first] = evidence;
  if (first) return { names: first.names, certainty: "shown", evidence };
  const { json, error } = observations.get("/v1/clusters") ?? {};
  const likely = json === undefined || error !== undefined ? undefined : evidenceOfEmptyList(json);
  return { names: likely ?? "specification", certainty: likely ? "likely" : "open", evidence };
}

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
function endpointFindings(
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
function adviceFor(findings: Findings): string[] {
  return advices.flatMap(({ holds, text }) => (holds(findings) ? [text(findings)] : []));
}

const listFinding = ({ endpoints }: Findings): EndpointFinding | undefined => endpoints[0];
const isRefusedKey = (findings: Findings) => listFinding(findings)?.detail?.startsWith("HTTP 401") === true;

/** The list is missing, a web page or a redirect, and so is the descriptor: something else is at the address. */
function isElsewhere(findings: Findings): boolean {
  const list = listFinding(findings);
  const isNone = list !== undefined && ["missing", "not readable", "refused"].includes(list.state);
  return isNone && list.excerpt === undefined && !findings.update.isDescribed;
}

const advices: readonly {
  readonly holds: (findings: Findings) => boolean;
  readonly text: (findings: Findings) => string;
}[] = [
  {
    holds: (findings) => listFinding(findings)?.state === "no answer",
    text: () => "Check GPUCLUSTER_BASE_URL, and whether this machine can reach that address.",
  },
  {
    holds: isRefusedKey,
    text: () => "Check GPUCLUSTER_API_KEY: the service does not know this key.",
  },
  {
    holds: (findings) => listFinding(findings)?.state === "not allowed" && !isRefusedKey(findings),
    text: () => "Create a key that may list clusters, in the dashboard of the service.",
  },
  {
    holds: isElsewhere,
    text: () =>
      "Check GPUCLUSTER_BASE_URL: the address may belong to another service. It ends before /v1, because the provider adds that.",
  },
  {
    holds: (findings) => listFinding(findings)?.excerpt !== undefined,
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
