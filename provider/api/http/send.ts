import type { Dispatcher } from "undici";
import { ConfigError, ConnectionError, type Outcome, ResponseShapeError } from "../../base/errors";
import type { Redactor } from "../../base/redact";
import { cleanText } from "../../base/text";
import { isLoopback } from "../../base/url";

/** One request, as each handler of the chain gets it. */
export interface HttpRequest {
  readonly method: string;
  /** Relative to the base URL, encoded, with the query. */
  readonly path: string;
  /** The path with names in place of its parameters, for logs: `/v1/clusters/:id`. */
  readonly route?: string;
  /** JSON text; absent means no body and no Content-Type. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Row of the retry table. */
  readonly kind: RequestKind;
  /** Which sending of the request this is; 1, the first, if absent. */
  readonly attempt?: number;
  /** The largest number of attempts, the first included; default 5. */
  readonly attempts?: number;
  /** The purpose of a read, if it gives the request another priority than its kind does. */
  readonly urgency?: Urgency;
  /** The time at which it ends, retries included, by the clock of the chain; see `deadline` in `retry.ts`. */
  readonly deadlineMs?: number;
  /** The longest wait for a permit of the rate budget, in milliseconds; default: until its deadline, else 5 minutes. */
  readonly maxQueueMs?: number;
  /** The longest time of one attempt from sending to the last byte, in milliseconds; default 60 000. */
  readonly attemptTimeoutMs?: number;
  /** The resource that the request is about, for messages: `cluster "web" (cl_1)`. */
  readonly subject?: string;
  /** Hides the secrets that the service may quote in its answer. */
  readonly redactor?: Redactor;
  /** Throws if the answer to a read is JSON, but not the requested record. The read is then sent once more. */
  readonly accepts?: (answer: { readonly json: unknown; readonly headers: HttpResponse["headers"] }) => void;
  /** Ends a wait, and a read in flight. A write in flight always finishes. */
  readonly signal?: AbortSignal;
}

/** The longest wait for a permit if a request sets neither this limit nor a deadline, in milliseconds. */
export const defaultMaxQueueMs = 5 * 60_000;
/** The longest time of one attempt if the request sets none, in milliseconds. */
export const defaultAttemptMs = 60_000;

/** The effect of a request on the service. It decides whether the request may be sent again, and its priority. */
export type RequestKind = "read" | "delete" | "create" | "write" | "action";

/**
 * The purpose of a read:
 * - `reconcile` finds out what a change did whose answer was lost; it has the priority of a deletion;
 * - `poll` is one of the many polls of a wait; it has the lowest priority.
 */
export type Urgency = "reconcile" | "poll";

/** A request in messages: `POST /v1/clusters for cluster "web"`. The query is left out: the service chose it. */
export function titleOf({ method, path, subject }: Pick<HttpRequest, "method" | "path" | "subject">): string {
  return `${method} ${path.replace(/\?.*$/s, "")}${subject ? ` for ${subject}` : ""}`;
}

/** A raw answer. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body's JSON with clean texts, after it was parsed; `undefined` for an empty body. */
  readonly json?: unknown;
}

export type Send = (request: HttpRequest) => Promise<HttpResponse>;
/** One link of the chain: wraps the next one. */
export type Handler = (next: Send) => Send;

const maxBodyBytes = 8 * 1024 * 1024;
/** The rate budget lets no more requests be in flight: each has a connection. */
export const maxConnections = 16;

/**
 * The end of the chain: sends one request and reads one answer. Requests share connections, which stay open. A create request
 * opens its own: a connection that the service closes while it is idle would lose the answer, and with it a paid cluster.
 */
export function http(baseUrl: string): Send {
  let shared: Dispatcher | undefined;
  const { origin } = new URL(baseUrl);
  return async (request) => {
    // Loaded at the first request: a preview without requests does not need undici.
    const undici: typeof import("undici") = require("undici");
    const url = new URL(baseUrl + request.path);
    // A path that leads to another host would send the key there.
    if (url.origin !== origin) throw new TypeError(`not a path of the API: ${cleanText(request.path, 100)}`);
    const isShared = request.kind !== "create";
    const dispatcher = (isShared && shared) || newAgent(undici, url);
    if (isShared) shared = dispatcher;
    try {
      const response = await undici.request(url, {
        dispatcher,
        method: request.method as Dispatcher.HttpMethod,
        headers: { ...request.headers },
        body: request.body ?? null,
        signal: attemptSignal(request),
      });
      const headers = flatten(response.headers);
      if (isEncoded(headers)) {
        response.body.on("error", () => undefined).destroy(); // otherwise its connection would stay in use
        throw unreadable(request, "it is compressed, although the request did not ask for that");
      }
      return { status: response.statusCode, headers, body: new TextDecoder().decode(await response.body.bytes()) };
    } catch (error) {
      if (request.method === "GET" && request.signal?.aborted) throw request.signal.reason;
      throw toConnectionError(error, request, baseUrl);
    } finally {
      if (!isShared) dispatcher.destroy().catch(() => undefined);
    }
  };
}

const connectTimeout = { timeout: 10_000 };
const limits = {
  connections: maxConnections,
  maxResponseSize: maxBodyBytes,
  headersTimeout: 60_000,
  bodyTimeout: 30_000,
  connect: connectTimeout,
};

/**
 * Uses the proxy of the environment: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, also in small letters. A proxy sees the host only:
 * requests, and the key in them, pass through a tunnel. Requests to a service on this machine use no proxy.
 * @throws ConfigError if the address of a proxy is not valid.
 */
