import { ApiError, type Outcome, ResponseShapeError } from "../../base/errors";
import { keyHider, Redactor } from "../../base/redact";
import { cleanJson, cleanText, cleanWholeText, cut, NestingError, type Secret } from "../../base/text";
import { isRecord } from "../../contract";
import { plainName } from "../names";
import { Fields, UnreadableError } from "../read/json";
import { busyStatuses, capacityCodes, clusterTable, errorTable, rateLimitStatus, requestIdHeaders } from "../records";
import { type Handler, type HttpRequest, type HttpResponse, titleOf, unreadable } from "./send";

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
    // Proxies answer with their own pages. A page is never quoted, because it may hold the whole request.
    const isHtml = isPage(body) || headers["content-type"]?.includes("html");
    const message = isHtml ? "a web page came back, not an API answer" : "not an API answer";
    return { message, isApiAnswer: false, isEnvelope: false };
  }
}

function isPage(body: string): boolean {
  return /^\s*</.test(body);
}

/** Reads the documented envelope, else the top level. Details of any form are quoted; all else may hold values of env. */
function readJson(json: unknown): ErrorBody {
  const top = new Fields(json);
  const inner = new Fields(top.get("error"));
  const { message, code } = { ...top.read(errorTable), ...inner.read(errorTable) };
  const names = ["details", "detail", "errors"];
  const details = [inner, top].map((place) =>
    place.first(names, (value) => (typeof value === "object" ? JSON.stringify(value) : undefined)),
  );
  const texts = [message, details.find(Boolean)];
  const envelope = isRecord(json) && isRecord(json["error"]) ? json["error"] : {};
  const types = ["code", "message", "status"].map((name) => typeof envelope[name]);
  const isEnvelope = types.join() === "string,string,number";
  return { message: texts.filter(Boolean).join("; "), code, isApiAnswer: true, isEnvelope };
}

/**
 * Whether an answer with a status of success is an error all the same. A record may have an `error`: why the cluster failed.
 * The documented envelope is an error whatever stands beside it.
 */
export function isErrorInSuccess(json: unknown): boolean {
  if (!isRecord(json)) return false;
  const { success, error, ...others } = json;
  if (success === false) return true;
  const isAlone = Object.keys(others).length === 0;
  return Boolean(error) && (isAlone || (isRecord(error) && Number(error["status"]) >= 400));
}

const clustersPath = "/v1/clusters";
/** Its answer shows what is wrong with the service, in any form. */
const healthPath = "/health";

/** Values of env keep every byte, because they are compared with the values that were sent. They are never printed. */
const isEnv = (name: string) => clusterTable.env.some((each) => each === plainName(name));

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
    const { redactor = new Redactor() } = request;
    redactor.learn([key]);
    const redact = (text: string) => redactor.hide(text);
    if (response.status < 200 || response.status >= 300) throw toApiError(request, response, redact);
    // The raw text ends here: it may hold the key.
    const json = parseJson(request, response, redact, hideKey);
    if (request.path !== healthPath && isErrorInSuccess(json)) throw errorInSuccess(request, response, redact);
    const answer = { ...response, body: "", json };
    readable(request, () => request.accepts?.(answer));
    return answer;
  };
}

/** A success that cannot be read may be truncated: a read is sent again, any other request may have taken effect. */
function parseJson(
  request: HttpRequest,
  { body, headers }: HttpResponse,
  redact: (text: string) => string,
  hide: (text: string) => string,
): unknown {
  if (body.trim() === "" && request.method !== "GET") return undefined;
  try {
    return cleanJson(JSON.parse(body), { hide, ...(request.path.startsWith(clustersPath) ? { keeps: isEnv } : {}) });
  } catch (error) {
    throw unreadable(request, `${problemOf(body, error)}${namedRequest(headers, redact)}`);
  }
}

/** Does not use the message of JSON.parse: it quotes the body, which may hold a value of env. */
function problemOf(body: string, error: unknown): string {
  if (body.trim() === "") return "it is empty";
  if (isPage(body)) return "it is a web page";
  return error instanceof NestingError ? error.message : `${body.length} characters that are not JSON`;
}

