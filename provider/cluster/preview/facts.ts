import type { CallOptions } from "../../api/client";
import { getServiceInfo } from "../../api/descriptor";
import { recordsOf } from "../../api/gpuMatch";
import { sameId } from "../../api/ids";
import { Fields, isRecord, plainName } from "../../api/read/json";
import { readPrice } from "../../api/read/price";
import type { ClusterList, ClusterRecord, GpuList } from "../../api/records";
import { abortable, type Clock, until } from "../../clock";
import {
  ApiError,
  GpuClusterError,
  isNotFound,
  messageOf,
  RequestError,
  ResponseShapeError,
  TimeoutError,
} from "../../errors";
import type { GpuType, ServiceInfo } from "../../types";
import { memberOf } from "../listCache";
import { isDown } from "../lookup";
import type { Service } from "../service";

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
    return list && this.service.owned.holders(name, list);
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

/** A preview must not wait for a service that is down. */
const lookUpLimitMs = 5_000;

/** What was looked up, or why it could not be. */
export type LookUp<T> = { readonly answer: T } | { readonly error: unknown };

/** What one service was asked for in this run. */
interface Asked {
  types?: Promise<LookUp<GpuList>>;
  availability?: Promise<LookUp<GpuList>>;
  pricing?: Promise<LookUp<GpuList>>;
  clusters?: Promise<LookUp<ClusterList>>;
  descriptor?: Promise<LookUp<ServiceInfo>>;
  readonly byId: Map<string, Promise<LookUp<ClusterRecord>>>;
}

/**
 * What the checks of one run look up: each thing once for each service, whatever came of it, and all of it together within
 * one limit. Check runs for one resource after the other, so every wait would add up.
 */
export class LookUps {
  readonly #asked = new Map<Service, Asked>();
  #leftMs = lookUpLimitMs;

  /** @param deadlineMs Of an operation, which waits so long; without one, all that a check may wait is the limit. */
  constructor(readonly deadlineMs?: number) {}

  types(service: Service): Promise<LookUp<GpuList>> {
    const asked = this.#askedOf(service);
    asked.types ??= this.#ask(service, (request) => service.client.listGpuTypes(request));
    return asked.types;
  }

  availability(service: Service): Promise<LookUp<GpuList>> {
    const asked = this.#askedOf(service);
    asked.availability ??= this.#ask(service, (request) => service.client.listGpuAvailability(request));
    return asked.availability;
  }

  pricing(service: Service): Promise<LookUp<GpuList>> {
    const asked = this.#askedOf(service);
    asked.pricing ??= this.#ask(service, (request) => service.client.listGpuPricing(request));
    return asked.pricing;
  }

  /** The clusters, as they were at the first call. */
  clusters(service: Service): Promise<LookUp<ClusterList>> {
    const asked = this.#askedOf(service);
    asked.clusters ??= this.#ask(service, (request) => service.lists.recent(0, request));
    return asked.clusters;
  }

  /** The descriptor document, which names the endpoints that there are. */
  descriptor(service: Service): Promise<LookUp<ServiceInfo>> {
    const asked = this.#askedOf(service);
    asked.descriptor ??= this.#ask(service, (request) => getServiceInfo(service.client, request));
    return asked.descriptor;
  }

  cluster(service: Service, id: string): Promise<LookUp<ClusterRecord>> {
    const { byId } = this.#askedOf(service);
    const look = byId.get(id) ?? this.#ask(service, (request) => service.client.getCluster(id, request));
    byId.set(id, look);
    return look;
  }

  #askedOf(service: Service): Asked {
    const asked = this.#asked.get(service) ?? { byId: new Map() };
    this.#asked.set(service, asked);
    return asked;
  }

  async #ask<T>({ clock }: Service, send: (request: CallOptions) => Promise<T>): Promise<LookUp<T>> {
    const { deadlineMs } = this;
    if (deadlineMs !== undefined)
      return send({ deadlineMs }).then(
        (answer) => ({ answer }),
        (error) => ({ error }),
      );
    if (this.#leftMs <= 0) return { error: tooLate() };
    const startMs = clock.now();
    try {
      return { answer: await within(clock, this.#leftMs, send) };
    } catch (error) {
      return { error };
    } finally {
      this.#leftMs -= clock.now() - startMs;
    }
  }
}

/** At most two attempts, and no wait for a rate limit. */
function within<T>(clock: Clock, limitMs: number, send: (request: CallOptions) => Promise<T>): Promise<T> {
  const deadlineMs = clock.now() + limitMs;
  return until({ clock, deadlineMs, late: tooLate }, (signal) =>
    abortable(send({ attempts: 2, patienceMs: 0, deadlineMs, signal }), signal),
  );
}

function tooLate(): TimeoutError {
  return new TimeoutError(`no answer within ${lookUpLimitMs / 1000} s, which is all that the checks of a run may wait`);
}

/** Something that a check could not find out. */
export interface Gap {
  /** In the plural: `stock figures`, `prices`. */
  readonly what: string;
  readonly error: unknown;
  /** The error in words, without secrets. */
  readonly text: string;
}

/** The text of an error whose request did not know what is secret: the words in it that are the service's may quote it. */
export function clearText(error: unknown, hide: (text: string) => string): string {
  const words = error instanceof ApiError ? [error.said, error.code ?? ""] : [];
  return words.reduce((text, word) => text.replace(word, () => hide(word)), messageOf(error));
}

/**
 * What makes two failures the same for whoever reads of them: a service that is down is so for all that it is asked, while
 * it may refuse one thing and answer another.
 */
export function natureOf(error: unknown): string {
  if (!(error instanceof RequestError || error instanceof TimeoutError)) return messageOf(error);
  if (error instanceof ResponseShapeError) return error.path;
  const isRefusal = error instanceof ApiError && error.outcome === "refused" && error.status !== 429;
  return isRefusal ? `refused with ${error.status}` : "down";
}

/** One sentence for all gaps of a check: what is not known, and why. */
export function gapText(gaps: readonly Gap[]): string {
  const whys = new Map<string, string>();
  for (const { error, text } of gaps) if (!whys.has(natureOf(error))) whys.set(natureOf(error), text);
  const whats = [...new Set(gaps.map(({ what }) => what))];
  return `${listOf(whats)} could not be checked: ${[...whys.values()].join("; ")}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listOf(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${last}` : last;
}