export function newAgent(undici: typeof import("undici"), { hostname }: URL): Dispatcher {
  if (isLoopback(hostname)) return new undici.Agent(limits);
  try {
    return new undici.EnvHttpProxyAgent({ ...limits, requestTls: connectTimeout, proxyTls: connectTimeout });
  } catch {
    // The original error quotes the address, which may hold a password.
    throw new ConfigError(
      "The proxy settings of the environment are not valid: HTTPS_PROXY and HTTP_PROXY must be addresses such as " +
        "http://HOST:PORT; NO_PROXY lists hosts that need no proxy",
    );
  }
}

function attemptSignal({ method, signal, attemptTimeoutMs = defaultAttemptMs }: HttpRequest): AbortSignal {
  const limit = AbortSignal.timeout(Math.ceil(attemptTimeoutMs));
  return method === "GET" && signal ? AbortSignal.any([signal, limit]) : limit;
}

export function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]));
}

/** The requests ask for no compression, and to unpack an answer all the same would defeat the size limit. */
function isEncoded({ "content-encoding": encoding = "identity" }: Record<string, string>): boolean {
  return encoding !== "identity";
}

/** The one error for a success that cannot be read; it names the doctor. The request may have taken effect. */
export function unreadable(request: HttpRequest, why: string): ResponseShapeError {
  const { method, path } = request;
  const text = `${titleOf(request)}: the service answered in a form that this version cannot read`;
  return new ResponseShapeError(text, { outcome: "ambiguous", method, path, why });
}

const unreachable = { outcome: "not-sent", isUnreachable: true } as const;

type KnownCode = { outcome: Outcome; text: string; isLate?: true; isUnreachable?: true };

const connectionCodes: Record<string, KnownCode> = {
  ECONNREFUSED: { ...unreachable, text: "the connection was refused" },
  ENOTFOUND: { ...unreachable, text: "the host name is unknown" },
  EAI_AGAIN: { ...unreachable, text: "the host name could not be looked up" },
  EHOSTUNREACH: { ...unreachable, text: "the host cannot be reached" },
  ENETUNREACH: { ...unreachable, text: "the network cannot be reached" },
  UND_ERR_CONNECT_TIMEOUT: { ...unreachable, text: "the host did not accept a connection in time" },
  PROXY: {
    outcome: "not-sent",
    text: "the proxy of the environment (HTTPS_PROXY, HTTP_PROXY) opened no connection to the host",
  },
  UND_ERR_INVALID_ARG: { outcome: "refused", text: "the request is not valid" },
  UND_ERR_HEADERS_TIMEOUT: { outcome: "ambiguous", text: "no answer came in time", isLate: true },
  UND_ERR_BODY_TIMEOUT: { outcome: "ambiguous", text: "the answer stopped half-way" },
  TimeoutError: { outcome: "ambiguous", text: "no complete answer came in time", isLate: true },
  ECONNRESET: { outcome: "ambiguous", text: "the connection broke before the answer was complete" },
  EPIPE: { outcome: "ambiguous", text: "the connection broke before the answer was complete" },
  UND_ERR_SOCKET: { outcome: "ambiguous", text: "the connection broke before the answer was complete" },
};

const tlsCodes = /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH)/;

function toConnectionError(error: unknown, request: HttpRequest, baseUrl: string): Error {
  if (error instanceof ResponseShapeError) return error;
  const { method, path } = request;
  const { code, detail, isConnecting, known: listed } = knownReason(error);
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return unreadable(request, "it is larger than 8 MiB");
  const known: KnownCode = listed ?? { outcome: "ambiguous", text: cleanText(detail, 200) };
  // On a connection that was open already, the same code means that the request may have arrived.
  const outcome = known.outcome === "not-sent" && !isConnecting ? "ambiguous" : known.outcome;
  return new ConnectionError(
    `${titleOf(request)}: ${known.text} (${code || "no code"}, ${new URL(baseUrl).host})`,
    { outcome, method, path, isLate: known.isLate, isUnreachable: known.isUnreachable && outcome !== "ambiguous" },
    // Not the original error: that of a parser holds the raw answer, which may quote the key.
    { cause: { code, message: cleanText(detail) } },
  );
}

/** The code of an error without an answer, and its text if the code is known. */
export function knownReason(error: unknown) {
  const reason = reasonOf(error);
  const known: KnownCode | undefined = tlsCodes.test(reason.code)
    ? untrusted(reason.code)
    : connectionCodes[reason.code];
  return { ...reason, known };
}

function untrusted(code: string): KnownCode {
  return { outcome: "refused", text: `the certificate of the host is not trusted (${code})`, isUnreachable: true };
}

/** Reads an error by its shape, not by its class: if tests run in a context of their own, Node's errors have other classes. */
function reasonOf(error: unknown): { code: string; detail: string; isConnecting: boolean } {
  const { code, name, message, syscall, errors } = propertiesOf(error);
  // The error for a host with several addresses holds one error for each.
  if (Array.isArray(errors) && errors.length > 0) return reasonOf(errors[0]);
  const detail = String(message ?? error);
  // undici has no code for a refusal by the proxy; the number is the proxy's status.
  if (/^Proxy response \(\d+\)/.test(detail)) return { code: "PROXY", detail, isConnecting: true };
  const known = typeof code === "string" ? code : String(name ?? "");
  const isConnecting = syscall === "connect" || syscall === "getaddrinfo" || known === "UND_ERR_CONNECT_TIMEOUT";
  return { code: known, detail, isConnecting };
}

/** Reads the properties by name, because those of an error are not enumerable. */
function propertiesOf(error: unknown): Record<string, unknown> {
  if (typeof error !== "object" || error === null) return {};
  const names = ["code", "name", "message", "syscall", "errors"];
  return Object.fromEntries(names.map((name) => [name, Reflect.get(error, name)]));
}
