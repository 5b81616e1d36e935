import { clearWord } from "../api/read/states";
import type { ClusterRecord, StatusRecord } from "../api/records";
import { redactor } from "../api/redact/redactor";
import { cleanText, cut } from "../api/text";
import { type Clock, duration } from "../clock";
import { type Ctx, InitError } from "../core";
import { type ErrorDetails, factsOf, GpuClusterError, messageOf, RequestError, TimeoutError } from "../errors";
import type { Observation } from "./conditions";
import type { CheckedInputs, ClusterState } from "./fields";
import { secretsOf } from "./state";

/** How long operations may take where the resource's `customTimeouts` do not say, in milliseconds. */
export const defaultTimeoutsMs = { create: 60 * 60_000, update: 20 * 60_000, delete: 20 * 60_000, read: 20 * 60_000 };

/** Looks may end so long after the deadline: what was done just before it shows, and its error names what is known. */
const graceMs = 1_500;

/** Shorter values are ordinary words more often than secrets. */
const shortestTelling = 8;

/** The engine puts a bullet before each reason of a failure; the lines under it stand below its text. */
const underBullet = "      ";

/** What the state before tells of whether the cluster is at rest. */
export type Before = Partial<
  Pick<ClusterState, "desiredStatus" | "settled" | "status" | "skipAwait" | "__echo" | "__unfinished">
>;

/** What an operation works on. */
export interface Subject {
  /** Empty before the service has given one. */
  readonly id: string;
  /** All that is known: a call may come with an id and nothing else. */
  readonly inputs: Partial<
    Pick<CheckedInputs, "name" | "env" | "extraFields" | "gpuType" | "container" | "healthCheck" | "adopt">
  >;
  /** The state before, whose values are secret too. */
  readonly olds?: Pick<ClusterState, "env" | "extraFields"> & Before;
  /** The known secrets of the cluster; the operation adds what it learns. */
  readonly known?: Set<string>;
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
  #hiding: { readonly of: number; readonly by: Hiding } | undefined;
  #seen: Observation = {};
  /** True once its replicas have shown that it is at rest, whatever its word is. */
  isFoundAtRest = false;

  constructor(
    private readonly ctx: Ctx,
    private readonly clock: Clock,
    private readonly kind: keyof typeof defaultTimeoutsMs,
    private readonly subject: Subject,
  ) {
    this.#startMs = ctx.startMs ?? clock.now();
    this.deadlineMs = this.#startMs + (ctx.timeoutMs ?? defaultTimeoutsMs[kind]);
    this.#secrets = subject.known ?? new Set();
    this.#learn(secretsOf(subject.inputs), secretsOf(subject.olds ?? {}));
  }

  get id(): string {
    return this.subject.id;
  }

  /** Whether it makes the cluster, which nobody has seen before. */
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

  /** False where the word of the cluster itself is all that may be looked at. */
  get readsStatus(): boolean {
    return this.subject.inputs.healthCheck !== "list";
  }

  /** Fields of the service's own that the cluster is asked for with. */
  get extraFields(): CheckedInputs["extraFields"] {
    return this.subject.inputs.extraFields;
  }

  get before(): Before {
    return this.subject.olds ?? {};
  }

  /** Whether it was stopped before, by all that is known. */
  get wasStopped(): boolean {
    return this.isFoundAtRest || this.before.desiredStatus === "stopped";
  }

  /** `cluster "web" (cl_1)`; `cluster cl_1` where the name is not known. */
  get title(): string {
    const [name, id] = [this.subject.inputs.name ?? "", this.id].map((text) => cleanText(text, 140));
    if (!name) return `cluster ${id}`;
    return `cluster "${name}"${id ? ` (${id})` : ""}`;
  }

  /** What was seen last, so that a failure can put it into the state. */
  get observed(): Observation {
    return this.#seen;
  }

  observe(look: Observation): void {
    const { record } = look;
    this.#learn(secretsOf(record ?? {}));
    this.#seen = record ? { ...look, record: clearRecord(record, this.#hides().said) } : look;
  }

