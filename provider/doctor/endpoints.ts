import { clusterIdPrefix, hasIdPrefix, plainName } from "../api/decode/names";
import * as records from "../api/decode/records";
import { descriptorPaths, fieldNames } from "../api/endpoints";
import {
  ApiError,
  ConnectionError,
  isMissingEndpoint,
  isUnauthorized,
  RequestError,
  ResponseShapeError,
} from "../base/errors";
import { cut } from "../base/text";
import { isRecord } from "../contract";
import type { Examination } from "./examine";

export type EndpointState =
  | "answers"
  | "rate limit"
  | "key refused"
  | "not allowed"
  | "missing"
  | "not readable"
  | "no answer"
  | "fails"
  | "refused"
  | "not read";

export interface EndpointFinding {
  /** With a shortened id: `GET /v1/clusters/cl_…`. */
  readonly endpoint: string;
  readonly state: EndpointState;
  readonly shape?: string | undefined;
  /** The reason why there is no result, without a string of the service. */
  readonly detail?: string | undefined;
}

/** One finding for each endpoint; that of the list of clusters comes first, that of the descriptor last. */
export function endpointsOf(examination: Examination): [EndpointFinding, ...EndpointFinding[]] {
  const { id = ":id" } = examination;
  const label = `/v1/clusters/${id === ":id" ? id : shortId(id)}`;
  const paths = ["/v1/gpus", "/v1/gpus/models", "/v1/gpus/pricing", "/v1/gpus/availability", "/health"];
  return [
    findingOf(examination, "/v1/clusters"),
    findingOf(examination, `/v1/clusters/${id}`, label),
    findingOf(examination, `/v1/clusters/${id}/status`, `${label}/status`),
    ...paths.map((path) => findingOf(examination, path)),
    descriptorFinding(examination),
  ];
}

/** The descriptor may be at several paths; what answers at one of them may be something else. */
function descriptorFinding(examination: Examination): EndpointFinding {
  const { info, observations } = examination;
  const paths = descriptorPaths.filter((path) => observations.has(path));
  const last = paths.at(-1) ?? "/";
  if (info) return findingOf(examination, last);
  const finding = findingOf(examination, last, paths.join(", ") || last);
  return finding.state === "answers" ? { ...finding, state: "missing", detail: "no descriptor" } : finding;
}

/** Long enough for users to recognize their own cluster. */
function shortId(id: string): string {
  if (id.length > 6) return `${id.slice(0, 3)}…`;
  return hasIdPrefix(id) ? `${clusterIdPrefix}…` : "…";
}

function findingOf({ observations }: Examination, path: string, label = path): EndpointFinding {
  const endpoint = `GET ${label}`;
  const observation = observations.get(path);
  if (!observation) return { endpoint, state: "not read" };
  const { json, error } = observation;
  const shape = json === undefined ? undefined : cut(shapeAt(json, maxDepth), maxLength);
  return { endpoint, state: stateOf(error), shape, detail: detailOf(error) };
}

function stateOf(error: unknown): EndpointState {
  if (error === undefined) return "answers";
  if (error instanceof ApiError && error.status === 429) return "rate limit";
  if (error instanceof ApiError && error.status === 401) return "key refused";
  if (isUnauthorized(error)) return "not allowed";
  if (isMissingEndpoint(error)) return "missing";
  if (error instanceof ResponseShapeError) return "not readable";
  if (error instanceof ConnectionError) return "no answer";
  return error instanceof ApiError && error.status >= 500 ? "fails" : "refused";
}

function detailOf(error: unknown): string | undefined {
  if (error instanceof ResponseShapeError) return error.details.why ?? "it reports an error";
  if (!(error instanceof ApiError)) return error instanceof RequestError ? error.reason : undefined;
  const details = [`HTTP ${error.status}`];
  // A code that is not of plain words may quote something.
  if (error.code !== undefined && /^[a-z]+(_[a-z]+){0,5}$/i.test(error.code)) details.push(error.code);
  if (!error.isApiAnswer) details.push("not an API answer");
  return details.join(", ");
}

/** The words that this version looks for in answers. Any other name may be that of a cluster, or of a variable. */
const knownWords: ReadonlySet<string> = new Set(wordsIn([{ ...records }, fieldNames]));

function wordsIn(tables: unknown): string[] {
  if (typeof tables === "string") return [tables];
  if (Array.isArray(tables) || tables instanceof Set) return [...tables].flatMap(wordsIn);
  return isRecord(tables) ? Object.values(tables).flatMap(wordsIn) : [];
}

/** A record within two wrappers and a map by id. */
const maxDepth = 4;
const maxNames = 12;
const maxLength = 400;
const hidden = "…";

/** The shape of an answer without any of its values: `{data: [{id: string, …: number}]}`. */
function shapeAt(json: unknown, depth: number): string {
  if (json === null) return "null";
  if (Array.isArray(json)) return `[${joined(json.slice(0, maxNames).map((item) => shapeAt(item, depth)))}]`;
  if (!isRecord(json)) return typeof json;
  if (depth === 0) return `{${hidden}}`;
  return `{${joined(Object.entries(json).map(([name, value]) => `${safeName(name)}: ${shapeAt(value, depth - 1)}`))}}`;
}

function safeName(name: string): string {
  return /^[\w-]{1,32}$/.test(name) && knownWords.has(plainName(name)) ? name : hidden;
}

/** Each shape once, those with a hidden name last. */
function joined(shapes: readonly string[]): string {
  const different = [...new Set(shapes)];
  const named = different.filter((shape) => !shape.startsWith(hidden));
  const sorted = [...named, ...different.filter((shape) => shape.startsWith(hidden))];
  if (sorted.length > maxNames) sorted.splice(maxNames, sorted.length, hidden);
  return sorted.join(", ");
}
