import { sameId } from "../../api/ids";
import type { ClusterRecord, GpuList } from "../../api/records";
import { ApiError, GpuClusterError, isNotFound } from "../../errors";
import type { GpuType } from "../../types";
import { sameText } from "../forms";
import type { Service } from "../service";
import type { Gap } from "./gaps";
import type { LookUp, LookUps } from "./lookups";

/** What one GPU costs in an hour. */
export interface Price {
  readonly amount: number;
  /** ISO 4217, where the service says it. */
  readonly currency?: string;
}

/** For what is good to know, and no reason to say anything where it is not. */
interface Asking {
  readonly quietly?: boolean;
}

/**
 * What one check asks of the service, each question as the answers of the whole run answer it; what they do not is noted as a
 * gap. Where the service is not known yet, nothing is asked, and nothing is known.
 */
export class Inquiry {
  readonly gaps: Gap[] = [];

  constructor(
    private readonly lookUps: LookUps,
    private readonly service: Service | undefined,
  ) {}

  /** Whether there was no answer about something. */
  lacks(what: string): boolean {
    return this.gaps.some((gap) => gap.what === what);
  }

  /** The GPU types that the service lists; `undefined` where there is no telling. */
  async gpuTypes(): Promise<string[] | undefined> {
    if (!this.service) return undefined;
    const look = await this.lookUps.types(this.service);
    const isEmpty = "answer" in look && look.answer.gpus.length === 0;
    // A list of nothing proves nothing.
    const found = isEmpty ? { error: new GpuClusterError("GET /v1/gpus lists no GPU type at all") } : look;
    return this.#answerOf(found, "GPU types")?.gpus.map(({ type }) => type);
  }

  /** How many GPUs of a type can be had; infinitely many where it is said that some can, and not how many. */
  free(type: string): Promise<number | undefined> {
    return this.#factOf(type, freeOf, (service) => this.lookUps.availability(service), "stock figures");
  }

  price(type: string, { quietly }: Asking = {}): Promise<Price | undefined> {
    return this.#factOf(type, priceOf, (service) => this.lookUps.pricing(service), quietly ? undefined : "prices");
  }

  /** The clusters that have a name. */
  async holders(name: string, { quietly }: Asking = {}): Promise<ClusterRecord[] | undefined> {
    if (!this.service) return undefined;
    const list = this.#answerOf(await this.lookUps.clusters(this.service), quietly ? undefined : "taken names");
    return list && this.service.claims.holders(name, list);
  }

  /** One cluster; `none` only where that is certain. */
  async cluster(id: string): Promise<ClusterRecord | "none" | undefined> {
    if (!this.service) return undefined;
    const look = await this.lookUps.cluster(this.service, id);
    if ("answer" in look) return look.answer;
    const list = await this.lookUps.clusters(this.service);
    const { clusters, complete } = "answer" in list ? list.answer : { clusters: [], complete: false };
    const listed = clusters.find((cluster) => sameId(cluster.id, id));
    if (listed) return listed;
    // Any gateway on the way may answer 404; only the API itself writes the documented one.
    const isSure = complete || (look.error instanceof ApiError && look.error.isEnvelope);
    return isNotFound(look.error) && isSure ? "none" : this.#answerOf(look, `the cluster ${id}`);
  }

  /** From the list of the types, which may say it all; else from the list that is about nothing else. */
  async #factOf<T>(
    type: string,
    pick: (gpu: GpuType) => T | undefined,
    more: (service: Service) => Promise<LookUp<GpuList>>,
    what: string | undefined,
  ): Promise<T | undefined> {
    const { service } = this;
    if (!service) return undefined;
    const failures: LookUp<T>[] = [];
    for (const ask of [() => this.lookUps.types(service), () => more(service)]) {
      const look = await ask();
      if ("error" in look) failures.push(look);
      const gpu = "answer" in look ? recordOf(type, look.answer.gpus) : undefined;
      const fact = gpu && pick(gpu);
      if (fact !== undefined) return fact;
    }
    const [failure] = failures;
    return failure && this.#answerOf(failure, what);
  }

  #answerOf<T>(look: LookUp<T>, what: string | undefined): T | undefined {
    if ("answer" in look) return look.answer;
    if (what !== undefined) this.gaps.push({ what, error: look.error });
    return undefined;
  }
}

function recordOf(type: string, gpus: readonly GpuType[]): GpuType | undefined {
  return gpus.find((gpu) => gpu.type === type) ?? gpus.find((gpu) => sameText(gpu.type, type));
}

/** A flag that says "none" outweighs a number. */
function freeOf({ available, availableCount }: GpuType): number | undefined {
  if (available === false) return 0;
  return availableCount ?? (available ? Number.POSITIVE_INFINITY : undefined);
}

function priceOf({ pricePerHour, currency }: GpuType): Price | undefined {
  return pricePerHour === undefined ? undefined : { amount: pricePerHour, ...(currency ? { currency } : {}) };
}
