import type { ClusterRecord, StatusRecord } from "../../api/records";
import { redactUnknownWord } from "../../api/states";
import { type Clock, duration } from "../../base/clock";
import { type ErrorDetails, factsOf, GpuClusterError, messageOf, RequestError, TimeoutError } from "../../base/errors";
import type { Redactor } from "../../base/redact";
import { cleanText, cut } from "../../base/text";
import { type Ctx, InitError } from "../../contract";
import type { Observation } from "../compare/health";
import { secretsOf, withOthers } from "../model/secrets";
import type { CheckedInputs, ClusterState } from "../model/stateFields";

/** The time limits of operations in milliseconds, if the `customTimeouts` of the resource set none. */
export const defaultTimeoutsMs = { create: 60 * 60_000, update: 20 * 60_000, delete: 20 * 60_000, read: 20 * 60_000 };

/** Lookups may end this long after the deadline: they show the effect of the last request, and the error names what is known. */
const graceMs = 1_500;

/** The engine puts a bullet before each reason of a failure. Further lines are indented to the text after the bullet. */
const bulletIndent = "      ";

/** The fields of the state before that show whether the cluster is at rest. */
export type Before = Partial<Pick<ClusterState, "desiredStatus" | "settled" | "status">>;

/** The cluster that an operation works on. */
export interface Subject {
  /** Empty until the service has assigned one. */
  readonly id: string;
  /** The known inputs: a call may contain an id and nothing else. */
  readonly inputs: Partial<
    Pick<
      CheckedInputs,
      | "name"
      | "env"
      | "registryCredentialId"
      | "extraFields"
      | "readinessProbe"
      | "__secrets"
      | "gpuType"
      | "fallbackGpuTypes"
      | "container"
      | "adopt"
    >
  >;
  /** The state before: its secrets may still be quoted. */
  readonly olds?: Pick<ClusterState, "env" | "registryCredentialId" | "extraFields" | "readinessProbe" | "__secrets"> &
    Before;
}

/**
 * One operation on one cluster: its deadline, its name in messages, and its last observation. Secrets are hidden in texts of
 * the service when they arrive: those of the program, of the state, and of the service; and in our sentences on their way out.
 */
export class Operation {
  readonly deadlineMs: number;
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #redactor: Redactor;
  readonly #said = new Set<string>();
  #seen: Observation = {};
  #rest: { readonly word: string | undefined } | undefined;

  constructor(
    private readonly ctx: Ctx,
    private readonly sources: { readonly clock: Clock; readonly client: { readonly redactor: Redactor } },
    private readonly kind: keyof typeof defaultTimeoutsMs,
    private readonly subject: Subject,
  ) {
    const { clock, client } = sources;
    this.#clock = clock;
    this.#startMs = ctx.startMs ?? clock.now();
    this.deadlineMs = this.#startMs + (ctx.timeoutMs ?? defaultTimeoutsMs[kind]);
    this.#redactor = client.redactor;
    for (const properties of [subject.inputs, subject.olds ?? {}]) this.#redactor.learn(secretsOf(properties));
  }

