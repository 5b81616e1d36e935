import type { Dispatcher } from "undici";
import { isLoopback } from "../connections";
import { ConfigError, ConnectionError, type Outcome, ResponseShapeError } from "../errors";
import { cleanText } from "./text";

/** One request, on its way down the chain. */
export interface HttpRequest {
  readonly method: string;
  /** Relative to the base URL, encoded, with the query. */
  readonly path: string;
  /** JSON text; absent means no body and no Content-Type. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Row of the retry table. */
  readonly kind: RequestKind;
  /** How many times it may be sent in all; default 5. */
  readonly attempts?: number;
  /** Who may go before it, where that is not plain from its kind. */
  readonly urgency?: Urgency;
  /** Until when it may take, retries and all, by the clock of the chain; see `deadline.ts`. */
  readonly deadlineMs?: number;
  /** The longest time that it waits for its turn in the rate budget, in milliseconds; default: its deadline, else 5 minutes. */
  readonly patienceMs?: number;
  /** The longest time of one attempt from sending to the last byte, in milliseconds; default 60 000. */
  readonly attemptTimeoutMs?: number;
  /** What it is about, for messages: `cluster "web" (cl_1)`. */
  readonly subject?: string;
  /** Values that must not show in a message, whatever the API answers. */
  readonly secrets?: readonly string[];
  /** Throws for the answer to a read that is JSON, but not what was asked for: it is asked for once more. */
  readonly accepts?: (answer: { readonly json: unknown; readonly headers: HttpResponse["headers"] }) => void;
  /** Ends waiting, and a request in flight where that is a read; a write in flight is always let finish. */
  readonly signal?: AbortSignal;
}

/** How long a request waits for its turn where it does not say, in milliseconds. */
export const defaultPatienceMs = 5 * 60_000;
/** How long one attempt takes at most where it does not say, in milliseconds. */
export const defaultAttemptMs = 60_000;

/** What a request does to the service: decides whether it may be sent again, and who goes first. */
export type RequestKind = "read" | "delete" | "create" | "write" | "action";

/**
 * What a read is for, which its kind does not tell: `reconcile` finds out what became of a change whose answer was lost, and
 * goes with deletions; `look` is one of many in a wait, and goes last.
 */
export type Urgency = "reconcile" | "look";

/** A request in messages: `POST /v1/clusters for cluster "web"`. Its query is the service's own, and may hold anything. */
export function titleOf({ method, path, subject }: Pick<HttpRequest, "method" | "path" | "subject">): string {
  return `${method} ${path.replace(/\?.*$/s, "")}${subject ? ` for ${subject}` : ""}`;
}

/** A raw answer. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body's JSON with clean texts, once it is known to be some; `undefined` for an empty body. */
  readonly json?: unknown;
}

export type Send = (request: HttpRequest) => Promise<HttpResponse>;
/** One link of the chain: wraps the next one. */
export type Handler = (next: Send) => Send;

const maxBodyBytes = 8 * 1024 * 1024;
const maxConnections = 6;

/** The end of the chain: sends one request and reads one answer. Connections are kept and shared. */
export function http(baseUrl: string): Send {
  let dispatcher: Dispatcher | undefined;
  const { origin } = new URL(baseUrl);
  return async (request) => {
    // Loaded at the first request: a preview without one should not pay for it.
    const undici: typeof import("undici") = require("undici");
    dispatcher ??= newAgent(undici, new URL(baseUrl));
    const url = new URL(baseUrl + request.path);
    // A path that would lead to another host would take the key there.
    if (url.origin !== origin) throw new TypeError(`not a path of the API: ${cleanText(request.path, 100)}`);
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
        response.body.on("error", () => undefined).destroy(); // or its connection would stay taken
        throw encodedAnswer(request);
      }
      return { status: response.statusCode, headers, body: new TextDecoder().decode(await response.body.bytes()) };
    } catch (error) {
      if (request.method === "GET" && request.signal?.aborted) throw request.signal.reason;
      throw toConnectionError(error, request, baseUrl);
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
 * With the proxy of the environment: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, also in small letters. All that a proxy is told is
 * the host: requests, and the key with them, go through a tunnel. A service on this machine is asked directly.
 * @throws ConfigError for a proxy that has no address.
 */
function newAgent(undici: typeof import("undici"), { hostname }: URL): Dispatcher {
  if (isLoopback(hostname)) return new undici.Agent(limits);
  try {
    return new undici.EnvHttpProxyAgent({ ...limits, requestTls: connectTimeout, proxyTls: connectTimeout });
  } catch {
    // The error itself would quote the address, which may hold a password.
    throw new ConfigError(
      "The proxy of the environment is not usable: HTTPS_PROXY and HTTP_PROXY must be addresses such as " +
        "http://proxy.example.com:8080; NO_PROXY names hosts that are asked directly",
    );
  }
}

function attemptSignal({ method, signal, attemptTimeoutMs = defaultAttemptMs }: HttpRequest): AbortSignal {
  const limit = AbortSignal.timeout(Math.ceil(attemptTimeoutMs));
  return method === "GET" && signal ? AbortSignal.any([signal, limit]) : limit;
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]));
}

