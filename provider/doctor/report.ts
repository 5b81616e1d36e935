import { descriptorPaths, updateMethods } from "../api/endpoints";
import { titleOf } from "../api/http/send";
import { clusterIdPrefix, hasIdForm } from "../api/names";
import { mayBeClient } from "../api/requests";
import { namesUpdate } from "../api/serviceInfo";
import {
  ApiError,
  ConnectionError,
  isMissingEndpoint,
  isUnauthorized,
  RequestError,
  ResponseShapeError,
} from "../base/errors";
import { version } from "../base/version";
import type { Examination } from "./examine";
import { skeletonOf } from "./skeleton";

/** What the provider understands of a service, as data: `--json` prints it, and the text is made from it. Pure. */
export interface Report extends Findings {
  readonly advice: readonly string[];
}

/** @param showNames Whether names of clusters are shown. */
export function reportOf(examination: Examination, showNames: boolean): Report {
  const findings = findingsOf(examination, showNames);
  return { ...findings, advice: adviceFor(findings) };
}

type Findings = ReturnType<typeof findingsOf>;

function findingsOf(examination: Examination, showNames: boolean) {
  const { address, sent, list, gpus, info, skewsMs } = examination;
  const endpoints = endpointsOf(examination);
  const names = showNames ? { names: list?.clusters.map(({ id, name }) => name ?? id) } : {};
  return {
    ...{ version, address, ...verdictOf(endpoints), requests: sent, endpoints },
    clusters: list && { count: list.clusters.length, complete: list.complete, ...names },
    requestNames: namesOf(examination),
    replicaHealth: { source: healthOf(examination, endpoints) },
    // Only a write can tell which methods the service has.
    update: { isNamed: info && namesUpdate(info), tried: updateMethods },
    gpuTypes: gpus && {
      certain: gpus.certain,
      types: gpus.gpus.map(({ raw: _raw, memoryGb: _memory, ...gpu }) => gpu),
    },
    rateLimit: rateOf(examination, endpoints),
    clockDifferenceSeconds: skewsMs.length > 0 ? Math.round(middleOf(skewsMs) / 1000) : undefined,
    notAllowed: endpoints.filter(({ state }) => state === "not allowed").map(({ endpoint }) => endpoint),
  };
}

/** An answer with a high latency shows a wrong time. */
function middleOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** What the reading of an endpoint has shown; the first that holds counts. An answer with any other status is `refused`. */
const states = [
  ["answers", (error) => error === undefined],
  ["rate limit", (error) => error instanceof ApiError && error.status === 429],
  ["not allowed", isUnauthorized],
  ["missing", isMissingEndpoint],
  ["not readable", (error) => error instanceof ResponseShapeError],
  ["no answer", (error) => error instanceof ConnectionError],
  ["fails", (error) => error instanceof ApiError && error.status >= 500],
] as const satisfies readonly (readonly [string, (error: unknown) => boolean])[];

export type EndpointState = (typeof states)[number][0] | "refused" | "not asked";

