import { recordsOf } from "../../api/gpuMatch";
import { sameId } from "../../api/ids";
import { Fields, isRecord, plainName } from "../../api/read/json";
import { readPrice } from "../../api/read/price";
import type { ClusterRecord, GpuList } from "../../api/records";
import { ApiError, GpuClusterError, isNotFound } from "../../errors";
import type { GpuType } from "../../types";
import { isDown } from "../find";
import { memberOf } from "../lists";
import type { Service } from "../service";
import { clearText, type Gap } from "./gaps";
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
    /** Takes secrets out of what the service says. */
    private readonly hide = (text: string) => text,
  ) {}

  /** Whether there was no answer about something. */
  lacks(what: string): boolean {
    return this.gaps.some((gap) => gap.what === what);
  }

  /** The GPU types that the service lists; `undefined` where there is no telling. */
  async gpuTypes({ quietly }: Asking = {}): Promise<GpuList | undefined> {
    if (!this.service) return undefined;
    const look = await this.lookUps.types(this.service);
    const isEmpty = "answer" in look && look.answer.gpus.length === 0;
    // A list of nothing proves nothing.
    const found = isEmpty ? { error: new GpuClusterError("GET /v1/gpus lists no GPU type at all") } : look;
    return this.#answerOf(found, quietly ? undefined : "GPU types");
  }

  /** How many GPUs of a type can be had; infinitely many where it is said that some can, and not how many. */
  free(type: string): Promise<number | undefined> {
    return this.#factOf(type, freeAmong, (service) => this.lookUps.availability(service), "stock figures");
  }

  /** @param tier The tier of the cluster, if the service has several prices. */
  price(type: string, { quietly, tier }: Asking & { readonly tier?: string } = {}): Promise<Price | undefined> {
    return this.#factOf(
      type,
      (gpus) => priceAmong(gpus, tier),
      (service) => this.lookUps.pricing(service),
      quietly ? undefined : "prices",
    );
  }

  /** The clusters that have a name. */
  async holders(name: string, { quietly }: Asking = {}): Promise<ClusterRecord[] | undefined> {
    if (!this.service) return undefined;
    const list = this.#answerOf(await this.lookUps.clusters(this.service), quietly ? undefined : "taken names");
    return list && this.service.claims.holders(name, list);
  }

  /** All clusters of the organization, for who is to be told what exists. */
  async clusters(): Promise<readonly ClusterRecord[]> {
    const look = this.service && (await this.lookUps.clusters(this.service));
    return look && "answer" in look ? look.answer.clusters : [];
  }

  /**
   * Whether the service shows no update of clusters, as the official client knows none. Only reads tell: what this process
   * has learned, the list of clusters, and the descriptor, which may say more.
   */
  async lacksUpdate(): Promise<boolean> {
    if (!this.service) return false;
    const { form } = this.service.client;
    if (form.has("update") !== undefined) return form.has("update") === false;
    if (form.names === undefined) await this.lookUps.clusters(this.service);
    if (form.names !== "client") return false;
    const look = await this.lookUps.descriptor(this.service);
    return !("answer" in look && namesUpdate(look.answer.endpoints));
  }

  /** Whether a cluster is known, by the run's one list of clusters; what that lacks is asked for by its id. */
  async knows(id: string): Promise<boolean | undefined> {
    const list = this.service && (await this.lookUps.clusters(this.service));
    if (list && "answer" in list && memberOf(list.answer, id)) return true;
    const found = await this.cluster(id);
    return found === undefined ? undefined : found !== "none";
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
    // Any gateway on the way may answer 404; only the API itself writes the documented one, and not while it is ill.
    const isTold = look.error instanceof ApiError && look.error.isEnvelope && !("error" in list && isDown(list.error));
    return isNotFound(look.error) && (complete || isTold) ? "none" : this.#answerOf(look, `the cluster ${id}`);
  }

  /** From the list of the types, which may say it all; else from the list that is about nothing else. */
  async #factOf<T>(
    type: string,
    pick: (gpus: readonly GpuType[]) => T | undefined,
    more: (service: Service) => Promise<LookUp<GpuList>>,
    what: string | undefined,
  ): Promise<T | undefined> {
    const { service } = this;
    if (!service) return undefined;
    const failures: LookUp<T>[] = [];
    for (const ask of [() => this.lookUps.types(service), () => more(service)]) {
      const look = await ask();
      if ("error" in look) failures.push(look);
      const fact = "answer" in look ? pick(recordsOf(type, look.answer.gpus)) : undefined;
      if (fact !== undefined) return fact;
    }
    const [failure] = failures;
    return failure && this.#answerOf(failure, what);
  }

  #answerOf<T>(look: LookUp<T>, what: string | undefined): T | undefined {
    if ("answer" in look) return look.answer;
    if (what !== undefined) this.gaps.push({ what, error: look.error, text: clearText(look.error, this.hide) });
    return undefined;
  }
}

/** Whether a descriptor names an update, in whatever form it writes its endpoints. */
function namesUpdate(endpoints: object): boolean {
  return /"update"|"patch\b|"put\b/i.test(JSON.stringify(endpoints));
}

/** The stock in all regions and tiers; a flag that says "none" outweighs a number. */
function freeAmong(gpus: readonly GpuType[]): number | undefined {
  const known = gpus.map(freeOf).filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

function freeOf({ available, availableCount }: GpuType): number | undefined {
  if (available === false) return 0;
  return availableCount ?? (available ? Number.POSITIVE_INFINITY : undefined);
}

/** The price in a tier or, if none is given or has a price of its own, the one that the service names first. */
function priceAmong(gpus: readonly GpuType[], tier: string | undefined): Price | undefined {
  const inTier = tier === undefined ? [] : gpus.flatMap((gpu) => priceInTier(gpu, tier) ?? []);
  const [price] = [...inTier, ...gpus.flatMap((gpu) => priceOf(gpu) ?? [])];
  return price;
}

/** A row that is about the tier, or the tier's own entry in the prices of a row. */
function priceInTier(gpu: GpuType, tier: string): Price | undefined {
  const fields = new Fields(gpu.raw);
  if (fields.get("tier") === tier) return priceOf(gpu);
  const tiers = new Fields(fields.get("pricing") ?? fields.get("price") ?? fields.get("prices"));
  const own = tiers.get(plainName(tier));
  const { pricePerHour: amount, currency = gpu.currency } = readPrice(isRecord(own) ? own : { price_per_hour: own });
  return amount === undefined ? undefined : { amount, ...(currency ? { currency } : {}) };
}

function priceOf({ pricePerHour, currency }: GpuType): Price | undefined {
  return pricePerHour === undefined ? undefined : { amount: pricePerHour, ...(currency ? { currency } : {}) };
}
