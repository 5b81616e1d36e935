import { ApiError, type Outcome, ResponseShapeError } from "../errors";
import type { Secret } from "../secret";
import { type Handler, type HttpRequest, type HttpResponse, titleOf } from "./http";
import { cleanJson, cleanWholeText, cut, redactor } from "./text";

const longKey = 16;

/**
 * Lets successes with a JSON body (or none) through, and turns everything else into an error that says what failed, what
 * the API answered and what to do next.
 */
export function statusErrors(apiKey: Secret): Handler {
  const key = apiKey.reveal();
  // A service may quote the key in data too. A short one stands in names by chance, and names must not be changed.
  const hideKey = redactor(key.length >= longKey ? [key] : []);
  return (next) => async (request) => {
    const response = await next(request);
    if (response.status >= 200 && response.status < 300) {
      // The raw text goes no further: it may hold the key.
      return { ...response, body: "", json: parseJson(request, response.body, hideKey) };
    }
    // Services quote in their errors what they were sent.
    throw toApiError(request, response, redactor([key, ...(request.secrets ?? [])]));
  };
}

/** A success that cannot be read may be a truncated one: reads are sent again, the rest may have taken effect. */
function parseJson(request: HttpRequest, body: string, hide: (text: string) => string): unknown {
  const { method, path } = request;
  const isEmpty = body.trim() === "";
  if (isEmpty && method !== "GET") return undefined;
  try {
    return cleanJson(JSON.parse(body), hide);
  } catch {
    // Whatever JSON.parse says of it would quote the body, which may hold an env value.
    const what = isEmpty
      ? "it is empty"
      : isPage(body)
        ? "it is a web page"
        : `${body.length} characters that are not JSON`;
    const text = `${titleOf(request)}: the service answered with a body that cannot be read: ${what}`;
    throw new ResponseShapeError(text, { outcome: "ambiguous", method, path });
  }
}

function isPage(body: string): boolean {
  return /^\s*</.test(body);
}

function toApiError(request: HttpRequest, response: HttpResponse, redact: (text: string) => string): ApiError {
  const { method, path } = request;
  const { status } = response;
  const { isApiAnswer, isEnvelope, ...said } = readEnvelope(response);
  // Redacted before it is cut, for a part of a secret would not be found; and after, for cleaning may join what was apart.
  const clean = (text: string, max = 500) => cut(redact(cleanWholeText(redact(text))), max);
  const message = clean(said.message);
  const code = said.code === undefined ? undefined : clean(said.code, 100);
  const answer = [code, `HTTP ${status}`].filter(Boolean).join(", ");
  const text = `${titleOf(request)}: ${message.replace(/\.$/, "") || "the service gave no reason"} (${answer})`;
  const advice = status >= 300 && status < 400 ? redirectAdvice(response) : adviceFor(status, said.code);
  return new ApiError([text, advice].filter(Boolean).join(". "), {
    outcome: outcomeOf(status),
    method,
    path,
    status,
    code,
    isApiAnswer,
    isEnvelope,
  });
}

const busy = new Set([408, 409, 423, 425]);

function outcomeOf(status: number): Outcome {
  if (status === 429) return "rate-limited";
  if (busy.has(status)) return "busy";
  // 501: the method does not exist there, so nothing can have happened.
  return status >= 500 && status !== 501 ? "server-error" : "refused";
}

const advices: Record<number, string> = {
  401: "Check the API key: GPUCLUSTER_API_KEY in the environment, or the config value gpucluster:apiKey",
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

function redirectAdvice({ headers }: HttpResponse): string {
  const location = URL.canParse(headers["location"] ?? "") ? ` to ${new URL(headers["location"] ?? "").origin}` : "";
  return `Redirects${location} are not followed, so that the key goes nowhere else; check GPUCLUSTER_BASE_URL`;
}

interface Envelope {
  readonly message: string;
  readonly code?: string;
  /** False for a page that some proxy wrote: such an answer proves nothing about the cluster. */
  readonly isApiAnswer: boolean;
  /** True for the documented shape: nobody but the API itself writes that. */
  readonly isEnvelope: boolean;
}

function readEnvelope({ body, headers }: HttpResponse): Envelope {
  if (body.trim() === "") return { message: "", isApiAnswer: true, isEnvelope: false };
  try {
    return readJson(JSON.parse(body));
  } catch {
    // Not JSON is an expected case here: proxies answer with pages of their own. A page is never quoted: it may hold the
    // whole request.
    const what =
      isPage(body) || headers["content-type"]?.includes("html")
        ? "a web page came back, not an API answer"
        : "not an API answer";
    return { message: what, isApiAnswer: false, isEnvelope: false };
  }
}

/** @assumption Services that leave out the documented envelope write `message`, `error`, `detail` or `code` at the top. */
function readJson(json: unknown): Envelope {
  const top = asObject(json);
  const inner = asObject(top["error"]);
  const message = [inner["message"], top["message"], top["detail"], top["error"]].find(
    (text) => typeof text === "string",
  );
  const code = [inner["code"], top["code"]].find((text) => typeof text === "string");
  return {
    message: typeof message === "string" ? message : "",
    code: typeof code === "string" ? code : undefined,
    isApiAnswer: true,
    isEnvelope:
      [typeof inner["code"], typeof inner["message"], typeof inner["status"]].join() === "string,string,number",
  };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