const verdicts: Readonly<Record<Exclude<EndpointState, "answers">, string>> = {
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
function verdictOf([list]: readonly EndpointFinding[]): { readonly canManage: boolean; readonly verdict: string } {
  const { state = "not asked", detail = "" } = list ?? {};
  if (state === "answers") return { canManage: true, verdict: "a cluster can be managed" };
  const why = detail.startsWith("HTTP 401") ? "the key is refused" : verdicts[state];
  return { canManage: false, verdict: `no cluster can be managed: ${why}` };
}

export interface EndpointFinding {
  /** With a shortened id: `GET /v1/clusters/cl_…`. */
  readonly endpoint: string;
  readonly state: EndpointState;
  /** The form of the answer, without any of its values. */
  readonly form?: string;
  /** The reason why there is no result, without a text of the service. */
  readonly detail?: string;
}

/** One finding for each endpoint, in the order in which the provider reads them; the list of clusters comes first. */
function endpointsOf(examination: Examination): EndpointFinding[] {
  const { id, info, observations } = examination;
  const [own, shown] = [`/v1/clusters/${id ?? ":id"}`, `/v1/clusters/${id === undefined ? ":id" : shortId(id)}`];
  const tried = descriptorPaths.filter((path) => observations.has(path));
  const rows: readonly (readonly [path: string, shown?: string])[] = [
    ["/v1/clusters"],
    [own, shown],
    [`${own}/status`, `${shown}/status`],
    ...["/v1/gpus", "/v1/gpus/models", "/v1/gpus/pricing", "/v1/gpus/availability", "/health"].map(
      (path) => [path] as const,
    ),
  ];
  const descriptor = tried.at(-1) ?? "/";
  const found = rows.map(([path, text = path]) => findingOf(examination, path, text));
  if (info || tried.length === 0) return [...found, findingOf(examination, descriptor, descriptor)];
  const last = findingOf(examination, descriptor, tried.join(", "));
  // Something else may be there.
  return [...found, last.state === "answers" ? { ...last, state: "missing", detail: "no descriptor" } : last];
}

/** Long enough for users to recognize their own cluster. */
function shortId(id: string): string {
  return id.length > 6 ? `${id.slice(0, 3)}…` : hasIdForm(id) ? `${clusterIdPrefix}…` : "…";
}

function findingOf({ observations }: Examination, path: string, shown: string): EndpointFinding {
  const endpoint = `GET ${shown}`;
  const observation = observations.get(path);
  if (!observation) return { endpoint, state: "not asked" };
  const { json, error } = observation;
  const state = states.find(([, holds]) => holds(error))?.[0] ?? "refused";
  return { endpoint, state, form: json === undefined ? undefined : skeletonOf(json), detail: detailOf(error) };
}

/** A code of plain words; any other code may quote something. */
const plainCode = /^[a-z]+(_[a-z]+){0,5}$/i;

function detailOf(error: unknown): string | undefined {
  if (error instanceof ResponseShapeError) return error.why ?? "it reports an error";
  if (error instanceof ApiError) {
    const code = plainCode.test(error.code ?? "") ? [error.code] : [];
    return [`HTTP ${error.status}`, ...code, ...(error.isApiAnswer ? [] : ["not an API answer"])].join(", ");
  }
  // The message without its title.
  return error instanceof RequestError ? error.message.slice(titleOf(error).length + 2) : undefined;
}

/** The names of requests: `shown` by an answer, `likely` by the form of an empty list, or `open`. */
function namesOf({ form: { names = "specification", isConfirmed }, list, observations }: Examination) {
  const isLikely = list !== undefined && !mayBeClient(observations.get("/v1/clusters")?.json);
  return { names, certainty: isConfirmed ? "shown" : isLikely ? "likely" : "open" } as const;
}

/** Where the health of replicas is read. */
function healthOf(
  { form, status }: Examination,
  endpoints: readonly EndpointFinding[],
): "status" | "record" | "none" | "unknown" {
  if (status) return form.has("status") ? "status" : status.isMissing ? "none" : "record";
  const state = endpoints.find(({ endpoint }) => endpoint.endsWith("/status"))?.state ?? "not asked";
  return ["missing", "not readable", "not allowed"].includes(state) ? "none" : "unknown";
}

function rateOf({ rate, isRateShown }: Examination, endpoints: readonly EndpointFinding[]) {
  // A request was refused, or not sent.
  const isUsedUp = endpoints.some(({ state }) => state === "rate limit");
  const resetInSeconds = rate.resetInMs === undefined ? undefined : Math.ceil(rate.resetInMs / 1000);
  return { limit: rate.limit, isShown: isRateShown, left: isUsedUp ? 0 : rate.left, resetInSeconds, isUsedUp };
}

/** The advice for the findings, mostly about settings. */
function adviceFor({ endpoints, rateLimit, ...report }: Findings): string[] {
  const { state = "not asked", form, detail = "" } = endpoints[0] ?? {};
  const isRefusedKey = detail.startsWith("HTTP 401");
  // The list is missing, a web page or a redirect, and so is the descriptor: something else is at the address.
  const isStrange = ["missing", "not readable", "refused"].includes(state);
  const isElsewhere = isStrange && form === undefined && report.update.isNamed === undefined;
  const inTime = rateLimit.resetInSeconds === undefined ? "later" : `in ${rateLimit.resetInSeconds} s`;
  const advice = [
    state === "no answer" && "Check GPUCLUSTER_BASE_URL, and whether this machine can reach that address.",
    isRefusedKey && "Check GPUCLUSTER_API_KEY: the service does not know this key.",
    state === "not allowed" && !isRefusedKey && "Create a key that may list clusters, in the dashboard of the service.",
    isElsewhere &&
      "Check GPUCLUSTER_BASE_URL: the address may belong to another service. It ends before /v1, because the provider adds that.",
    state === "not readable" &&
      form !== undefined &&
      "Send this output to the maintainers of pulumi-gpucluster: the list of clusters has a form that this version does not know.",
    rateLimit.isUsedUp &&
      `Run this command again ${inTime}: the rate limit is used up, so some endpoints were not read.`,
    report.canManage &&
      report.requestNames.certainty === "open" &&
      "Set gpucluster:requestNames to `specification` or `client` if you know which names the service accepts: no answer shows them.",
    report.replicaHealth.source === "none" &&
      "Set `skipAwait: true` on clusters that do not get ready: the service shows this key no health of replicas.",
    report.gpuTypes?.certain === false &&
      "Each preview warns of an unlisted gpuType, as with gpucluster:gpuTypeCheck `warn`: the list is not certain. `off` skips this check.",
    report.canManage &&
      report.gpuTypes === undefined &&
      "Set gpucluster:gpuTypeCheck to `off`: no list of GPU types can be read, so a preview cannot check gpuType.",
  ];
  return advice.filter((text) => text !== false);
}
