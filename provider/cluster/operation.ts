import type { ClusterRecord, StatusRecord } from "../api/records";
import { redactor } from "../api/redact/redactor";
import { clearWord } from "../api/states";
import { type Clock, duration } from "../clock";
import { type Ctx, InitError } from "../core";
import { type ErrorDetails, factsOf, GpuClusterError, messageOf, RequestError, TimeoutError } from "../errors";
import { cleanText, cut } from "../text";
import type { Observation } from "./conditions";
import { type KnownSecrets, secretsOf } from "./state";
import type { CheckedInputs, ClusterState } from "./stateFields";

/** The time limits of operations in milliseconds, if the `customTimeouts` of the resource set none. */
export const defaultTimeoutsMs = { create: 60 * 60_000, update: 20 * 60_000, delete: 20 * 60_000, read: 20 * 60_000 };

/** Lookups may end this long after the deadline: they show the effect of the last request, and the error names what is known. */
const graceMs = 1_500;

/** Shorter values are ordinary words more often than secrets. */
const shortestDistinct = 8;

/** The engine puts a bullet before each reason of a failure. Further lines are indented to the text after the bullet. */
const bulletIndent = "      ";

/** The fields of the state before that show whether the cluster is at rest. */
export type Before = Partial<
  Pick<ClusterState, "desiredStatus" | "settled" | "status" | "skipAwait" | "__echo" | "__unfinished" | "__unawaited">
>;

/** The cluster that an operation works on. */
export interface Subject {
  /** Empty until the service has assigned one. */
  readonly id: string;
  /** The known inputs: a call may contain an id and nothing else. */
  readonly inputs: Partial<
    Pick<
      CheckedInputs,
      "name" | "env" | "extraFields" | "readinessProbe" | "gpuType" | "container" | "healthCheck" | "adopt"
    >
  >;
  /** The state before, whose values are secret too. */
  readonly olds?: Pick<ClusterState, "env" | "extraFields" | "readinessProbe"> & Before;
}

/**
 * One operation on one cluster: its deadline, its name in messages, and its last observation. Texts of the service are
 * cleared of the values of env when they arrive: values of the program, of the state, and of the service. Texts for people
 * are cleared once more on their way out.
 */
export class Operation {
  readonly deadlineMs: number;
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #secrets: Set<string>;
  #hiding: { readonly of: number; readonly by: Hiding } | undefined;
  #seen: Observation = {};
  #rest: Before | undefined;

