import { ApiError, type Outcome, ResponseShapeError } from "../errors";
import type { Secret } from "../secret";
import { isErrorInSuccess, isPage, isRateLimited, readErrorBody } from "./errorBody";
import { type Handler, type HttpRequest, type HttpResponse, titleOf } from "./http";
import { plainName } from "./read/json";
import { readable } from "./readable";
import { busyStatuses, clusterNames } from "./records";
import { keyHider } from "./redact/keyHider";
import { redactor } from "./redact/redactor";
import { cleanJson, cleanWholeText, cut, NestingError } from "./text";

const clustersPath = "/v1/clusters";
/** What is not healthy says so, and why. */
const healthPath = "/health";

/** Values of env are compared with what was sent, byte for byte, and never printed. */
const envNames: ReadonlySet<string> = new Set(clusterNames.env);
const isEnv = (name: string) => envNames.has(plainName(name));

/**
 * Lets successes with a JSON body (or none) through, and turns everything else into an error that says what failed, what
 * the API answered and what to do next.
 */
export function statusErrors(apiKey: Secret): Handler {
  const key = apiKey.reveal();
  // A service may quote the key in data too.
  const hideKey = keyHider(key);
  return (next) => async (request) => {
    const response = await next(request);
    // Services quote in their errors what they were sent.
    const redact = () => redactor([key, ...(request.secrets ?? [])]);
    if (response.status >= 200 && response.status < 300) {
      // The raw text goes no further: it may hold the key.
      const json = parseJson(request, response.body, hideKey);
      if (request.path !== healthPath && isErrorInSuccess(json)) throw errorInSuccess(request, response, redact());
      const answer = { ...response, body: "", json };
      readable(request, () => request.accepts?.(answer));
      return answer;
    }
    throw toApiError(request, response, redact());
  };
}

/** A success that cannot be read may be a truncated one: reads are sent again, the rest may have taken effect. */
function parseJson(request: HttpRequest, body: string, hide: (text: string) => string): unknown {
  const { method, path } = request;
  const isEmpty = body.trim() === "";
  if (isEmpty && method !== "GET") return undefined;
  try {
    return cleanJson(JSON.parse(body), { hide, ...(path.startsWith(clustersPath) ? { keeps: isEnv } : {}) });
  } catch (error) {
    const text = `${titleOf(request)}: the service answered with a body that cannot be read`;
    throw new ResponseShapeError(text, { outcome: "ambiguous", method, path, why: problemOf(body, error) });
  }
}

/** Whatever JSON.parse says of a body would quote it, and it may hold an env value. */
function problemOf(body: string, error: unknown): string {
  if (body.trim() === "") return "it is empty";
  if (isPage(body)) return "it is a web page";
  return error instanceof NestingError ? error.message : `${body.length} characters that are not JSON`;
}

/** Whether anything was done is not known: the status says so, the body does not. */
function errorInSuccess(request: HttpRequest, response: HttpResponse, redact: (text: string) => string) {
  const { method, path } = request;
  const { message, code } = readErrorBody(response);
  const said = cleanOf(redact)([message, code].filter(Boolean).join(", "));
  const text = `${titleOf(request)}: the service answered HTTP ${response.status}, but with an error: ${said || "no reason"}`;
  return new ResponseShapeError(text, { outcome: "ambiguous", method, path });
}

/** Redacted before it is cut, for a part of a secret would not be found; and after, for cleaning may join what was apart. */
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
  const answer = [code, `HTTP ${status}`].filter(Boolean).join(", ");
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

/** A gateway, or the service itself, waited in vain. */
const lateStatuses = new Set([408, 504, 524]);

function outcomeOf(status: number, method: string): Outcome {
  if (busyStatuses.has(status)) return "busy";
  // A request that took too long may have been done all the same.
  if (status === 408) return "ambiguous";
  // "See other" comes after something was done; where that is does not matter, for redirects are not followed.
  if (status === 303 && method !== "GET") return "ambiguous";
  // 501: the method does not exist there, so nothing can have happened.
  return status >= 500 && status !== 501 ? "server-error" : "refused";
}

const advices: Record<number, string> = {
  401:
    "Check the API key: GPUCLUSTER_API_KEY in the environment, or the config value gpucluster:apiKey; of a connection, what " +
    "its entry of gpucluster:connections names",
  403: "The API key is not allowed to do this; keys are made in the dashboard settings, each for one organization",
};

const advicesByCode = new Map([
  ["invalid_gpu_type", "getGpuTypes() lists the GPU types that can be had"],
  ["insufficient_capacity", "Ask for fewer replicas, or for another GPU type; getGpuTypes() lists what can be had"],
]);

function adviceFor(status: number, code: string | undefined): string {
  const known = advicesByCode.get(code ?? "") ?? advices[status];
  return known ?? (status >= 500 ? "The service itself has a problem; run the command again later" : "");
}

/** The host may repeat what was sent. It is looked through as it came, for parsing makes small letters of it, and once more. */
function redirectAdvice({ headers }: HttpResponse, clean: (text: string) => string): string {
  const location = clean(headers["location"] ?? "");
  const target = URL.canParse(location) ? ` to ${clean(new URL(location).origin)}` : "";
  return `Redirects${target} are not followed, so that the key goes nowhere else; check the address, such as GPUCLUSTER_BASE_URL`;
}
