import { type ConfigInput, fixedInputs } from "../../api/capabilities";
import type { CallOptions } from "../../api/client";
import type { ClusterList, ClusterRecord, GpuList } from "../../api/decode/records";
import type { GpuType } from "../../api/decode/types";
import { priceInTier, recordsOf } from "../../api/gpuMatch";
import { abortable, type Clock, until } from "../../base/clock";
import { GpuClusterError, RequestError, TimeoutError } from "../../base/errors";
import { maxChecksMs, maxPatientChecksMs } from "../../base/times";
import type { CheckedInputs } from "../schema/state";
import { findCluster } from "../service/lookup";
import type { PlannedCost } from "../service/registry";
import type { Dependencies } from "../wait/wait";

export interface Price {
  readonly amount: number;
  /** ISO 4217; absent if the service does not show it. */
  readonly currency?: string;
}

/** The answer of a read. Without a value, the service does not report it; with an error, the read failed. */
export interface Answer<T> {
  readonly value?: T | undefined;
  readonly error?: unknown;
}

/** The check that reads: an interrupt ends its reads, and a patient one waits for the rate limit. */
interface ReadingCheck {
  readonly signal: AbortSignal;
  readonly isPatient: boolean;
}

/** The answers to the checks that wait equally long, and the time that they have waited. */
class PendingReads {
  readonly answers = new Map<string, Promise<Answer<unknown>>>();
  #spentMs = 0;
  #inFlight = 0;
  #busySinceMs = 0;

  constructor(
    private readonly clock: Clock,
    readonly limitMs: number,
  ) {}

  /** When the time limit ends. Time in which several reads are in flight counts once. */
  deadlineMs(): number {
    return this.clock.now() + this.limitMs - this.#waitedMs();
  }

  async count<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inFlight === 0) this.#busySinceMs = this.clock.now();
    this.#inFlight += 1;
    try {
      return await work();
    } finally {
      this.#spentMs = this.#waitedMs();
      this.#busySinceMs = this.clock.now();
      this.#inFlight -= 1;
    }
  }

  #waitedMs(): number {
    return this.#spentMs + (this.#inFlight > 0 ? this.clock.now() - this.#busySinceMs : 0);
  }
}

/**
 * The reads of one run at one service. Each is sent once, and its answer or error is kept. They share one time limit, because
 * checks run one after the other and every wait would add up. Patient checks have a limit of their own: they wait longer, and
 * would leave no time to the others.
 */
export class ReadCache {
  readonly #patient: PendingReads;
  readonly #impatient: PendingReads;

  constructor(readonly deps: Dependencies) {
    this.#patient = new PendingReads(deps.clock, maxPatientChecksMs);
    this.#impatient = new PendingReads(deps.clock, maxChecksMs);
  }

  /** @throws The reason of the caller's signal. Every other failure is in the answer. */
  async once<T>(
    subject: string,
    caller: ReadingCheck,
    send: (deps: Dependencies, options: CallOptions) => Promise<T>,
  ): Promise<Answer<T>> {
    const { answers } = caller.isPatient ? this.#patient : this.#impatient;
    // Each subject has one method, and so one type.
    const known = answers.get(subject) as Promise<Answer<T>> | undefined;
    const answer = known ?? this.#send(caller, send);
    answers.set(subject, answer);
    if (!known)
      answer.then(
        ({ error }) => {
          // A value serves all checks. An error does not: a patient check may get an answer.
          if (error !== undefined) return;
          this.#patient.answers.set(subject, answer);
          this.#impatient.answers.set(subject, answer);
        },
        // An interrupted read has no answer for other checks.
        () => answers.delete(subject),
      );
    return abortable(answer, caller.signal);
  }

  async sent<T>(subject: string): Promise<Answer<T>> {
    const answer = this.#impatient.answers.get(subject) ?? this.#patient.answers.get(subject);
    return (answer ?? {}) as Promise<Answer<T>>;
  }

  async #send<T>(
    { signal: interrupt, isPatient }: ReadingCheck,
    send: (deps: Dependencies, options: CallOptions) => Promise<T>,
  ): Promise<Answer<T>> {
    const { clock } = this.deps;
    const pending = isPatient ? this.#patient : this.#impatient;
    const deadlineMs = pending.deadlineMs();
    const late = () =>
      new TimeoutError(`no answer within ${pending.limitMs / 1000} s, the time limit of the checks of a run`);
    if (deadlineMs <= clock.now()) return { error: late() };
    const limits = isPatient ? { deadlineMs } : { deadlineMs, maxQueueMs: 0, attempts: 2 };
    try {
      const value = await pending.count(() =>
        until({ clock, deadlineMs, late }, (timeout) => {
          const signal = AbortSignal.any([timeout, interrupt]);
          return abortable(send(this.deps, { ...limits, signal }), signal);
        }),
      );
      return { value };
    } catch (error) {
      if (interrupt.aborted) throw error;
      return { error };
    }
  }
}

export class Reads {
  constructor(
    private readonly cache: ReadCache,
    private readonly caller: ReadingCheck,
  ) {}