/** The most of the service's own text that an error quotes: the whole error has to fit into two lines. */
const mostQuoted = 200;

/** Secrets are hidden before the cut, because a small part of one would not be found. */
function cleanOf(redact: (text: string) => string) {
  return (text: string, max = 500) => cut(redact(cleanWholeText(text)), max);
}

/** The request may have taken effect: the status says that it has, the body says that it has not. */
function errorInSuccess(request: HttpRequest, response: HttpResponse, redact: (text: string) => string) {
  const { method, path } = request;
  const { message, code } = readErrorBody(response);
  const why = [message, code].filter(Boolean).join(", ") || "no reason";
  const said = cleanOf(redact)(why, mostQuoted) + namedRequest(response.headers, redact);
  const text = `${titleOf(request)}: the service answered HTTP ${response.status}, but with an error: ${said}`;
  return new ResponseShapeError(text, { outcome: "ambiguous", method, path });
}

function toApiError(request: HttpRequest, response: HttpResponse, redact: (text: string) => string): ApiError {
  const { method, path } = request;
  const { status, headers } = response;
  const { isApiAnswer, isEnvelope, ...body } = readErrorBody(response);
  const clean = cleanOf(redact);
  const [apiMessage, code] = [clean(body.message), body.code === undefined ? undefined : clean(body.code, 100)];
  const outcome = outcomeOf(status, request, body.code);
  const answer = [code, `HTTP ${status}`].filter(Boolean).join(", ") + namedRequest(headers, redact);
  const said = cut(apiMessage, mostQuoted).replace(/\.$/, "") || "the service gave no reason";
  const text = `${titleOf(request)}: ${said} (${answer})`;
  const advice = status >= 300 && status < 400 ? redirectAdvice(response, clean) : adviceFor(outcome, request);
  const isLate = lateStatuses.has(status);
  const failure = { outcome, method, path, isLate, status, code, isApiAnswer, isEnvelope, apiMessage };
  return new ApiError([text, advice].filter(Boolean).join(". "), failure);
}

/** The service's own id of a request: visible ASCII without secrets; `undefined` if the answer has none. */
export function requestIdOf(headers: HttpResponse["headers"], redact: (text: string) => string): string | undefined {
  const said = requestIdHeaders.map((name) => headers[name]?.trim()).find(Boolean);
  return said && cleanOf(redact)(said, 100).replace(/[^\x21-\x7e…]+/g, "_");
}

/** The id of a request within an error, for the service's support. */
function namedRequest(headers: HttpResponse["headers"], redact: (text: string) => string): string {
  const id = requestIdOf(headers, redact);
  return id === undefined ? "" : `, request id ${id}`;
}

/** Statuses of a gateway or a service that waited in vain. */
const lateStatuses = new Set([408, 504, 524]);

function outcomeOf(status: number, { method, kind }: HttpRequest, code = ""): Outcome {
  if (status === rateLimitStatus) return "rate-limited";
  // The control plane refuses for capacity by 503, 409 or 400; nothing was done, and no quick retry helps.
  const isRefusal = (status >= 400 && status < 500) || status === 503;
  const needsGpus = kind !== "read" && kind !== "delete";
  if (isRefusal && needsGpus && capacityCodes.has(plainName(code))) return "no-capacity";
  if (busyStatuses.has(status)) return "busy";
  // A request that took too long may have taken effect all the same.
  if (status === 408) return "ambiguous";
  // "See other" follows an effect. Its target does not matter, because redirects are not followed.
  if (status === 303 && method !== "GET") return "ambiguous";
  // 501: the service does not know the method, so the request had no effect.
  return status >= 500 && status !== 501 ? "server-error" : "refused";
}

function adviceFor(outcome: Outcome, { kind }: HttpRequest): string {
  if (outcome === "no-capacity") return "Use another GPU type or fewer replicas; getGpuTypes() lists the types";
  // Whoever sent a creation first has to know whether the cluster exists.
  return outcome === "server-error" && kind !== "create"
    ? "The service has a problem; run the command again later"
    : "";
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
    throw unreadable(request, cleanText(isBroken ? "its form is unknown" : error.message));
  }
}