  constructor(
    private readonly ctx: Ctx,
    private readonly sources: { readonly clock: Clock; readonly known: KnownSecrets },
    private readonly kind: keyof typeof defaultTimeoutsMs,
    private readonly subject: Subject,
  ) {
    const { clock, known } = sources;
    this.#clock = clock;
    this.#startMs = ctx.startMs ?? clock.now();
    this.deadlineMs = this.#startMs + (ctx.timeoutMs ?? defaultTimeoutsMs[kind]);
    // What the operation observes is known to later ones.
    this.#secrets = known.of(subject.id);
    this.#learn(secretsOf(subject.inputs), secretsOf(subject.olds ?? {}));
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

  /** False if only the status word of the cluster may be read. */
  get readsStatus(): boolean {
    return this.subject.inputs.healthCheck !== "list";
  }

  /** Request fields of the service that this package does not know. */
  get extraFields(): CheckedInputs["extraFields"] {
    return this.subject.inputs.extraFields;
  }

  /** The state before; once the cluster was found or brought to rest, as if that had been its end. */
  get before(): Before {
    return { ...this.subject.olds, ...this.#rest };
  }

  /** True once the cluster has proved to be at rest, whatever its status word is. */
  get isFoundAtRest(): boolean {
    return this.#rest !== undefined;
  }

  /** Notes that the cluster is at rest, with the status word that it has now. */
  foundAtRest(): void {
    const { status } = this.observed.record ?? {};
    this.#rest = { desiredStatus: "stopped", settled: true, ...(status === undefined ? {} : { status }) };
  }

  /** Whether the cluster was stopped before, by all that is known. */
  get wasStopped(): boolean {
    return this.before.desiredStatus === "stopped";
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
    this.#learn(secretsOf(record ?? {}));
    this.#seen = record ? { ...observation, record: clearRecord(record, this.#hides().said) } : observation;
  }

  /** The options of every request of this operation. */
  request() {
    return { subject: this.title, secrets: [...this.#secrets], signal: this.signal, deadlineMs: this.deadlineMs };
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

  /** A status without the values of env. */
  clear(status: StatusRecord): StatusRecord {
    return clearStatus(status, this.#hides());
  }

  elapsedMs(): number {
    return this.#clock.now() - this.#startMs;
  }

  status(text: string): void {
    this.ctx.status(this.#redact(text));
  }

  /** Progress of all operations of the run. The text contains numbers only. */
  statusOfStack(text: string): void {
    this.ctx.status(text, "stack");
  }

  /** Reports how far a wait is: `2/4 replicas healthy, provisioning, 3m10s of 60m`. */
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

  /** An error for the user that names the cluster. Each fact that explains the error has its own line. */
  error(text: string, cause?: unknown): GpuClusterError {
    return new GpuClusterError(this.#lines(`${this.title} ${text}`, reasonsOf(cause), "  "), { cause });
  }

  /** The same error, free of secrets. */
  clean(error: unknown): unknown {
    if (error instanceof Error) error.message = this.#redact(error.message);
    return error;
  }

  /** The error if the cluster exists but is not as requested: it keeps the id and the state, whatever the cause is. */
  initError(cause: unknown, state: ClusterState, what: string, next = continued): InitError {
    const why = messageOf(cause).replace(` for ${this.title}`, "");
    const reason = this.#lines(`${this.title} ${what}: ${why}`, [next, ...reasonsOf(cause)], bulletIndent);
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

  /** Cached until the next secret is learned: a wait reports something each second. */
  #hides(): Hiding {
    const { name = "", gpuType = "", container = "" } = this.subject.inputs;
    const { size } = this.#secrets;
    if (this.#hiding?.of !== size)
      this.#hiding = { of: size, by: hidingOf(this.#secrets, [name, gpuType, container, this.id]) };
    return this.#hiding.by;
  }
}

const continued = "It is kept in the state: run `pulumi up` again to continue from here";

/** The facts that explain an error, and the setting that gives a request more time if its deadline ended it. */
function reasonsOf(cause: unknown): string[] {
  const isCut = cause instanceof RequestError && cause.isCut;
  return [...factsOf(cause), ...(isCut ? ["`customTimeouts` gives the operation more time"] : [])];
}

/** The functions that hide values of env, one for each kind of text. */
export interface Hiding {
  /** For texts of the service. */
  readonly said: (text: string) => string;
  /** For identifiers, which contain short values by chance. */
  readonly id: (text: string) => string;
  /** For our own sentences. Their names and ordinary words may be values of env too: to hide these would only garble a text. */
  readonly ownText: (text: string) => string;
}

export function hidingOf(secrets: Iterable<string>, own: readonly string[] = []): Hiding {
  const all = [...secrets];
  const distinct = all.filter(isDistinct);
  const ownWords = own.join(" ");
  return {
    said: redactor(all),
    id: redactor(distinct),
    ownText: redactor(
      distinct.filter((value) => !ownWords.includes(value)),
      own,
    ),
  };
}

/** Hides values of env in the status word and the reason of a cluster, which may quote them. */
function clearRecord(record: ClusterRecord, redact: (text: string) => string): ClusterRecord {
  const { status, reason } = record;
  return {
    ...record,
    ...(status === undefined ? {} : { status: clearWord(status, redact) }),
    ...(reason === undefined ? {} : { reason: redact(reason) }),
  };
}

function isDistinct(value: string): boolean {
  return value.length >= shortestDistinct;
}

/** The most that a state keeps of replicas: each command reads and writes the whole state. */
const most = { replicas: 10_000, id: 128, status: 64, message: 1_024 };

/** Hides values of env in the texts about replicas. It runs before texts are cut, because a part of a value is not found. */
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
