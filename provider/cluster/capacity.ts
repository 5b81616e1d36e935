import { matchGpu } from "../api/gpuMatch";
import { gpuKey, plainName } from "../api/names";
import { unknownTypeCode } from "../api/records";
import { abortable, type Clock, until } from "../clock";
import { ApiError, InterruptedError, messageOf, RequestError, ResponseShapeError } from "../errors";
import { noTracer, traced } from "../trace";
import { isTypeRefusal } from "./createOnce";
import { gpusOf } from "./extraFields";
import type { Operation } from "./operation";
import type { WaitReport } from "./poller";
import { type Inquiry, isRefusal, type LookupLimits } from "./preview/facts";
import type { CheckedInputs } from "./stateFields";

/** The GPU types with which a creation is tried, one after the other. */
export interface TypeChoice {
  next(): Promise<string>;
  /** Notes the failure of the last type. Returns what follows, as text; `undefined` if no other type is left. */
  failed(error: unknown): string | undefined;
  /** The creation has ended, in whatever way. */
  readonly leave: () => void;
}

/** Whether a creation waits for capacity. An adopted cluster has its GPUs. */
export function waitsForCapacity({ waitForCapacity, adopt }: CheckedInputs): boolean {
  return waitForCapacity === true && adopt === undefined;
}

/** Each type once, at once. */
export function inOrder([first, ...others]: readonly [string, ...string[]]): TypeChoice {
  let type: string | undefined = first;
  return {
    next: async () => type ?? first,
    failed: () => {
      type = others.shift();
      return type && `the next type of the list is tried, "${type}"`;
    },
    leave: () => undefined,
  };
}

/** A creation in the queue. */
export interface Claim {
  /** The types that it accepts, the best first. */
  readonly types: readonly string[];
  /** The number of GPUs that it needs. */
  readonly count: number;
  /** Requests with other extra fields may draw from another pool, such as a region. */
  readonly pool: string;
  /** The type that it is created with; absent while it waits. */
  readonly taken?: string;
}

/** The knowledge about a type: its free GPUs, and whether the service has refused it in spite of that number. */
export interface Supply {
  /** Infinite if there are some, without a number; absent if not known. */
  readonly free?: number;
  /** Whether creations with it are refused for now. */
  readonly isRefused?: boolean;
  /** Whether it was refused with this stock before, so that one creation at a time tries it. */
  readonly isDoubtful?: boolean;
}

export type Supplies = (type: string, claim: Claim) => Supply;

/**
 * The types that the creations in a queue may take now. Pure. First come, first served: a creation that has to wait keeps its
 * types from later ones, so that many small ones cannot starve a large one. A type whose stock is not known comes last.
 */
export function allot<C extends Claim>(queue: readonly C[], supplyOf: Supplies): ReadonlyMap<C, string> {
  const used = new Map<string, number>();
  const closed = new Set<string>();
  const granted = new Map<C, string>();
  const take = (claim: C, type: string) => {
    used.set(gpuKey(type), (used.get(gpuKey(type)) ?? 0) + claim.count);
    if (supplyOf(type, claim).isDoubtful) closed.add(lineOf(claim, type));
  };
  for (const claim of queue) if (claim.taken !== undefined) take(claim, claim.taken);
  for (const claim of queue.filter(({ taken }) => taken === undefined)) {
    const left = (type: string) => (supplyOf(type, claim).free ?? 0) - (used.get(gpuKey(type)) ?? 0);
    const open = claim.types.filter((type) => !closed.has(lineOf(claim, type)) && !supplyOf(type, claim).isRefused);
    const isUnknown = (type: string) => supplyOf(type, claim).free === undefined;
    const type = open.find((each) => left(each) >= claim.count) ?? open.find(isUnknown);
    if (type === undefined) for (const each of claim.types) closed.add(lineOf(claim, each));
    else take(claim, type);
    if (type !== undefined) granted.set(claim, type);
  }
  return granted;
}

