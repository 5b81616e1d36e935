import { ApiError, type Outcome, ResponseShapeError } from "../errors";
import { cleanJson, cleanText, cleanWholeText, cut, NestingError, type Secret } from "../text";
import { type Handler, type HttpRequest, type HttpResponse, titleOf } from "./http";
import { plainName } from "./names";
import { asCount, asRecord, asText, Fields, UnreadableError } from "./read/json";
import {
  besideErrors,
  busyStatuses,
  clusterIdPrefix,
  clusterNames,
  errorNames,
  rateLimitCode,
  requestIdHeaders,
} from "./records";
import { keyHider, redactor } from "./redact/redactor";

/** The content of the body of a refusal. */
export interface ErrorBody {
  /** Empty if the body has no message. */
  readonly message: string;
  readonly code?: string;
  /** False for a page of a proxy: such an answer proves nothing about the cluster. */
  readonly isApiAnswer: boolean;
  /** True for the documented shape: only the API itself writes that. */
  readonly isEnvelope: boolean;
}

export function readErrorBody({ body, headers }: Pick<HttpResponse, "body" | "headers">): ErrorBody {
  if (body.trim() === "") return { message: "", isApiAnswer: true, isEnvelope: false };
  try {
    return readJson(JSON.parse(body));
  } catch {
    // This is an expected case: proxies answer with their own pages. A page is never quoted, because it may hold the whole
    // request.
    const isHtml = isPage(body) || headers["content-type"]?.includes("html");
    const message = isHtml ? "a web page came back, not an API answer" : "not an API answer";
    return { message, isApiAnswer: false, isEnvelope: false };
  }
}

export function isPage(body: string): boolean {
  return /^\s*</.test(body);
}

/** Whether a refusal means the rate limit, so that nothing was done: 429, or 403 or 503 with an error code that says so. */
export function isRateLimited(response: Pick<HttpResponse, "status" | "body" | "headers">): boolean {
  if (response.status === 429) return true;
  if (response.status !== 403 && response.status !== 503) return false;
  return rateLimitCode.test(readErrorBody(response).code ?? "");
}

/**
 * Whether an answer with a status of success is an error: its body is only an error, or the documented envelope with any fields
 * beside it. A record may have an `error` too: the reason why the cluster failed.
 */
export function isErrorInSuccess(json: unknown): boolean {
  const fields = new Fields(json);
  if (fields.get("success") === false) return true;
  const error = fields.get("error") ?? fields.get("errors");
  const isSaid =
    typeof error === "object" ? Object.keys(error ?? {}).length > 0 : typeof error === "string" && error !== "";
  if (!isSaid) return false;
  const status = asCount(new Fields(error).get("status")) ?? 0;
  const others = fields.names().filter((name) => name !== "error" && name !== "errors");
  // A state beside the error means that the body is a record, unless the state itself is a word for an error.
  const isState =
    asText(fields.get("status")) !== undefined && !/^(error|fail(ed|ure)?)$/i.test(String(fields.get("status")));
  const isCluster = asText(fields.get("id"))?.startsWith(clusterIdPrefix) === true;
  return status >= 400 || (!isState && !isCluster && others.every((name) => besideErrors.has(name)));
}

/** Reads the documented envelope, else the top level, else the first of several errors; and the fields that were refused. */
function readJson(json: unknown): ErrorBody {
  const top = new Fields(json);
  const inner = new Fields(top.get("error"));
  const details = [top.get("errors"), top.get("detail"), top.get("details"), inner.get("details")];
  const several = details.find(Array.isArray);
  const places = [inner, top, new Fields(several?.[0])];
  const find = (names: readonly string[]) =>
    places.map((place) => place.first(names, asText)).find((text) => text !== undefined);
  const fields = details.flatMap(fieldsSaid);
  const said = find(errorNames.message) ?? asText(several?.[0]);
  const isRepeated = said !== undefined && fields.some((field) => field.endsWith(said));
  const envelope = asRecord(asRecord(json)["error"]);
  const types = [typeof envelope["code"], typeof envelope["message"], typeof envelope["status"]].join();
  return {
    message: [isRepeated ? undefined : said, ...fields].filter(Boolean).join("; "),
    code: find(errorNames.code),
    isApiAnswer: true,
    isEnvelope: types === "string,string,number",
  };
}