/** Nothing compressed was asked for, and unpacking what was not asked for would defeat the size limit. */
function isEncoded({ "content-encoding": encoding = "identity" }: Record<string, string>): boolean {
  return encoding !== "identity";
}

function encodedAnswer(request: HttpRequest): ResponseShapeError {
  const { method, path } = request;
  const text = `${titleOf(request)}: the service answered with a body that cannot be read`;
  return new ResponseShapeError(text, {
    outcome: "ambiguous",
    method,
    path,
    why: "it is compressed, which was not asked for",
  });
}

const connectionCodes: Record<string, { outcome: Outcome; text: string; isLate?: true }> = {
  ECONNREFUSED: { outcome: "not-sent", text: "the connection was refused" },
  ENOTFOUND: { outcome: "not-sent", text: "the host name is unknown" },
  EAI_AGAIN: { outcome: "not-sent", text: "the host name could not be looked up" },
  EHOSTUNREACH: { outcome: "not-sent", text: "the host cannot be reached" },
  ENETUNREACH: { outcome: "not-sent", text: "the network cannot be reached" },
  UND_ERR_CONNECT_TIMEOUT: { outcome: "not-sent", text: "the host did not accept a connection in time" },
  PROXY: {
    outcome: "not-sent",
    text: "the proxy of the environment (HTTPS_PROXY, HTTP_PROXY) opened no connection to the host",
  },
  UND_ERR_INVALID_ARG: { outcome: "refused", text: "the request is not valid" },
  UND_ERR_HEADERS_TIMEOUT: { outcome: "ambiguous", text: "no answer came in time", isLate: true },
  UND_ERR_BODY_TIMEOUT: { outcome: "ambiguous", text: "the answer stopped half-way" },
  TimeoutError: { outcome: "ambiguous", text: "no complete answer came in time", isLate: true },
  UND_ERR_RES_EXCEEDED_MAX_SIZE: { outcome: "ambiguous", text: "the answer is larger than 8 MiB" },
  ECONNRESET: { outcome: "ambiguous", text: "the connection broke before the answer was complete" },
  EPIPE: { outcome: "ambiguous", text: "the connection broke before the answer was complete" },
  UND_ERR_SOCKET: { outcome: "ambiguous", text: "the connection broke before the answer was complete" },
};

const tlsCodes = /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH)/;

function toConnectionError(error: unknown, request: HttpRequest, baseUrl: string): Error {
  if (error instanceof ResponseShapeError) return error;
  const { method, path } = request;
  const { code, detail, isConnecting } = reasonOf(error);
  const known: (typeof connectionCodes)[string] = tlsCodes.test(code)
    ? { outcome: "refused", text: `the certificate of the host is not trusted (${code})` }
    : (connectionCodes[code] ?? { outcome: "ambiguous", text: cleanText(detail, 200) });
  // The same code on a connection that stood means that the request may have arrived.
  const outcome = known.outcome === "not-sent" && !isConnecting ? "ambiguous" : known.outcome;
  return new ConnectionError(
    `${titleOf(request)}: ${known.text} (${code || "no code"}, ${new URL(baseUrl).host})`,
    { outcome, method, path, isLate: known.isLate },
    // Not the error itself: a parser's holds the raw answer, which may quote the key.
    { cause: { code, message: cleanText(detail) } },
  );
}

/** Read by shape: Node's own errors are of another realm where tests run in a context of their own. */
function reasonOf(error: unknown): { code: string; detail: string; isConnecting: boolean } {
  const { code, name, message, syscall, errors } = asRecord(error);
  // A host with several addresses fails with one error that holds the others.
  if (Array.isArray(errors) && errors.length > 0) return reasonOf(errors[0]);
  const detail = String(message ?? error);
  // undici has no code for it; the number is the proxy's own status.
  if (/^Proxy response \(\d+\)/.test(detail)) return { code: "PROXY", detail, isConnecting: true };
  const known = typeof code === "string" ? code : String(name ?? "");
  const isConnecting = syscall === "connect" || syscall === "getaddrinfo" || known === "UND_ERR_CONNECT_TIMEOUT";
  return { code: known, detail, isConnecting };
}

/** The properties of an error, which are not enumerable. */
function asRecord(error: unknown): Record<string, unknown> {
  if (typeof error !== "object" || error === null) return {};
  const names = ["code", "name", "message", "syscall", "errors"];
  return Object.fromEntries(names.map((name) => [name, Reflect.get(error, name)]));
}