/** The creations that wait for one type in one pool form one line. */
function lineOf({ pool }: Claim, type: string): string {
  return `${gpuKey(type)} ${pool}`;
}

/** `0 of 8 h200, 3 of 8 h100 free`. */
export function stockText(types: readonly string[], count: number, supplyOf: (type: string) => Supply): string {
  const isCounted = (type: string) => Number.isFinite(supplyOf(type).free) && !supplyOf(type).isRefused;
  const counted = types.filter(isCounted).map((type) => `${supplyOf(type).free} of ${count} ${type}`);
  const others = types.filter((type) => !isCounted(type)).map((type) => `${type} ${wordFor(supplyOf(type))}`);
  return [...(counted.length > 0 ? [`${counted.join(", ")} free`] : []), ...others].join(", ");
}

function wordFor({ free, isRefused }: Supply): string {
  if (isRefused) return "refused";
  return free === undefined ? "without a stock figure" : "in stock";
}

/** The pause between two lookups of the stock, which all waiting creations share. */
const intervalMs = 20_000;
/** A lookup that takes longer than this has failed. */
const lookupLimitMs = 60_000;
/** The pause after a refusal in spite of the shown stock: it doubles as long as the stock shows the same number. */
const refusalPausesMs = { first: 20_000, longest: 120_000 };

/** One lookup of the stock. */
class Stock {
  readonly #supplies = new Map<string, Supply & { readonly isUnlisted: boolean }>();

  constructor(
    readonly sinceMs: number,
    private readonly inquiry: Inquiry,
    /** The types that a lookup of this process has listed: if one is missing later, it is sold out. */
    private readonly seen: Set<string>,
  ) {}

  /** Reads the figures of these types; the lookup is already made, or is made once. */
  async read(types: Iterable<string>): Promise<void> {
    for (const type of new Set(types)) {
      if (this.#supplies.has(type)) continue;
      const shown = await this.inquiry.free(type);
      const list = await this.inquiry.gpuTypes({ quietly: true });
      const match = list?.certain ? matchGpu(type, list.gpus).kind : undefined;
      if (match === "one") this.seen.add(gpuKey(type));
      const isSeen = this.seen.has(gpuKey(type));
      const free = shown ?? (match === "none" && isSeen ? 0 : undefined);
      this.#supplies.set(type, { ...(free === undefined ? {} : { free }), isUnlisted: match === "none" && !isSeen });
    }
  }

  of(type: string): Supply & { readonly isUnlisted?: boolean } {
    return this.#supplies.get(type) ?? {};
  }

  /** The failure of the lookup if the next one may succeed. A clear refusal and an unreadable answer mean: no figures. */
  get problem(): string | undefined {
    const isPassing = (error: unknown) =>
      error instanceof RequestError && !isRefusal(error) && !(error instanceof ResponseShapeError);
    return this.inquiry.gaps.find(({ error }) => isPassing(error))?.text;
  }
}

/** A refusal of a type in spite of the stock that was shown. */
interface Refusal {
  readonly free: number | undefined;
  readonly untilMs: number;
  readonly pauseMs: number;
}

/** The creations of one service that wait for capacity. They share the lookups of the stock, and take turns. */
export class Capacity {
  /** In order of arrival. A creation stays until a lookup that began after its end: earlier ones do not show its GPUs. */
  #queue: Waiter[] = [];
  #stock: Stock | undefined;
  #lookup: Promise<void> | undefined;
  #nextMs = 0;
  #problem: string | undefined;
  readonly #refusals = new Map<string, Refusal>();
  readonly #seen = new Set<string>();

  constructor(
    readonly clock: Clock,
    private readonly ask: (limits: LookupLimits) => Inquiry,
    private readonly report: (operation: Operation) => Pick<WaitReport, "show">,
    readonly tracer = noTracer,
  ) {}

  /** Adds a creation to the queue. It has to leave the queue at its end. */
  enter(operation: Operation, inputs: CheckedInputs, types: readonly string[]): TypeChoice {
    const waiter = new Waiter(this, operation, this.report(operation), inputs, types);
    this.#queue.push(waiter);
    return waiter;
  }

