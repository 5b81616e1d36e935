import type { HttpResponse } from "./http";
import { asCount, asRecord, asText, Fields } from "./read/json";
import { besideErrors, clusterIdPrefix, errorNames, rateLimitCode } from "./records";

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

/**
 * True for a success that is none: its body is an error and nothing else, or the documented envelope, whatever is beside it.
 * A record may hold an `error` too: why the cluster failed.
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
  // A word for a state beside it makes a record of it, unless that is what says that it is an error.
  const isState =
    asText(fields.get("status")) !== undefined && !/^(error|fail(ed|ure)?)$/i.test(String(fields.get("status")));
  const isCluster = asText(fields.get("id"))?.startsWith(clusterIdPrefix) === true;
  return status >= 400 || (!isState && !isCluster && others.every((name) => besideErrors.has(name)));
}

/** The documented envelope, else whatever stands at the top, or in the first of several errors; and which fields it is about. */
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

/** `name: is required`, from a list of problems, with places or without, or from a map of them. */
function fieldsSaid(details: unknown): string[] {
  const problems = Array.isArray(details) ? details.map(problemOf) : Object.entries(asRecord(details));
  return problems
    .flatMap(([place, text]) => (typeof text === "string" ? [[place, text].filter(Boolean).join(": ")] : []))
    .slice(0, mostFields);
}

function problemOf(item: unknown): [place: string, text: unknown] {
  const fields = new Fields(item);
  const place = fields.first(errorNames.place, (value) => asText(Array.isArray(value) ? value.join(".") : value));
  return [place ?? "", asText(item) ?? fields.first(errorNames.message, asText)];
}