const mostFields = 5;

/** Texts such as `name: is required`, from a list of problems, with or without their fields, or from a map. */
function fieldsSaid(details: unknown): string[] {
  const problems = Array.isArray(details) ? details.map(placeAndTextOf) : Object.entries(asRecord(details));
  return problems
    .flatMap(([place, text]) => (typeof text === "string" ? [[place, text].filter(Boolean).join(": ")] : []))
    .slice(0, mostFields);
}

function placeAndTextOf(item: unknown): [place: string, text: unknown] {
  const fields = new Fields(item);
  const place = fields.first(errorNames.place, (value) => asText(Array.isArray(value) ? value.join(".") : value));
  return [place ?? "", asText(item) ?? fields.first(errorNames.message, asText)];
}

const clustersPath = "/v1/clusters";
/** An unhealthy service answers this path with its reason, which may look like an error. */
const healthPath = "/health";

/** Values of env keep every byte, because they are compared with the values that were sent. They are never printed. */
const envNames: ReadonlySet<string> = new Set(clusterNames.env);
const isEnv = (name: string) => envNames.has(plainName(name));

/**
 * Passes on successes with a JSON body or with none, and turns every other answer into an error. The error says what failed,
 * what the API answered and what to do next.
 */
export function statusErrors(apiKey: Secret): Handler {
  const key = apiKey.reveal();
  // A service may quote the key in data too.
  const hideKey = keyHider(key);
  return (next) => async (request) => {
    const response = await next(request);
    // Services quote parts of the request in their errors.
    const redact = () => redactor([key, ...(request.secrets ?? [])]);
    if (response.status >= 200 && response.status < 300) {
      // The raw text ends here: it may hold the key.
      const json = parseJson(request, response, redact, hideKey);
      if (request.path !== healthPath && isErrorInSuccess(json)) throw errorInSuccess(request, response, redact());
      const answer = { ...response, body: "", json };
      readable(request, () => request.accepts?.(answer));
      return answer;
    }
    throw toApiError(request, response, redact());
  };
}

/** A success that cannot be read may be truncated: a read is sent again, any other request may have taken effect. */
function parseJson(
  request: HttpRequest,
  { body, headers }: HttpResponse,
  redact: () => (text: string) => string,
  hide: (text: string) => string,
): unknown {
  const { method, path } = request;
  const isEmpty = body.trim() === "";
  if (isEmpty && method !== "GET") return undefined;
  try {
    return cleanJson(JSON.parse(body), { hide, ...(path.startsWith(clustersPath) ? { keeps: isEnv } : {}) });
  } catch (error) {
    const text = `${titleOf(request)}: the service answered with a body that cannot be read`;
    const why = `${problemOf(body, error)}${namedRequest(headers, redact(), " (", ")")}`;
    throw new ResponseShapeError(text, { outcome: "ambiguous", method, path, why });
  }
}

/** Does not use the message of JSON.parse: it quotes the body, which may hold a value of env. */
function problemOf(body: string, error: unknown): string {
  if (body.trim() === "") return "it is empty";
  if (isPage(body)) return "it is a web page";
  return error instanceof NestingError ? error.message : `${body.length} characters that are not JSON`;
}

/** The request may have taken effect: the status says that it has, the body says that it has not. */
function errorInSuccess(request: HttpRequest, response: HttpResponse, redact: (text: string) => string) {
  const { method, path } = request;
  const { message, code } = readErrorBody(response);
  const said = cleanOf(redact)([message, code].filter(Boolean).join(", "));
  const id = namedRequest(response.headers, redact, " (", ")");
  const text = `${titleOf(request)}: the service answered HTTP ${response.status}, but with an error: ${said || "no reason"}${id}`;
  return new ResponseShapeError(text, { outcome: "ambiguous", method, path });
}

/** Redacts before the cut, because a part of a secret would not be found; and after the cleaning, which may join two parts. */
function cleanOf(redact: (text: string) => string) {
  return (text: string, max = 500) => cut(redact(cleanWholeText(redact(text))), max);
}