  /** The GPU types that the service lists. An empty list proves nothing. */
  async gpuTypes(): Promise<Answer<GpuList>> {
    const list = await this.#types();
    const isEmpty = list.value?.gpus.length === 0;
    return isEmpty ? { error: new GpuClusterError("GET /v1/gpus lists no GPU type at all") } : list;
  }

  /** The number of available GPUs of a type; infinite if the service reports only that some are available. */
  async stock(type: string): Promise<Answer<number>> {
    const availability = () => this.#once("availability", ({ client }, options) => client.listGpuAvailability(options));
    const listed = await this.#ofGpu(type, stockAmong, availability);
    if (listed.value !== Number.POSITIVE_INFINITY) return listed;
    const { value: list } = await availability();
    return { value: (list && stockAmong(recordsOf(type, list.gpus))) ?? listed.value };
  }

  price(type: string, tier?: string): Promise<Answer<Price>> {
    const pricing = () => this.#once("pricing", ({ client }, options) => client.listGpuPricing(options));
    const inTier = (gpus: readonly GpuType[]) => {
      const { pricePerHour: amount, currency } = priceInTier(gpus, tier);
      return amount === undefined ? undefined : { amount, currency };
    };
    return this.#ofGpu(type, inTier, pricing);
  }

  clusters(): Promise<Answer<ClusterList>> {
    return this.#once("clusters", ({ lists }, options) => lists.recent(0, options));
  }

  async showsAll(list: ClusterList): Promise<boolean> {
    const proven = await this.#once("all clusters", ({ client }, options) => client.proven(list, options));
    return proven.value?.complete === true;
  }

  clustersIfRead(): Promise<Answer<ClusterList>> {
    return this.cache.sent("clusters");
  }

  /** One cluster; `none` only if its absence is certain. */
  cluster(id: string): Promise<Answer<ClusterRecord | "none">> {
    return this.#once(`cluster ${id}`, async (deps, options) => (await findCluster(deps, id, options)) ?? "none");
  }

  /**
   * The inputs that the service cannot change in place. Only reads decide: what this process knows, the list of clusters, and
   * the descriptor, which can name an update that the official client does not have.
   */
  async fixed(): Promise<Answer<readonly ConfigInput[]>> {
    const { client } = this.cache.deps;
    if (client.capabilities.hasUpdate !== undefined) return { value: client.capabilities.fixed };
    const { error } = await this.clusters();
    const { names } = client.capabilities;
    if (names === undefined && error !== undefined) return { error };
    if (names !== "client") return { value: [] };
    const descriptor = await this.#once("descriptor", (_deps, options) => client.getServiceInfo(options));
    const isFailed = descriptor.error instanceof RequestError || descriptor.error instanceof TimeoutError;
    return isFailed ? { error: descriptor.error } : { value: fixedInputs(client.capabilities, descriptor.value) };
  }

  #types(): Promise<Answer<GpuList>> {
    return this.#once("types", ({ client }, options) => client.listGpuTypes(options));
  }

  /** A value from the list of types if it has it, else from the separate list. */
  async #ofGpu<T>(
    type: string,
    pick: (gpus: readonly GpuType[]) => T | undefined,
    separate: () => Promise<Answer<GpuList>>,
  ): Promise<Answer<T>> {
    const types = await this.#types();
    const value = types.value && pick(recordsOf(type, types.value.gpus));
    if (value !== undefined) return { value };
    const list = await separate();
    const separateValue = list.value && pick(recordsOf(type, list.value.gpus));
    return separateValue === undefined ? { error: types.error ?? list.error } : { value: separateValue };
  }

  #once<T>(subject: string, send: (deps: Dependencies, options: CallOptions) => Promise<T>): Promise<Answer<T>> {
    return this.cache.once(subject, this.caller, send);
  }
}

/** The stock in all regions and tiers; a flag that says "none" outweighs a number. */
function stockAmong(gpus: readonly GpuType[]): number | undefined {
  const known = gpus.flatMap(({ available, availableCount }) => {
    if (available === false) return 0;
    return availableCount ?? (available ? Number.POSITIVE_INFINITY : []);
  });
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

/** What this process remembers of a run between the calls of the engine; what the run knows of its clusters is in `Registry`. */
export class RunMemory {
  /** The clusters that the engine named for a URN before: the second check of a replacement gets no old inputs. */
  readonly clusters = new Map<string, CheckedInputs>();
  /** By URN: the costs of the clusters of this provider, for which the engine has started this process. */
  readonly costs = new Map<string, PlannedCost>();
  /** The URNs for which a message has said what a replacement removes: the engine checks a replacement twice. */
  readonly announcedLosses = new Set<string>();
  readonly #fixed = new Map<string, readonly ConfigInput[]>();
  readonly messages = new Set<string>();
  #cache: ReadCache | undefined;

  reads(deps: Dependencies, caller: ReadingCheck): Reads {
    if (this.#cache?.deps !== deps) this.#cache = new ReadCache(deps);
    return new Reads(this.#cache, caller);
  }

  /** Adds to the inputs of a resource that the service cannot change in place, and returns all of them. */
  addFixed(urn: string, fixed: readonly ConfigInput[]): readonly ConfigInput[] {
    const all = [...new Set([...(this.#fixed.get(urn) ?? []), ...fixed])];
    this.#fixed.set(urn, all);
    return all;
  }
}
