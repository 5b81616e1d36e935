/**
 * The whole error hierarchy: one class for each decision that a caller makes. Messages say what failed, on which cluster,
 * what the API answered and what to do next. No error ever holds the API key or a value of `env`.
 */

const marker = Symbol.for("pulumi-gpucluster.error");

/** What an error may say beside its message. */
export interface ErrorDetails extends ErrorOptions {
  /** What explains it, one line each. */
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

/** The configuration is missing something or is not usable; nothing was sent. */
export class ConfigError extends GpuClusterError {
  override readonly name = "ConfigError";
}

/** The user interrupted; what exists is kept. */
export class InterruptedError extends GpuClusterError {
  override readonly name = "InterruptedError";
}

/** An operation took longer than it may. */
export class TimeoutError extends GpuClusterError {
  override readonly name = "TimeoutError";
}

/** The create request may or may not have made a cluster, or would make a second one: somebody has to look. */
export class CreateError extends GpuClusterError {
  override readonly name = "CreateError";
}

/** A cluster may exist, or come to exist, of which the id is not known: nothing more is sent for its name. */
export class UncertainError extends CreateError {}

/** A cluster is in a state that it will not leave by itself. */
export class ClusterFailedError extends GpuClusterError {
  override readonly name = "ClusterFailedError";
}

/** How far a failed request got: decides whether it may be sent again. */
export type Outcome =
  /** It surely did not arrive. */
  | "not-sent"
  /** It may have arrived and taken effect. */
  | "ambiguous"
  /** 429, or another status that says so: not processed; wait for the window. */
  | "rate-limited"
  /** 5xx: may have taken effect. */
  | "server-error"
  /** 409, 423, 425: not now. */
  | "busy"
  /** Everything else that is not a success: the same request would fail again. */
  | "refused";

/** What every failed request knows of itself. */
export interface RequestFailure {
  readonly outcome: Outcome;
  readonly method: string;
  readonly path: string;
  /** True when it was waited for in vain: whoever waited has given up, and the service may still be at work on it. */
  readonly isLate?: boolean;
  /** True when its deadline ended it: with more time it might have gone otherwise. */
  readonly isCut?: boolean;
}

/** A request that ended without the answer that was asked for. */
export abstract class RequestError extends GpuClusterError implements RequestFailure {
  readonly outcome: Outcome;
  readonly method: string;
  readonly path: string;
  readonly isLate: boolean;
  isCut: boolean;

  constructor(message: string, failure: RequestFailure, options?: ErrorOptions) {
    super(message, options);
    this.outcome = failure.outcome;
    this.method = failure.method;
    this.path = failure.path;
    this.isLate = failure.isLate ?? false;
    this.isCut = failure.isCut ?? false;
  }

  /** True when the service may have acted on the request although its answer was lost. */
  get maybeApplied(): boolean {
    return this.outcome === "ambiguous" || this.outcome === "server-error";
  }
}

/** No HTTP answer: the network, DNS, TLS, or a time limit. */
export class ConnectionError extends RequestError {
  override readonly name = "ConnectionError";
}

/** What a success says that is of no use. */
export interface ShapeFailure extends RequestFailure {
  /** Why it cannot be read, without a word of the service; absent if the service itself says that something failed. */
  readonly why?: string;
}

/** What the user can do about an answer that cannot be read. */
const misreadAdvice = "`npx pulumi-gpucluster doctor` shows what is understood of this service";

/** A success status with a body that cannot be read; the request itself may have taken effect. */
export class ResponseShapeError extends RequestError {
  override readonly name = "ResponseShapeError";
  readonly why: string | undefined;

  constructor(message: string, { why, ...failure }: ShapeFailure, options?: ErrorOptions) {
    super(why === undefined ? message : `${message}: ${why}. ${misreadAdvice}`, failure, options);
    this.why = why;
  }
}

/** What the API said when it refused. */
export interface ApiFailure extends RequestFailure {
  readonly status: number;
  /** The `error.code` of the envelope, where there was one. */
  readonly code?: string;
  /** False when some proxy answered in place of the API (a web page, plain text). */
  readonly isApiAnswer: boolean;
  /** True when the body had the documented shape (section 7). */
  readonly isEnvelope?: boolean;
  /** The API's own text. */
  readonly said?: string;
  /** The methods that the `Allow` header names. */
  readonly allow?: readonly string[];
}

/** The API answered with an error status. */
export class ApiError extends RequestError {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string | undefined;
  readonly isApiAnswer: boolean;
  readonly isEnvelope: boolean;
  readonly said: string;
  readonly allow: readonly string[];

  constructor(message: string, failure: ApiFailure, options?: ErrorOptions) {
    super(message, failure, options);
    this.status = failure.status;
    this.code = failure.code;
    this.isApiAnswer = failure.isApiAnswer;
    this.isEnvelope = failure.isEnvelope ?? false;
    this.said = failure.said ?? "";
    this.allow = failure.allow ?? [];
  }
}

/** The service has no update of clusters: it refused every method for it, so nothing was changed. */
export class NoUpdateError extends ApiError {}

/** A change that the service takes only with a new cluster. It was refused as a whole. */
export class NotInPlaceError extends GpuClusterError {}

/** True when the API itself says that there is no such thing: the only answer that may count as "gone". */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof ApiError && error.isApiAnswer)) return false;
  const isSaid = error.isEnvelope && error.status < 500 && /^(cluster_?)?not_?found$/i.test(error.code ?? "");
  return error.status === 404 || error.status === 410 || isSaid;
}

/** True when the service has no such endpoint, or may not have it: a 404 may be about what the path names. */
export function isMissingEndpoint(error: unknown): boolean {
  return isNotFound(error) || (error instanceof ApiError && (error.status === 405 || error.status === 501));
}

/** The same error; where the API says that there is no such thing, with what to do about it. */
export function withNotFoundAdvice(error: unknown, advice: string): unknown {
  if (error instanceof ApiError && isNotFound(error)) error.message += `. ${advice}`;
  return error;
}

/** True when the key itself is the problem, so that waiting cannot help. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}

/** True when the service does not accept the key at all, for anything. */
export function isRejectedKey(error: unknown): boolean {
  if (!(error instanceof ApiError && error.isApiAnswer)) return false;
  return error.status === 401 || (error.status === 403 && /api_?key/i.test(error.code ?? ""));
}

/** What explains an error of this package, one line each. */
export function factsOf(error: unknown): readonly string[] {
  return GpuClusterError.isInstance(error) ? error.facts : [];
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