  /** Notes that the service has created the cluster: the next lookup of the stock shows it. */
  created(name: string): void {
    for (const waiter of this.#queue) if (waiter.name === name) this.ended(waiter);
  }

  /** Notes that the creation has ended. If it still waits, it leaves. */
  ended(waiter: Waiter): void {
    const { taken } = waiter;
    if (taken === undefined) this.#queue = this.#queue.filter((other) => other !== waiter);
    if (taken === undefined || waiter.endedMs !== undefined) return;
    waiter.endedMs = this.clock.now();
    const line = lineOf(waiter, taken);
    const refusal = this.#refusals.get(line);
    if (refusal) this.#refusals.set(line, { ...refusal, untilMs: 0, pauseMs: 0 });
  }

  /** The type that a creation may take now, by the latest stock. */
  async turnOf(waiter: Waiter): Promise<string | undefined> {
    if (this.clock.now() >= this.#nextMs)
      this.#lookup ??= this.#lookUp().finally(() => {
        this.#lookup = undefined;
      });
    await this.#lookup;
    const stock = this.#stock;
    await stock?.read(this.#queue.flatMap(({ types }) => types));
    // Another lookup has ended meanwhile.
    return stock === this.#stock ? allot(this.#queue, this.supplyOf).get(waiter) : this.turnOf(waiter);
  }

  /** Milliseconds until the next lookup. */
  get pauseMs(): number {
    return Math.max(0, this.#nextMs - this.clock.now());
  }

  readonly supplyOf: Supplies = (type, claim) => {
    const { free } = this.#stock?.of(type) ?? {};
    const refusal = this.#refusals.get(lineOf(claim, type));
    const isDoubtful = refusal !== undefined && refusal.free === free;
    const isRefused = isDoubtful && this.clock.now() < refusal.untilMs;
    return { ...(free === undefined ? {} : { free }), isRefused, isDoubtful };
  };

  /** Whether the service lists its types, but not this one. */
  isUnlisted(type: string): boolean {
    return this.#stock?.of(type).isUnlisted === true;
  }

  /** Notes a refusal. Several at the same time count once. */
  refused(claim: Claim, type: string): void {
    const { free } = this.#stock?.of(type) ?? {};
    const { isRefused, isDoubtful } = this.supplyOf(type, claim);
    if (isRefused) return;
    const { pauseMs: last = 0 } = (isDoubtful && this.#refusals.get(lineOf(claim, type))) || {};
    const pauseMs = Math.min(refusalPausesMs.longest, Math.max(refusalPausesMs.first, last * 2));
    this.#refusals.set(lineOf(claim, type), { free, untilMs: this.clock.now() + pauseMs, pauseMs });
  }

  /** `0 of 8 h200, 3 of 8 h100 free, 1 cluster before it`: what a creation waits for. */
  summaryOf(waiter: Waiter): string {
    const held = (type: string) =>
      this.#queue
        .filter(({ taken }) => taken !== undefined && gpuKey(taken) === gpuKey(type))
        .reduce((sum, { count }) => sum + count, 0);
    const left = (type: string): Supply => {
      const supply = this.supplyOf(type, waiter);
      return supply.free === undefined ? supply : { ...supply, free: Math.max(0, supply.free - held(type)) };
    };
    const lines = new Set(waiter.types.map((type) => lineOf(waiter, type)));
    const isAhead = (other: Waiter) =>
      other.taken === undefined && other.types.some((type) => lines.has(lineOf(other, type)));
    const ahead = this.#queue.slice(0, this.#queue.indexOf(waiter)).filter(isAhead).length;
    return [
      stockText(waiter.types, waiter.count, left),
      ...(ahead > 0 ? [`${ahead} cluster${ahead === 1 ? "" : "s"} before it`] : []),
      ...(this.#problem === undefined ? [] : [`the stock could not be looked up: ${this.#problem}`]),
    ].join(", ");
  }

  /** Looks the stock up for all creations. If that fails, the last stock counts on. */
  async #lookUp(): Promise<void> {
    const sinceMs = this.clock.now();
    this.#nextMs = sinceMs + intervalMs;
    // A wait can miss a lookup: other requests go first.
    const limits = { deadlineMs: sinceMs + lookupLimitMs, attempts: 1, urgency: "poll" as const };
    const stock = new Stock(sinceMs, this.ask(limits), this.#seen);
    await stock.read(this.#queue.flatMap(({ types }) => types));
    this.#problem = stock.problem;
    if (this.#problem !== undefined && this.#stock !== undefined) return;
    this.#stock = stock;
    this.#queue = this.#queue.filter(({ endedMs = Number.POSITIVE_INFINITY }) => endedMs >= sinceMs);
  }
}

/** One creation that waits for its turn, until the time limit of its operation. */
class Waiter implements Claim, TypeChoice {
  readonly name: string;
  readonly count: number;
  readonly pool: string;
  taken?: string | undefined;
  /** The time at which its creation ended, so that later lookups of the stock show the result. */
  endedMs?: number;
  #types: readonly string[];
  #refusal: string | undefined;

  constructor(
    private readonly capacity: Capacity,
    private readonly operation: Operation,
    private readonly report: Pick<WaitReport, "show">,
    inputs: CheckedInputs,
    types: readonly string[],
  ) {
    this.name = inputs.name;
    this.count = gpusOf(inputs);
    this.pool = JSON.stringify(inputs.extraFields ?? {});
    this.#types = types;
  }

  get types(): readonly string[] {
    return this.#types;
  }

  next(): Promise<string> {
    const about = { "gpucluster.subject": this.operation.title };
    return traced(this.capacity.tracer, "wait for capacity", about, () => this.#turn());
  }

  async #turn(): Promise<string> {
    const { clock } = this.capacity;
    const { deadlineMs, signal } = this.operation;
    try {
      return await until({ clock, deadlineMs, late: () => this.#late() }, (limit) =>
        this.#wait(AbortSignal.any([limit, signal])),
      );
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new InterruptedError(`${this.operation.title}: the wait for capacity was interrupted. Nothing was created`);
    }
  }

  async #wait(signal: AbortSignal): Promise<string> {
    for (;;) {
      this.taken = await abortable(this.capacity.turnOf(this), signal);
      signal.throwIfAborted();
      if (this.taken !== undefined) return this.taken;
      this.report.show(`waiting for capacity: ${this.capacity.summaryOf(this)}`);
      await this.capacity.clock.sleep(this.capacity.pauseMs, signal);
    }
  }

  failed(error: unknown): string | undefined {
    const { taken } = this;
    if (taken === undefined) return undefined;
    this.taken = undefined;
    if (this.#isShortage(error, taken)) {
      this.#refusal = messageOf(error);
      this.capacity.refused(this, taken);
      return "the creation waits for capacity";
    }
    this.#types = this.#types.filter((type) => type !== taken);
    return this.#types.length > 0 ? "the creation waits for another type of the list" : undefined;
  }

  readonly leave = () => this.capacity.ended(this);

  /** Whether the type may be available later. If the service lists its types without this one, it may not exist. */
  #isShortage(error: unknown, type: string): boolean {
    const code = error instanceof ApiError ? plainName(error.code ?? "") : "";
    return isTypeRefusal(error) && !(code === unknownTypeCode && this.capacity.isUnlisted(type));
  }

  #late(): Error {
    const facts = this.#refusal === undefined ? [] : [`the last refusal: ${this.#refusal}`];
    const timeout = this.operation.timeout(`, ${this.capacity.summaryOf(this)}`, { facts });
    return this.operation.error(
      `was not created: ${messageOf(timeout)}. To wait longer, set \`customTimeouts\`, and run \`pulumi up\` again`,
      timeout,
    );
  }
}
