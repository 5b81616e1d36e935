import type { ClusterRecord, StatusRecord } from "../../api/decode/records";
import { hideInStatus, isUnhealthyStatus } from "../../api/decode/states";
import { type Clock, duration } from "../../base/clock";
import {
  briefOf,
  ClusterFailedError,
  type ErrorDetails,
  GpuClusterError,
  RequestError,
  TimeoutError,
} from "../../base/errors";
import { Redactor } from "../../base/redact";
import { cleanText, cut } from "../../base/text";
import { defaultTimeoutsMs, lookupGraceMs } from "../../base/times";
import { type CallContext, InitError } from "../../contract";
import type { Observation } from "../health/health";
import { type CheckedInputs, type ClusterState, readableInputs, secretPathsOf, secretsOf } from "../schema/state";

/** The engine puts a bullet before each reason of a failure. Further lines are indented to the text after the bullet. */
const bulletIndent = "      ";

interface Subject {
  /** Empty until the service has assigned one. */
  readonly id: string;
  /** The known inputs: a call may contain an id and nothing else. */
  readonly inputs: Partial<CheckedInputs>;
  /** The previous state, whose secrets the service may still quote; of a new cluster, its first state. */
  readonly olds?: Partial<ClusterState>;
}

interface Poll<Result> {
  /** A pause before each check; 0 checks at once. */
  readonly pausesMs: readonly number[];
  readonly check: (pauseMs: number) => Promise<Result>;
  readonly isFinal?: (result: Result) => boolean;
  readonly message?: string;
}

/** Pauses that double up to a maximum, of this time together. */
export function doublingPauses(
  totalMs: number,
  { first, max }: { readonly first: number; readonly max: number },
): number[] {
  const pausesMs: number[] = [];
  let leftMs = totalMs;
  for (let pauseMs = first; leftMs > 0; pauseMs = Math.min(2 * pauseMs, max)) {
    pausesMs.push(Math.min(pauseMs, leftMs));
    leftMs -= pauseMs;
  }
  return pausesMs;
}

interface OperationSources {
  readonly clock: Clock;
  readonly client: { readonly redactor: Redactor };
  readonly once: Set<string>;
}

/**
 * One operation on one cluster: its deadline, its name in messages, and its last observation. Secrets of the program, the
 * state and the service are hidden in strings of the service when they arrive, and in our messages when they leave.
 */
export class Operation {
  readonly id: string;
  /** `cluster "web" (cl_1)`; `cluster cl_1` if the name is not known. */
  readonly title: string;
  readonly urn: string;
  readonly signal: AbortSignal;
  /** `adopt`: a creation that sends no create request, because the program names the cluster. */
  readonly kind: keyof typeof defaultTimeoutsMs | "adopt";
  readonly oldState: Partial<ClusterState>;
  readonly deadlineMs: number;
  readonly #startMs: number;
  readonly #redactor: Redactor;
  #observed: Observation = {};

  constructor(
    private readonly ctx: CallContext,
    private readonly sources: OperationSources,
    private readonly call: keyof typeof defaultTimeoutsMs,
    private readonly subject: Subject,
  ) {
    this.id = subject.id;
    const name = cleanText(subject.inputs.name ?? "", 140);
    const id = cleanText(subject.id, 140);
    const idAfterName = id ? ` (${id})` : "";
    this.title = name ? `cluster "${name}"${idAfterName}` : `cluster ${id}`;
    this.urn = ctx.urn;
    this.signal = ctx.signal;
    this.kind = call === "create" && subject.inputs.adopt !== undefined ? "adopt" : call;
    this.oldState = subject.olds ?? {};
    this.#startMs = ctx.startMs ?? sources.clock.now();
    this.deadlineMs = this.#startMs + (ctx.timeoutMs ?? defaultTimeoutsMs[call]);
    const versions = [subject.inputs, this.oldState];
    this.#redactor = new Redactor(sources.client.redactor, [subject.id, ...versions.flatMap(readableInputs)]);
    this.#redactor.learn(versions.flatMap(secretsOf));
  }

  renewed(): Operation {
    const startMs = this.now();
    const timeoutMs = this.deadlineMs - this.#startMs;
    return new Operation({ ...this.ctx, startMs, timeoutMs }, this.sources, this.call, this.subject);
  }

  get observed(): Observation {
    return this.#observed;
  }

  observe(observation: Observation): void {
    const { record } = observation;
    const __secrets = secretPathsOf(this.subject.inputs, this.oldState);
    this.#redactor.learn(secretsOf({ ...record, __secrets }));
    this.#observed = record ? { ...observation, record: clearRecord(record, this.#redactor) } : observation;
  }

