import { clearWord } from "../api/read/states";
import type { StatusRecord } from "../api/records";
import { cleanText, redactor } from "../api/text";
import type { Clock } from "../clock";
import { type Ctx, InitError } from "../core";
import { GpuClusterError, messageOf } from "../errors";
import type { CheckedInputs, ClusterState } from "./fields";
import type { Look } from "./readiness";
import { secretsOf } from "./state";

/** How long operations may take where the resource's `customTimeouts` do not say, in milliseconds. */
export const defaultTimeoutsMs = { create: 60 * 60_000, update: 20 * 60_000, delete: 20 * 60_000, read: 20 * 60_000 };

/** Shorter values are ordinary words more often than secrets. */
const shortestTelling = 8;

/** What an operation works on. */
export interface Subject {
  /** Empty before the service has given one. */
  readonly id: string;
  readonly inputs: Pick<CheckedInputs, "name" | "env"> & Partial<Pick<CheckedInputs, "gpuType" | "container">>;
  /** The state before, whose values are secret too. */
  readonly olds?: Pick<ClusterState, "env">;
}

/**
 * One operation on one cluster: its time, its name in messages, and what it saw last. What the service says is cleared of
 * the values of env where it comes in: those of the program, of the state, and of the service. What leaves for a person's
 * eyes is cleared once more.
 */
export class Operation {
  readonly deadlineMs: number;
  readonly #secrets: Set<string>;
  #seen: Look = {};

  constructor(
    private readonly ctx: Ctx,
    private readonly clock: Clock,
    kind: keyof typeof defaultTimeoutsMs,
    private readonly subject: Subject,
  ) {
    this.deadlineMs = clock.now() + (ctx.timeoutMs ?? defaultTimeoutsMs[kind]);
    this.#secrets = new Set([...secretsOf(subject.inputs), ...secretsOf(subject.olds ?? {})]);
  }

  get id(): string {
    return this.subject.id;
  }

  get urn(): string {
    return this.ctx.urn;
  }

  get signal(): AbortSignal {
    return this.ctx.signal;
  }

  /** `cluster "web" (cl_1)`. */
  get title(): string {
    const [name, id] = [this.subject.inputs.name, this.id].map((text) => cleanText(text, 140));
    return `cluster "${name}"${id ? ` (${id})` : ""}`;
  }

  /** What was seen last, so that a failure can put it into the state. */
  get seen(): Look {
    return this.#seen;
  }

  see(look: Look): void {
    for (const value of secretsOf(look.record ?? {})) this.#secrets.add(value);
    const { record } = look;
    const status = record?.status === undefined ? undefined : clearWord(record.status, redactor(this.#secrets));
    this.#seen = status === undefined ? look : { ...look, record: { ...record, id: record?.id ?? this.id, status } };
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

  status(text: string): void {
    this.ctx.status(this.#redact(text));
  }

  warn(text: string): void {
    this.ctx.log(this.#redact(`${this.title}: ${text}`), "warning");
  }

  /** An error for the user that names the cluster. */
  error(text: string, cause?: unknown): GpuClusterError {
    return new GpuClusterError(this.#redact(`${this.title} ${text}`), { cause });
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
    return new InitError(this.id, state, [this.#redact(`${this.title} ${what}: ${why}. ${next}`)], {
      cause: this.clean(cause),
    });
  }

  /** Our own sentences hold names and ordinary words, which may be values of env too: hiding those would only garble. */
  #redact(text: string): string {
    const { name, gpuType = "", container = "" } = this.subject.inputs;
    const own = [name, gpuType, container, this.id].join(" ");
    const telling = [...this.#secrets].filter((value) => isTelling(value) && !own.includes(value));
    return redactor(telling)(text);
  }
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
