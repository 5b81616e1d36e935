/**
 * The whole error hierarchy: one class for each decision that a caller makes. Messages say what failed, on which
 * cluster, what the API answered and what to do next. No error ever contains the API key or a value of `env`.
 */

const marker = Symbol.for("pulumi-gpucluster.error");

/** The details of an error beside its message. */
export interface ErrorDetails extends ErrorOptions {
  /** The facts that explain the error, one line each. */
  readonly facts?: readonly string[];
}

/** The base of every error of this package. */
export class GpuClusterError extends Error {
  override readonly name: string = "GpuClusterError";
  readonly [marker] = true;
  readonly facts: readonly string[];

  constructor(message: string, { facts = [], ...options }: ErrorDetails = {}) {
    super(message, options);
    this.facts = facts;
  }

  /** Works across two copies of the package, where `instanceof` does not. */
  static isInstance(error: unknown): error is GpuClusterError {
    return typeof error === "object" && error !== null && marker in error;
  }
}

/** The configuration is incomplete or invalid; nothing was sent. */
export class ConfigError extends GpuClusterError {
  override readonly name = "ConfigError";
}

/** The user interrupted the operation; everything that exists is kept. */
export class InterruptedError extends GpuClusterError {
  override readonly name = "InterruptedError";
}

/** An operation exceeded its time limit. */
export class TimeoutError extends GpuClusterError {
  override readonly name = "TimeoutError";
}

/** The create request may have created a cluster, or would create a second one: the user has to check. */
export class CreateError extends GpuClusterError {
  override readonly name = "CreateError";
}

/** A cluster with an unknown id may exist, or may still be created: no further request is sent for its name. */
export class UncertainError extends CreateError {}

/** A cluster is in a state that will not change by itself. */
export class ClusterFailedError extends GpuClusterError {
  override readonly name = "ClusterFailedError";
}

/** How far a failed request got: decides whether a retry is allowed. */
export type Outcome =
  /** It certainly did not arrive. */
  | "not-sent"
  /** It may have arrived and taken effect. */
  | "ambiguous"
  /** 429, or another status for the rate limit: not processed; the next window may allow it. */
  | "rate-limited"
  /** 5xx: may have taken effect. */
  | "server-error"
  /** 409, 423, 425: not now. */
  | "busy"
  /** Refused by a code for lack of GPUs (4xx or 503): nothing was done; another type or a later time may succeed. */
  | "no-capacity"
  /** Any other failure: the same request would fail again. */
  | "refused";

/** The properties of every failed request. */
export interface RequestFailure {
  readonly outcome: Outcome;
  readonly method: string;
  readonly path: string;
  /** True if the client or a gateway stopped waiting for the answer: the service may still be working on it. */
  readonly isLate?: boolean;
  /** True when its deadline ended it: with more time it might have gone otherwise. */
  readonly hitDeadline?: boolean;
}

/** A request that ended without the expected answer. */
export abstract class RequestError extends GpuClusterError implements RequestFailure {
  readonly outcome: Outcome;
  readonly method: string;
  readonly path: string;
  readonly isLate: boolean;
  hitDeadline: boolean;

  constructor(message: string, failure: RequestFailure, options?: ErrorOptions) {
    super(message, options);
    this.outcome = failure.outcome;
    this.method = failure.method;
    this.path = failure.path;
    this.isLate = failure.isLate ?? false;
    this.hitDeadline = failure.hitDeadline ?? false;
  }

  /** True if the service may have acted on the request although its answer was lost. */
  get maybeApplied(): boolean {
    return this.outcome === "ambiguous" || this.outcome === "server-error";
  }
}

/** No HTTP answer: the network, DNS, TLS, or a time limit. */
export class ConnectionError extends RequestError {
  override readonly name = "ConnectionError";
  /** True if there was no connection to the host, so that its address may be wrong. */
  readonly isUnreachable: boolean;

  constructor(message: string, failure: RequestFailure & { readonly isUnreachable?: boolean }, options?: ErrorOptions) {
    super(message, failure, options);
    this.isUnreachable = failure.isUnreachable ?? false;
  }
}

/** The details of a success that cannot be used. */
export interface ShapeFailure extends RequestFailure {
  /** The reason why it cannot be read, without a text of the service; absent if the service reports a failure. */
  readonly why?: string;
}

/** The advice for an answer that cannot be read. */
const misreadAdvice = "`npx pulumi-gpucluster doctor` shows what is understood";

/** A success status with a body that cannot be read; the request itself may have taken effect. */
export class ResponseShapeError extends RequestError {
  override readonly name = "ResponseShapeError";
  readonly why: string | undefined;

  constructor(message: string, { why, ...failure }: ShapeFailure, options?: ErrorOptions) {
    super(why === undefined ? message : `${message}: ${why}. ${misreadAdvice}`, failure, options);
    this.why = why;
  }
}

/** The details of a refusal by the API. */
export interface ApiFailure extends RequestFailure {
  readonly status: number;
  /** The `error.code` of the envelope, if there was one. */
  readonly code?: string;
  /** False if a proxy answered in place of the API (a web page, plain text). */
  readonly isApiAnswer: boolean;
  /** True if the body had the documented form (section 7). */
  readonly isEnvelope?: boolean;
  /** The API's own text. */
  readonly apiMessage?: string;
}

/** The API answered with an error status. */
export class ApiError extends RequestError {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string | undefined;
  readonly isApiAnswer: boolean;
  readonly isEnvelope: boolean;
  readonly apiMessage: string;

  constructor(message: string, failure: ApiFailure, options?: ErrorOptions) {
    super(message, failure, options);
    this.status = failure.status;
    this.code = failure.code;
    this.isApiAnswer = failure.isApiAnswer;
    this.isEnvelope = failure.isEnvelope ?? false;
    this.apiMessage = failure.apiMessage ?? "";
  }
}

/** The service cannot update clusters: it refused every method, so nothing was changed. */
export class NoUpdateError extends ApiError {}

/** A change that the service allows only with a new cluster. The whole change was refused. */
export class NotInPlaceError extends GpuClusterError {}

/** True if the API itself says that the resource does not exist: the only answer that may count as "deleted". */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof ApiError && error.isApiAnswer)) return false;
  const isRefusal = error.status >= 400 && error.status < 500;
  const isSaid = error.isEnvelope && isRefusal && /^(cluster_?)?not_?found$/i.test(error.code ?? "");
  return error.status === 404 || error.status === 410 || isSaid;
}

/** True if the service has no such endpoint, or may have none: a 404 may also be about the resource in the path. */
export function isMissingEndpoint(error: unknown): error is ApiError {
  return isNotFound(error) || (error instanceof ApiError && (error.status === 405 || error.status === 501));
}

/** Returns the same error. If the API says that the resource does not exist, the message ends with the advice. */
export function withNotFoundAdvice(error: unknown, advice: string): unknown {
  if (error instanceof ApiError && isNotFound(error)) error.message += `. ${advice}`;
  return error;
}

/** True if a request was refused for lack of GPUs. The refusal is clear: nothing was done. */
export function isCapacityRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.outcome === "no-capacity";
}

/** True if the key itself is the problem, so that waiting cannot help. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}

/** True if the service does not accept the key for any request. */
export function isRejectedKey(error: unknown): boolean {
  if (!(error instanceof ApiError && error.isApiAnswer)) return false;
  return error.status === 401 || (error.status === 403 && /api_?key/i.test(error.code ?? ""));
}

/** The facts that explain an error of this package, one line each. */
export function factsOf(error: unknown): readonly string[] {
  return GpuClusterError.isInstance(error) ? error.facts : [];
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