  /** What every request of this operation is told. */
  request() {
    return { subject: this.title, secrets: [...this.#secrets], signal: this.signal, deadlineMs: this.deadlineMs };
  }

  /** What those are told that only look; a last look may end shortly after the deadline. */
  look() {
    return { ...this.request(), deadlineMs: this.deadlineMs + graceMs };
  }

  /** Until the deadline. */
  leftMs(): number {
    return Math.max(0, this.deadlineMs - this.clock.now());
  }

  /** A pause that ends at the deadline at the latest. */
  pause(ms: number): Promise<void> {
    return this.clock.sleep(Math.min(ms, this.leftMs()), this.signal);
  }

  /** How it ends at its deadline. */
  timeout(what: string, details: ErrorDetails = {}): TimeoutError {
    return new TimeoutError(`timed out after ${duration(this.elapsedMs())}${what}`, details);
  }

  /** A status without the values of env. */
  clear(status: StatusRecord): StatusRecord {
    return clearStatus(status, this.#hides());
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
    return new GpuClusterError(this.#lines(`${this.title} ${text}`, reasonsOf(cause), "  "), { cause });
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
    const reason = this.#lines(`${this.title} ${what}: ${why}`, [...reasonsOf(cause), next], underBullet);
    return new InitError(this.id, state, [reason], { cause: this.clean(cause) });
  }

  #lines(first: string, others: readonly string[], indent: string): string {
    return [first, ...others].map((line) => this.#redact(line)).join(`\n${indent}`);
  }

  #learn(...secrets: readonly string[][]): void {
    for (const value of secrets.flat()) this.#secrets.add(value);
  }

  #redact(text: string): string {
    return this.#hides().ownText(text);
  }

  /** Made once for as long as nothing new is secret: a wait says something each second. */
  #hides(): Hiding {
    const { name = "", gpuType = "", container = "" } = this.subject.inputs;
    const { size } = this.#secrets;
    if (this.#hiding?.of !== size)
      this.#hiding = { of: size, by: hidingOf(this.#secrets, [name, gpuType, container, this.id]) };
    return this.#hiding.by;
  }
}

/** What explains an error, and where the time for a request comes from. */
function reasonsOf(cause: unknown): string[] {
  const isCut = cause instanceof RequestError && cause.isCut;
  return [...factsOf(cause), ...(isCut ? ["`customTimeouts` gives the operation more time"] : [])];
}

/** How the values of env are hidden in each kind of text. */
export interface Hiding {
  /** What the service says. */
  readonly said: (text: string) => string;
  /** What identifies something: short values are in it by chance. */
  readonly id: (text: string) => string;
  /** Our own sentences hold names and ordinary words, which may be values of env too: hiding those would only garble. */
  readonly ownText: (text: string) => string;
}

export function hidingOf(secrets: Iterable<string>, own: readonly string[] = []): Hiding {
  const all = [...secrets];
  const telling = all.filter(isTelling);
  const ownWords = own.join(" ");
  return {
    said: redactor(all),
    id: redactor(telling),
    ownText: redactor(
      telling.filter((value) => !ownWords.includes(value)),
      own,
    ),
  };
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

/** The most that is kept of replicas: a state is read and written as a whole, by each command. */
const most = { replicas: 10_000, id: 128, status: 64, message: 1_024 };

/** What the service says of replicas may quote their environment: it is hidden before it is cut, for a part would not be found. */
export function clearStatus({ replicas, ...status }: StatusRecord, { said, id: hideId }: Hiding): StatusRecord {
  const cleared = replicas.slice(0, most.replicas).map(({ message, ...replica }) => ({
    ...replica,
    id: cut(hideId(replica.id), most.id),
    status: cut(clearWord(replica.status, said), most.status),
    ...(message === undefined ? {} : { message: cut(said(message), most.message) }),
  }));
  const word = status.status === undefined ? {} : { status: clearWord(status.status, said) };
  return { ...status, ...word, replicas: cleared };
}
