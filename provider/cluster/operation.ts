import { clearWord } from "../api/read/states";
import type { ClusterRecord, StatusRecord } from "../api/records";
import { cleanText, redactor } from "../api/text";
import { type Clock, duration } from "../clock";
import { type Ctx, InitError } from "../core";
import { factsOf, GpuClusterError, messageOf } from "../errors";
import type { CheckedInputs, ClusterState } from "./fields";
import type { Look } from "./readiness";
import { secretsOf } from "./state";

/** How long operations may take where the resource's `customTimeouts` do not say, in milliseconds. */
export const defaultTimeoutsMs = { create: 60 * 60_000, update: 20 * 60_000, delete: 20 * 60_000, read: 20 * 60_000 };

/** Shorter values are ordinary words more often than secrets. */
const shortestTelling = 8;

/** The engine puts a bullet before each reason of a failure; the lines under it stand below its text. */
const underBullet = "      ";

/** What an operation works on. */
export interface Subject {
  /** Empty before the service has given one. */
  readonly id: string;
  /** All that is known: a call may come with an id and nothing else. */
  readonly inputs: Partial<
    Pick<CheckedInputs, "name" | "env" | "extraFields" | "gpuType" | "container" | "healthCheck" | "adopt">
  >;
  /** The state before, whose values are secret too. */
  readonly olds?: Pick<ClusterState, "env" | "extraFields" | "desiredStatus">;
}

/**
 * One operation on one cluster: its time, its name in messages, and what it saw last. What the service says is cleared of
 * the values of env where it comes in: those of the program, of the state, and of the service. What leaves for a person's
 * eyes is cleared once more.
 */
export class Operation {
  readonly deadlineMs: number;
  readonly #startMs: number;
  readonly #secrets: Set<string>;
  #seen: Look = {};

  constructor(
    private readonly ctx: Ctx,
    private readonly clock: Clock,
    private readonly kind: keyof typeof defaultTimeoutsMs,
    private readonly subject: Subject,
  ) {
    this.#startMs = clock.now();
    this.deadlineMs = this.#startMs + (ctx.timeoutMs ?? defaultTimeoutsMs[kind]);
    this.#secrets = new Set([...secretsOf(subject.inputs), ...secretsOf(subject.olds ?? {})]);
  }

  get id(): string {
    return this.subject.id;
  }

  /** Whether it makes the cluster, which nobody has seen before. */
  get isCreation(): boolean {
    return this.kind === "create" && this.subject.inputs.adopt === undefined;
  }

  get urn(): string {
    return this.ctx.urn;
  }

  get signal(): AbortSignal {
    return this.ctx.signal;
  }

  /** False where the word of the cluster itself is all that may be looked at. */
  get looksAtStatus(): boolean {
    return this.subject.inputs.healthCheck !== "list";
  }

  /** Whether it was stopped before, by all that is known. */
  get wasStopped(): boolean {
    return this.subject.olds?.desiredStatus === "stopped";
  }

  /** `cluster "web" (cl_1)`; `cluster cl_1` where the name is not known. */
  get title(): string {
    const [name, id] = [this.subject.inputs.name ?? "", this.id].map((text) => cleanText(text, 140));
    if (!name) return `cluster ${id}`;
    return `cluster "${name}"${id ? ` (${id})` : ""}`;
  }

  /** What was seen last, so that a failure can put it into the state. */
  get seen(): Look {
    return this.#seen;
  }

  see(look: Look): void {
    for (const value of secretsOf(look.record ?? {})) this.#secrets.add(value);
    const { record } = look;
    this.#seen = record ? { ...look, record: clearRecord(record, redactor(this.#secrets)) } : look;
  }

  /** What every request of this operation is told. */
  request() {
    const patienceMs = Math.max(0, this.deadlineMs - this.clock.now());
    return { subject: this.title, secrets: [...this.#secrets], signal: this.signal, patienceMs };
  }

  /** A status without the values of env. */
  clear(status: StatusRecord): StatusRecord {
    return clearStatus(status, this.#secrets);
  }

  elapsedMs(): number {
    return this.clock.now() - this.#startMs;
  }

  status(text: string): void {
    this.ctx.status(this.#redact(text));
  }

  /** Where a wait stands: `2/4 replicas healthy, provisioning, 3m10s of 60m`. */
  progress(text: string): void {
    const [elapsed, limit] = [this.elapsedMs(), this.deadlineMs - this.#startMs].map(duration);
    this.status(`${text}, ${elapsed} of ${limit}`);
  }

  info(text: string): void {
    this.ctx.log(this.#redact(`${this.title}: ${text}`), "info");
  }

  warn(text: string): void {
    this.ctx.log(this.#redact(`${this.title}: ${text}`), "warning");
  }

  /** An error for the user that names the cluster, with what explains it in lines of their own. */
  error(text: string, cause?: unknown): GpuClusterError {
    return new GpuClusterError(this.#lines(`${this.title} ${text}`, factsOf(cause), "  "), { cause });
  }

  /** The same error, free of secrets. */
  clean(error: unknown): unknown {
    if (error instanceof Error) error.message = this.#redact(error.message);
    return error;
  }

  /** The cluster exists but is not what was asked for: its id and its state are kept, whatever went wrong. */
  initError(cause: unknown, state: ClusterState, what: string): InitError {
    const why = messageOf(cause).replace(` for ${this.title}`, "");
    const next = "It is kept in the state: the next `pulumi up` goes on from here";
    const reason = this.#lines(`${this.title} ${what}: ${why}`, [...factsOf(cause), next], underBullet);
    return new InitError(this.id, state, [reason], { cause: this.clean(cause) });
  }

  #lines(first: string, others: readonly string[], indent: string): string {
    return [first, ...others].map((line) => this.#redact(line)).join(`\n${indent}`);
  }

  /** Our own sentences hold names and ordinary words, which may be values of env too: hiding those would only garble. */
  #redact(text: string): string {
    const { name = "", gpuType = "", container = "" } = this.subject.inputs;
    const own = [name, gpuType, container, this.id].join(" ");
    const telling = [...this.#secrets].filter((value) => isTelling(value) && !own.includes(value));
    return redactor(telling)(text);
  }
}

/** What the service says of the cluster's state may quote its environment. */
function clearRecord(record: ClusterRecord, redact: (text: string) => string): ClusterRecord {
  const { status, reason } = record;
  return {
    ...record,
    ...(status === undefined ? {} : { status: clearWord(status, redact) }),
    ...(reason === undefined ? {} : { reason: redact(reason) }),
  };
}

function isTelling(value: string): boolean {
  return value.length >= shortestTelling;
}

/** What the service says of replicas may quote their environment. */
export function clearStatus({ replicas, ...status }: StatusRecord, secrets: Iterable<string>): StatusRecord {
  const redact = redactor(secrets);
  const redactId = redactor([...secrets].filter(isTelling));
  const cleared = replicas.map(({ message, ...replica }) => ({
    ...replica,
    id: redactId(replica.id),
    status: clearWord(replica.status, redact),
    ...(message === undefined ? {} : { message: redact(message) }),
  }));
  const word = status.status === undefined ? {} : { status: clearWord(status.status, redact) };
  return { ...status, ...word, replicas: cleared };
}
