import { type CallOptions, fixedInputs } from "../../api/client";
import type { ClusterList, ClusterRecord, GpuList } from "../../api/decode/records";
import type { GpuType } from "../../api/decode/types";
import type { ConfigInput } from "../../api/endpoints";
import { priceInTier, recordsOf } from "../../api/gpuMatch";
import { abortable, until } from "../../base/clock";
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

/** The answer of a read. Without a value, the service does not report it; with an error, it is not known. */
export interface Answer<T> {
  readonly value?: T | undefined;
  readonly error?: unknown;
}

/** The check that reads: an interrupt ends its reads, and a patient one waits for the rate limit. */
interface ReadingCheck {
  readonly signal: AbortSignal;
  readonly isPatient: boolean;
}

/** The answers to the checks that wait equally long, and the time that is left to their further reads. */
interface Lane {
  readonly answers: Map<string, Promise<Answer<unknown>>>;
  readonly limitMs: number;
  /** While nothing is in flight. Time in which several reads are in flight counts once. */
  leftMs: number;
  /** While reads are in flight. */
  deadlineMs: number;
  inFlight: number;
}

const newLanes = () => {
  const lane = (limitMs: number): Lane => ({
    answers: new Map(),
    limitMs,
    leftMs: limitMs,
    deadlineMs: 0,
    inFlight: 0,
  });
  return { patient: lane(maxPatientChecksMs), impatient: lane(maxChecksMs) };
};

/**
 * The reads of one run at one service, for one check. Each is sent once in the run, and its answer or error is kept. They share
 * one time limit, because checks run one after the other and every wait would add up. Patient checks have a limit of their own:
 * they wait longer, and would leave no time to the others.
 */
export class Reads {
  constructor(
    private readonly deps: Dependencies,
    private readonly caller: ReadingCheck,
    private readonly lanes = newLanes(),
  ) {}

  /** The GPU types that the service lists. An empty list proves nothing. */
  async gpuTypes(): Promise<Answer<GpuList>> {
    const list = await this.#types();
    const isEmpty = list.value?.gpus.length === 0;
    return isEmpty ? { error: new GpuClusterError("GET /v1/gpus lists no GPU type at all") } : list;
  }

  /** The number of available GPUs of a type; infinite if the service reports only that some are available. */
  async stock(type: string): Promise<Answer<number>> {
    const types = await this.#types();
    const listed = stockAmong(recordsOf(type, types.value?.gpus ?? []));
    if (listed !== undefined && listed !== Number.POSITIVE_INFINITY) return { value: listed };
    const list = await this.#once("availability", ({ client }, options) => client.listGpuAvailability(options));
    const value = stockAmong(recordsOf(type, list.value?.gpus ?? [])) ?? listed;
    return value === undefined ? { error: types.error ?? list.error } : { value };
  }

  /** The price of one GPU: from the list of types if it shows one, else from that of prices. */
  async price(type: string, tier?: string): Promise<Answer<Price>> {
    const types = await this.#types();
    const listed = priceInTier(recordsOf(type, types.value?.gpus ?? []), tier);
    if (listed.pricePerHour !== undefined) return { value: { amount: listed.pricePerHour, currency: listed.currency } };
    const list = await this.#once("pricing", ({ client }, options) => client.listGpuPricing(options));
    const { pricePerHour: amount, currency } = priceInTier(recordsOf(type, list.value?.gpus ?? []), tier);
    return amount === undefined ? { error: types.error ?? list.error } : { value: { amount, currency } };
  }

  clusters(): Promise<Answer<ClusterList>> {
    return this.#once("clusters", ({ lists }, options) => lists.recent(0, options));
  }

  proven(list: ClusterList): Promise<Answer<ClusterList>> {
    return this.#once("all clusters", ({ client }, options) => client.proven(list, options));
  }

  async clustersIfRead(): Promise<Answer<ClusterList>> {
    const { patient, impatient } = this.lanes;
    const answer = impatient.answers.get("clusters") ?? patient.answers.get("clusters");
    return (answer ?? {}) as Promise<Answer<ClusterList>>;
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
    const { client } = this.deps;
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

  /** @throws The reason of the caller's signal. Every other failure is in the answer. */
  async #once<T>(subject: string, send: (deps: Dependencies, options: CallOptions) => Promise<T>): Promise<Answer<T>> {
    const { signal, isPatient } = this.caller;
    const { patient, impatient } = this.lanes;
    const lane = isPatient ? patient : impatient;
    // Each subject has one method, and so one type.
    const known = lane.answers.get(subject) as Promise<Answer<T>> | undefined;
    if (known !== undefined) return abortable(known, signal);
    const answer = this.#send(lane, send);
    lane.answers.set(subject, answer);
    answer.then(
      ({ error }) => {
        // A value serves all checks. An error does not: a patient check may get an answer.
        if (error !== undefined) return;
        patient.answers.set(subject, answer);
        impatient.answers.set(subject, answer);
      },
      // An interrupted read has no answer for other checks.
      () => lane.answers.delete(subject),
    );
    return abortable(answer, signal);
  }

  async #send<T>(lane: Lane, send: (deps: Dependencies, options: CallOptions) => Promise<T>): Promise<Answer<T>> {
    const { clock } = this.deps;
    const { signal: interrupt, isPatient } = this.caller;
    if (lane.inFlight === 0) lane.deadlineMs = clock.now() + lane.leftMs;
    const { deadlineMs, limitMs } = lane;
    const late = () => new TimeoutError(`no answer within ${limitMs / 1000} s, the time limit of the checks of a run`);
    if (deadlineMs <= clock.now()) return { error: late() };
    const limits = isPatient ? { deadlineMs } : { deadlineMs, maxQueueMs: 0, attempts: 2 };
    lane.inFlight += 1;
    try {
      const value = await until({ clock, deadlineMs, late }, (timeout) => {
        const signal = AbortSignal.any([timeout, interrupt]);
        return abortable(send(this.deps, { ...limits, signal }), signal);
      });
      return { value };
    } catch (error) {
      if (interrupt.aborted) throw error;
      return { error };
    } finally {
      lane.inFlight -= 1;
      lane.leftMs = deadlineMs - clock.now();
    }
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
  /** By URN: the inputs of the cluster that the service cannot change in place, as reads and states have shown. */
  readonly #fixed = new Map<string, readonly ConfigInput[]>();
  readonly messages = new Set<string>();
  readonly #lanes = new WeakMap<Dependencies, ReturnType<typeof newLanes>>();

  /** Adds to the fixed inputs of a resource, and returns all. */
  addFixed(urn: string, fixed: readonly ConfigInput[]): readonly ConfigInput[] {
    const all = [...new Set([...(this.#fixed.get(urn) ?? []), ...fixed])];
    this.#fixed.set(urn, all);
    return all;
  }

  reads(deps: Dependencies, caller: ReadingCheck): Reads {
    const lanes = this.#lanes.get(deps) ?? newLanes();
    this.#lanes.set(deps, lanes);
    return new Reads(deps, caller, lanes);
  }
}