  /** The same operation from now on, with a time limit of the same length. */
  renewed(): Operation {
    const [startMs, timeoutMs] = [this.#clock.now(), this.deadlineMs - this.#startMs];
    return new Operation({ ...this.ctx, startMs, timeoutMs }, this.sources, this.kind, this.subject);
  }

  get id(): string {
    return this.subject.id;
  }

  /** Whether the operation creates the cluster, so that nobody has seen the cluster before. */
  get isCreation(): boolean {
    return this.kind === "create" && this.subject.inputs.adopt === undefined;
  }

  get isUpdate(): boolean {
    return this.kind === "update";
  }

  get urn(): string {
    return this.ctx.urn;
  }

  get signal(): AbortSignal {
    return this.ctx.signal;
  }

  /** The state before. */
  get before(): Before {
    return this.subject.olds ?? {};
  }

  /** The status word of the stopped cluster, by this operation or by the state; `undefined` if it was not stopped. */
  get rest(): { readonly word: string | undefined } | undefined {
    const { desiredStatus, settled, status } = this.before;
    if (this.#rest || desiredStatus !== "stopped") return this.#rest;
    // Without a settled stop, the word may be that of a cluster which others have started again.
    return { word: settled ? status : undefined };
  }

  /** Notes that the cluster has stopped, whatever its status word is now. */
  stopped(): void {
    this.#rest = { word: this.observed.record?.status };
  }

  /** `cluster "web" (cl_1)`; `cluster cl_1` if the name is not known. */
  get title(): string {
    const [name, id] = [this.subject.inputs.name ?? "", this.id].map((text) => cleanText(text, 140));
    if (!name) return `cluster ${id}`;
    return `cluster "${name}"${id ? ` (${id})` : ""}`;
  }

  /** The last observation, so that a failure can put it into the state. */
  get observed(): Observation {
    return this.#seen;
  }

  observe(observation: Observation): void {
    const { record } = observation;
    const { inputs, olds = {} } = this.subject;
    const given = {
      env: { ...olds.env, ...inputs.env },
      __secrets: [...(olds.__secrets ?? []), ...(inputs.__secrets ?? [])],
    };
    this.#redactor.learn(secretsOf(withOthers(given, record?.env ?? {})));
    this.#seen = record ? { ...observation, record: clearRecord(record, this.#redactor) } : observation;
  }

  /** The options of every request of this operation. */
  request() {
    return { subject: this.title, signal: this.signal, deadlineMs: this.deadlineMs };
  }

  /** The options of every lookup of this operation; the last lookup may end shortly after the deadline. */
  lookup() {
    return { ...this.request(), deadlineMs: this.deadlineMs + graceMs };
  }

  /** Milliseconds until the deadline. */
  leftMs(): number {
    return Math.max(0, this.deadlineMs - this.#clock.now());
  }

  /** A pause that ends at the deadline at the latest. */
  pause(ms: number): Promise<void> {
    return this.#clock.sleep(Math.min(ms, this.leftMs()), this.signal);
  }

  /** The error of an operation that ends at its deadline. */
  timeout(what: string, details: ErrorDetails = {}): TimeoutError {
    return new TimeoutError(`timed out after ${duration(this.elapsedMs())}${what}`, details);
  }

  /** A status without secrets. */
  clear(status: StatusRecord): StatusRecord {
    return clearStatus(status, this.#redactor);
  }

  elapsedMs(): number {
    return this.#clock.now() - this.#startMs;
  }

  status(text: string): void {
    this.ctx.status(this.#shown(text));
  }

  /** Reports how far a wait is: `2/4 replicas healthy, provisioning, 3m10s of 60m`. */
  progress(text: string): void {
    const [elapsed, limit] = [this.elapsedMs(), this.deadlineMs - this.#startMs].map(duration);
    this.status(`${text}, ${elapsed} of ${limit}`);
  }

  info(text: string): void {
    this.ctx.log(this.#shown(`${this.title}: ${text}`), "info");
  }

  warn(text: string): void {
    this.ctx.log(this.#shown(`${this.title}: ${text}`), "warning");
  }

  warnOnce(text: string): void {
    if (!this.#said.has(text)) this.warn(text);
    this.#said.add(text);
  }

  /** An error for the user that names the cluster. Each fact that explains the error has its own line. */
  error(text: string, cause?: unknown): GpuClusterError {
    const others = [...factsOf(cause), ...(hitDeadline(cause) ? [moreTime] : [])];
    return new GpuClusterError(this.#lines(`${this.title} ${text}`, others, "  "), { cause });
  }

  /** The same error, free of secrets. */
  clean(error: unknown): unknown {
    if (error instanceof Error) error.message = this.#redact(error.message);
    return error;
  }

  /** The error if the cluster exists but is not as requested: it keeps the id and the state, whatever the cause is. */
  initError(cause: unknown, state: ClusterState, what: string, next = continued): InitError {
    const more = hitDeadline(cause) ? `; ${moreTime}` : "";
    const reason = this.#lines(
      `${this.title} ${what}: ${messageOf(cause)}`,
      [next + more, ...factsOf(cause)],
      bulletIndent,
    );
    return new InitError(this.id, state, [reason], { cause: this.clean(cause) });
  }

  #lines(first: string, others: readonly string[], indent: string): string {
    return [first, ...others].map((line) => this.#shown(line)).join(`\n${indent}`);
  }

  /** The message of an error in a text about this cluster. */
  brief(error: unknown): string {
    return messageOf(error).replaceAll(` for ${this.title}`, "");
  }

  /** A text about this cluster: it names the cluster once, and not again for each request. */
  #shown(text: string): string {
    return this.#redact(text.replaceAll(` for ${this.title}`, ""));
  }

  #redact(text: string): string {
    const { name = "", gpuType = "", fallbackGpuTypes = [], container = "" } = this.subject.inputs;
    return this.#redactor.hideInOwn(text, [name, gpuType, ...fallbackGpuTypes, container, this.id]);
  }
}

const continued = "It is kept in the state: run `pulumi up` again to continue from here";

const moreTime = "`customTimeouts` gives the operation more time";

/** Whether the deadline of the operation ended a request. */
function hitDeadline(cause: unknown): boolean {
  return cause instanceof RequestError && cause.hitDeadline;
}

/** Hides secrets in the status word and the reason of a cluster, which may quote them. */
function clearRecord(record: ClusterRecord, redactor: Redactor): ClusterRecord {
  const { status, reason } = record;
  return {
    ...record,
    ...(status === undefined ? {} : { status: redactUnknownWord(status, redactor) }),
    ...(reason === undefined ? {} : { reason: redactor.hide(reason) }),
  };
}

/** The most that a state keeps of replicas: each command reads and writes the whole state. */
const most = { replicas: 10_000, id: 128, status: 64, message: 1_024 };

/** Hides secrets in the texts about replicas, before they are cut: a small part of a secret is not found. */
export function clearStatus({ replicas, ...status }: StatusRecord, redactor: Redactor): StatusRecord {
  const cleared = replicas.slice(0, most.replicas).map(({ message, ...replica }) => ({
    ...replica,
    id: cut(redactor.hideInOwn(replica.id), most.id),
    status: cut(redactUnknownWord(replica.status, redactor), most.status),
    ...(message === undefined ? {} : { message: cut(redactor.hide(message), most.message) }),
  }));
  const word = status.status === undefined ? {} : { status: redactUnknownWord(status.status, redactor) };
  return { ...status, ...word, replicas: cleared };
}