  requestOptions() {
    const onWait = (message: string) => this.progress(this.#redactor.incoming(message));
    const { title: subject, signal, deadlineMs } = this;
    return { subject, signal, deadlineMs, onWait, redactor: this.#redactor };
  }

  /** The options of every lookup of this operation; the last lookup may end shortly after the deadline. */
  lookupOptions() {
    return { ...this.requestOptions(), deadlineMs: this.deadlineMs + lookupGraceMs };
  }

  now(): number {
    return this.sources.clock.now();
  }

  leftMs(): number {
    return Math.max(0, this.deadlineMs - this.now());
  }

  pause(ms: number): Promise<void> {
    return this.sources.clock.sleep(Math.min(ms, this.leftMs()), this.signal);
  }

  /** Checks after each of the pauses until a result is final, or the time of the operation is over. Returns the last result. */
  async poll<Result>({ pausesMs, check, isFinal = Boolean, message }: Poll<Result>): Promise<Result | undefined> {
    let result: Result | undefined;
    for (const pauseMs of pausesMs) {
      if (pauseMs > 0) {
        if (message) this.show(message);
        await this.pause(pauseMs);
      }
      result = await check(pauseMs);
      if (isFinal(result) || this.leftMs() === 0) break;
    }
    return result;
  }

  timeout(what: string, details: ErrorDetails = {}): TimeoutError {
    return new TimeoutError(`timed out after ${duration(this.elapsedMs())}${what}`, details);
  }

  elapsedMs(): number {
    return this.now() - this.#startMs;
  }

  show(text: string): void {
    this.ctx.status(this.#redactor.outgoing(text));
  }

  /** Reports how far a wait is: `2/4 replicas healthy, provisioning, 3m10s of 60m`. */
  progress(text: string): void {
    const limitMs = this.deadlineMs - this.#startMs;
    this.show(`${text}, ${duration(this.elapsedMs())} of ${duration(limitMs)}`);
  }

  info(text: string): void {
    this.ctx.log(this.#redactor.outgoing(`${this.title}: ${text}`), "info");
  }

  warn(text: string): void {
    this.ctx.log(this.#redactor.outgoing(`${this.title}: ${text}`), "warning");
  }

  /** Warns only if no operation of this process has warned of the topic. */
  warnOnce(text: string, topic = text): void {
    if (!this.sources.once.has(topic)) this.warn(text);
    this.sources.once.add(topic);
  }

  error(text: string, cause?: unknown): GpuClusterError {
    const details = [...explanationsOf(cause)];
    if (cause instanceof RequestError && cause.hitDeadline) details.push(moreTime);
    return new GpuClusterError(this.#lines(`${this.title} ${text}`, details, "  "), { cause: this.clean(cause) });
  }

  clean(error: unknown): unknown {
    return this.#redactor.outgoing(error);
  }

  /** The error if the cluster exists but is not as requested: it keeps the id and the state, whatever the cause. */
  initError(cause: unknown, state: ClusterState, what: string, nextStep?: string): InitError {
    const { record, status } = this.#observed;
    const parts = [{ status: record?.status, message: record?.reason }, ...(status?.replicas ?? [])];
    const namesReason = parts.some((part) => Boolean(part.message) && isUnhealthyStatus(part.status));
    const isVerdict = cause instanceof ClusterFailedError || cause instanceof TimeoutError;
    // A repetition does not help against a reason that the service names.
    const next = nextStep ?? (isVerdict && namesReason ? corrected : continued);
    const isLate = cause instanceof RequestError && cause.hitDeadline;
    const advice = isLate ? `${next}; ${moreTime}` : next;
    const details = [advice, ...explanationsOf(cause)];
    const reason = this.#lines(`${this.title} ${what}: ${briefOf(cause)}`, details, bulletIndent);
    return new InitError(this.id, state, [reason], { cause: this.clean(cause) });
  }

  #lines(summary: string, details: readonly string[], indent: string): string {
    return [summary, ...details].map((line) => this.#redactor.outgoing(line)).join(`\n${indent}`);
  }
}

const continued = "It is kept in the state: run `pulumi up` again to continue from here";

const corrected =
  "It is kept in the state: correct `container`, or what the reasons name, then run `pulumi up`. Without a change, it continues";

const moreTime = "`customTimeouts` gives the operation more time";

/** Hides secrets in the status word and the reason of a cluster, which may quote them. */
export function clearRecord(record: ClusterRecord, redactor: Redactor): ClusterRecord {
  const hide = (text: string) => redactor.incoming(text);
  const cleared = { ...record };
  if (record.status !== undefined) cleared.status = hideInStatus(record.status, hide);
  if (record.reason !== undefined) cleared.reason = hide(record.reason);
  return cleared;
}

/** What a state keeps of replicas at most: each command reads and writes the whole state. */
const maxStored = { replicas: 10_000, id: 128, status: 64, message: 1_024 };

/** Hides secrets in the strings about replicas, before they are cut: a fragment of a secret is not recognized. */
export function clearStatus(status: StatusRecord, redactor: Redactor): StatusRecord {
  const hide = (text: string) => redactor.incoming(text);
  const replicas = status.replicas.slice(0, maxStored.replicas).map((replica) => {
    const id = cut(redactor.outgoing(replica.id), maxStored.id);
    const cleared = { ...replica, id, status: cut(hideInStatus(replica.status, hide), maxStored.status) };
    if (replica.message !== undefined) cleared.message = cut(hide(replica.message), maxStored.message);
    return cleared;
  });
  const cleared = { ...status, replicas };
  if (status.status !== undefined) cleared.status = hideInStatus(status.status, hide);
  return cleared;
}

function explanationsOf(error: unknown): readonly string[] {
  return error instanceof GpuClusterError ? (error.details.explanations ?? []) : [];
}
