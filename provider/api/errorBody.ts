import type { HttpResponse } from "./http";
import { asCount, asText, Fields, isRecord } from "./read/json";
import { errorNames, rateLimitCode } from "./records";

/** What the body of a refusal says. */
export interface ErrorBody {
  /** Empty where it says nothing. */
  readonly message: string;
  readonly code?: string;
  /** False for a page that some proxy wrote: such an answer proves nothing about the cluster. */
  readonly isApiAnswer: boolean;
  /** True for the documented shape: nobody but the API itself writes that. */
  readonly isEnvelope: boolean;
}

export function readErrorBody({ body, headers }: Pick<HttpResponse, "body" | "headers">): ErrorBody {
  if (body.trim() === "") return { message: "", isApiAnswer: true, isEnvelope: false };
  try {
    return readJson(JSON.parse(body));
  } catch {
    // Not JSON is an expected case here: proxies answer with pages of their own. A page is never quoted: it may hold the
    // whole request.
    const isHtml = isPage(body) || headers["content-type"]?.includes("html");
    const message = isHtml ? "a web page came back, not an API answer" : "not an API answer";
    return { message, isApiAnswer: false, isEnvelope: false };
  }
}

export function isPage(body: string): boolean {
  return /^\s*</.test(body);
}

/** True when a refusal means the rate limit, so that nothing was done: 429, or another status whose code says so. */
export function isRateLimited(response: Pick<HttpResponse, "status" | "body" | "headers">): boolean {
  if (response.status === 429) return true;
  if (response.status !== 403 && response.status !== 503) return false;
  return rateLimitCode.test(readErrorBody(response).code ?? "");
}

/** What may stand beside an error that is the whole answer. */
const besideErrors: ReadonlySet<string> = new Set([
  "id",
  "request_id",
  "trace_id",
  "code",
  "message",
  "status",
  "success",
  "ok",
  "detail",
  "timestamp",
  "path",
]);

/**
 * True for a success that is none: its body is an error and nothing else, or the documented envelope, whatever is beside it.
 * A record may hold an `error` too: why the cluster failed.
 */
export function isErrorInSuccess(json: unknown): boolean {
  const fields = new Fields(json);
  const error = fields.get("error") ?? fields.get("errors");
  if (typeof error === "boolean" || !error || (Array.isArray(error) && error.length === 0)) return false;
  const status = asCount(new Fields(error).get("status")) ?? 0;
  const others = fields.names().filter((name) => name !== "error" && name !== "errors");
  return status >= 400 || others.every((name) => besideErrors.has(name));
}

/** The documented envelope, else whatever stands at the top, or in the first of several errors. */
function readJson(json: unknown): ErrorBody {
  const top = new Fields(json);
  const inner = new Fields(top.get("error"));
  const [several] = [top.get("errors"), top.get("detail")].filter(Array.isArray);
  const places = [inner, new Fields(several?.[0]), top];
  const find = (names: readonly string[]) =>
    places.map((place) => place.first(names, asText)).find((text) => text !== undefined);
  const envelope = isRecord(json) && isRecord(json["error"]) ? json["error"] : {};
  const types = [typeof envelope["code"], typeof envelope["message"], typeof envelope["status"]].join();
  return {
    message: find(errorNames.message) ?? asText(several?.[0]) ?? "",
    code: find(errorNames.code),
    isApiAnswer: true,
    isEnvelope: types === "string,string,number",
  };
}
