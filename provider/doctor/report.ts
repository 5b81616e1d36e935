import { descriptorPaths } from "../api/endpoints";
import { readRateHeaders } from "../api/http/rateHeaders";
import { titleOf } from "../api/http/send";
import { clusterIdPrefix, hasIdForm } from "../api/names";
import { mayBeClient } from "../api/requests";
import { fixedInputs } from "../api/serviceInfo";
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
  /** What to do, the first thing first. */
  readonly advice: readonly [string, ...string[]];
}

/** @param showNames Whether names of clusters are shown. */
export function reportOf(examination: Examination, showNames: boolean): Report {
  const findings = findingsOf(examination, showNames);
  return { ...findings, advice: adviceFor(findings) };
}

type Findings = ReturnType<typeof findingsOf>;

function findingsOf(examination: Examination, showNames: boolean) {
  const { connection, sent, list, gpus, form, info } = examination;
  const endpoints = endpointsOf(examination);
  const names = showNames ? { names: list?.clusters.map(({ id, name }) => name ?? id) } : {};
  return {
    ...{ version, address: connection.baseUrl, sources: connection.sources },
    ...{ ...verdictOf(endpoints), requests: sent, endpoints },
    clusters: list && { count: list.clusters.length, complete: list.complete, ...names },
    requestNames: namesOf(examination),
    /** The inputs whose change shows as a replacement in previews. */
    fixed: fixedInputs(form, info),
    replicaHealth: { source: healthOf(examination, endpoints) },
    gpuTypes: gpus && {
      certain: gpus.certain,
      types: gpus.gpus.map(({ raw: _raw, memoryGb: _memory, ...gpu }) => gpu),
    },
    rateLimit: rateOf(examination, endpoints),
    clockDifferenceSeconds: clockDifferenceOf(examination),
  };
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

const runAgain = "Run this command again later.";
const sendUs =
  "Send this output to the maintainers of pulumi-gpucluster: the list of clusters has a form that this version does not know.";

/** Why no cluster can be managed if the list of clusters does not answer, and what to do. */
const problems: Readonly<Record<Exclude<EndpointState, "answers">, readonly [why: string, advice: string]>> = {
  missing: ["the service has no list of clusters at this address", sendUs],
  "not allowed": [
    "the key may not list clusters",
    "Create a key that may list clusters, in the dashboard of the service.",
  ],
  "not readable": ["the list of clusters cannot be read", sendUs],
  "rate limit": ["the rate limit of the key is used up", runAgain],
  "no answer": ["no answer from the address", runAgain],
  fails: ["the service fails", runAgain],
  refused: ["the service refuses to list clusters", sendUs],
  "not asked": ["the list of clusters was not read", runAgain],
};

/** Each operation begins or ends with the list of clusters: without the list, nothing is created. */
function verdictOf([list]: readonly EndpointFinding[]): { readonly canManage: boolean; readonly verdict: string } {
  const { state = "not asked" } = list ?? {};
  if (state === "answers") return { canManage: true, verdict: "a cluster can be managed" };
  const why = isRefusedKey(list) ? "the key is refused" : problems[state][0];
  return { canManage: false, verdict: `no cluster can be managed: ${why}` };
}

function isRefusedKey(list: EndpointFinding | undefined): boolean {
  return list?.detail?.startsWith("HTTP 401") === true;
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

const gpuPaths = ["/v1/gpus", "/v1/gpus/models", "/v1/gpus/pricing", "/v1/gpus/availability"];

/** One finding for each endpoint, in the order in which the provider reads them; the list of clusters comes first. */
function endpointsOf(examination: Examination): EndpointFinding[] {
  const { id, info, observations } = examination;
  const [own, shown] = [`/v1/clusters/${id ?? ":id"}`, `/v1/clusters/${id === undefined ? ":id" : shortId(id)}`];
  const tried = descriptorPaths.filter((path) => observations.has(path));
  const found = [
    findingOf(examination, "/v1/clusters"),
    findingOf(examination, own, shown),
    findingOf(examination, `${own}/status`, `${shown}/status`),
    ...[...gpuPaths, "/health"].map((path) => findingOf(examination, path)),
  ];
  const descriptor = tried.at(-1) ?? "/";
  if (info || tried.length === 0) return [...found, findingOf(examination, descriptor)];
  const last = findingOf(examination, descriptor, tried.join(", "));
  // Something else may be there.
  return [...found, last.state === "answers" ? { ...last, state: "missing", detail: "no descriptor" } : last];
}

/** Long enough for users to recognize their own cluster. */
function shortId(id: string): string {
  return id.length > 6 ? `${id.slice(0, 3)}…` : hasIdForm(id) ? `${clusterIdPrefix}…` : "…";
}

function findingOf({ observations }: Examination, path: string, shown = path): EndpointFinding {
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

/** The names of requests: `set` by a setting, `shown` by an answer, `likely` by the form of an empty list, or `open`. */
function namesOf({ connection, form: { names = "specification", isConfirmed }, list, observations }: Examination) {
  const isLikely = list !== undefined && !mayBeClient(observations.get("/v1/clusters")?.json);
  const isSet = connection.requestNames !== undefined;
  return { names, certainty: isSet ? "set" : isConfirmed ? "shown" : isLikely ? "likely" : "open" } as const;
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

function rateOf({ rate, observations }: Examination, endpoints: readonly EndpointFinding[]) {
  const isShown = [...observations.values()].some(
    ({ headers = {}, atMs = 0 }) => readRateHeaders(headers, atMs).limit !== undefined,
  );
  // A request was refused, or not sent.
  const isUsedUp = endpoints.some(({ state }) => state === "rate limit");
  const resetInSeconds = rate.resetInMs === undefined ? undefined : Math.ceil(rate.resetInMs / 1000);
  return { limit: rate.limit, isShown, left: isUsedUp ? 0 : rate.left, resetInSeconds, isUsedUp };
}

/** The service's clock minus ours, by the first answer that has a date. */
function clockDifferenceOf({ observations }: Examination): number | undefined {
  for (const { headers, atMs = 0 } of observations.values()) {
    const dateMs = Date.parse(headers?.["date"] ?? "");
    // The header has whole seconds: on average, half of one is cut off.
    if (!Number.isNaN(dateMs)) return Math.round((dateMs + 500 - atMs) / 1000);
  }
  return undefined;
}

/** What to do about the findings, the first thing first. */
function adviceFor(findings: Findings): Report["advice"] {
  const { canManage, rateLimit, requestNames, replicaHealth, gpuTypes } = findings;
  const inTime = rateLimit.resetInSeconds === undefined ? "later" : `in ${rateLimit.resetInSeconds} s`;
  const [first, ...others] = [
    rateLimit.isUsedUp && `Run this command again ${inTime}: the rate limit is used up, so not everything was read.`,
    !canManage && !rateLimit.isUsedUp && problemAdvice(findings),
    canManage &&
      requestNames.certainty === "open" &&
      "Set gpucluster:requestNames to `specification` or `client` if you know which names the service accepts: no answer shows them.",
    replicaHealth.source === "none" &&
      "Set `skipAwait: true` on clusters that do not get ready: the service shows this key no health of replicas.",
    gpuTypes?.certain === false &&
      "Set gpucluster:gpuTypeCheck to `off` if previews warn of a gpuType that the service has: its list is not certain.",
    canManage &&
      gpuTypes === undefined &&
      "Set gpucluster:gpuTypeCheck to `off`: no list of GPU types can be read, so a preview cannot check gpuType.",
  ].filter((text) => text !== false);
  return [first ?? "Run `pulumi preview`: it sends reads only.", ...others];
}

/** What to do if no cluster can be managed. */
function problemAdvice({ endpoints, sources }: Findings): string {
  const [list] = endpoints;
  const { state = "not asked", form } = list ?? {};
  if (isRefusedKey(list)) return `Check the key (${sources.apiKey}): the service does not know it.`;
  if (state === "no answer") return `Check the address (${sources.baseUrl}), and whether this machine can reach it.`;
  // The list is missing, a web page or a redirect, and there is no descriptor: something else is at the address.
  const isStrange = ["missing", "not readable", "refused"].includes(state);
  if (isStrange && form === undefined && endpoints.at(-1)?.state !== "answers")
    return `Check the address (${sources.baseUrl}): it may belong to another service. It ends before /v1, because the provider adds that.`;
  return state === "answers" ? "" : problems[state][1];
}