function toApiError(request: HttpRequest, response: HttpResponse, redact: (text: string) => string): ApiError {
  const { method, path } = request;
  const { status } = response;
  const { isApiAnswer, isEnvelope, ...said } = readErrorBody(response);
  const clean = cleanOf(redact);
  const message = clean(said.message);
  const code = said.code === undefined ? undefined : clean(said.code, 100);
  const answer = [code, `HTTP ${status}`].filter(Boolean).join(", ") + namedRequest(response.headers, redact, ", ");
  const text = `${titleOf(request)}: ${message.replace(/\.$/, "") || "the service gave no reason"} (${answer})`;
  const advice = status >= 300 && status < 400 ? redirectAdvice(response, clean) : adviceFor(status, said.code);
  return new ApiError([text, advice].filter(Boolean).join(". "), {
    outcome: isRateLimited(response) ? "rate-limited" : outcomeOf(status, method),
    method,
    path,
    isLate: lateStatuses.has(status),
    status,
    code,
    isApiAnswer,
    isEnvelope,
    said: message,
    allow: (response.headers["allow"] ?? "")
      .toUpperCase()
      .split(/[\s,]+/)
      .filter(Boolean),
  });
}

const longestRequestId = 100;

/** The service's own id of a request: visible ASCII without secrets; `undefined` if the answer has none. */
export function requestIdOf(headers: HttpResponse["headers"], redact: (text: string) => string): string | undefined {
  const said = requestIdHeaders.map((name) => headers[name]?.trim()).find(Boolean);
  if (said === undefined) return undefined;
  return cleanOf(redact)(said, longestRequestId).replace(/[^\x21-\x7e…]+/g, "_");
}

/** The id of a request within an error, for the service's support. */
function namedRequest(
  headers: HttpResponse["headers"],
  redact: (text: string) => string,
  before: string,
  after = "",
): string {
  const id = requestIdOf(headers, redact);
  return id === undefined ? "" : `${before}request id ${id}${after}`;
}

/** Statuses of a gateway or a service that waited in vain. */
const lateStatuses = new Set([408, 504, 524]);

function outcomeOf(status: number, method: string): Outcome {
  if (busyStatuses.has(status)) return "busy";
  // A request that took too long may have taken effect all the same.
  if (status === 408) return "ambiguous";
  // "See other" follows an effect. Its target does not matter, because redirects are not followed.
  if (status === 303 && method !== "GET") return "ambiguous";
  // 501: the service does not know the method, so the request had no effect.
  return status >= 500 && status !== 501 ? "server-error" : "refused";
}

const advicesByCode = new Map([
  ["invalid_gpu_type", "getGpuTypes() lists the available GPU types"],
  ["insufficient_capacity", "Use fewer replicas or another GPU type; getGpuTypes() lists the available ones"],
]);

function adviceFor(status: number, code: string | undefined): string {
  const known = advicesByCode.get(code ?? "");
  return known ?? (status >= 500 ? "The service has a problem; run the command again later" : "");
}

/** The host may repeat parts of the request. It is redacted before parsing, which changes capitals, and after. */
function redirectAdvice({ headers }: HttpResponse, clean: (text: string) => string): string {
  const location = clean(headers["location"] ?? "");
  const target = URL.canParse(location) ? ` to ${clean(new URL(location).origin)}` : "";
  return `Redirects${target} are not followed, so that the key goes nowhere else`;
}

/** Reads an answer; the error for an unreadable answer names the request. */
export function readable<Result>(request: HttpRequest, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    // An exception in a reader must not be mistaken for a request that was not sent.
    const isBroken = error instanceof RangeError || error instanceof TypeError;
    if (!(error instanceof UnreadableError) && !isBroken) throw error;
    const { method, path } = request;
    const why = cleanText(isBroken ? "its form is unknown" : error.message);
    const text = `${titleOf(request)}: the service answered with JSON that this version cannot read`;
    throw new ResponseShapeError(cleanText(text), { outcome: "ambiguous", method, path, why });
  }
}
