import type { CallOptions } from "../../api/client";
import { priceInTier, recordsOf } from "../../api/gpuMatch";
import type { ClusterList, ClusterRecord, GpuList } from "../../api/records";
import type { ConfigInput } from "../../api/serviceForm";
import { fixedInputs, getServiceInfo } from "../../api/serviceInfo";
import type { GpuType } from "../../api/types";
import { abortable, until } from "../../base/clock";
import {
  ApiError,
  GpuClusterError,
  isNotFound,
  isRejectedKey,
  messageOf,
  RequestError,
  ResponseShapeError,
  TimeoutError,
} from "../../base/errors";
import { listOf, resourceNameOf } from "../../base/text";
import type { Settings } from "../../config/settings";
import type { CheckFailure, Ctx } from "../../contract";
import { memberOf } from "./listCache";
import { isAbsent } from "./lookup";
import type { Service } from "./service";

/** The price of one GPU for one hour. */
export interface Price {
  readonly amount: number;
  /** ISO 4217; absent if the service does not show it. */
  readonly currency?: string;
}

/** The answer of a lookup. Without a value, the service does not say it; with an error, the lookup failed. */
export interface Fact<T> {
  readonly value?: T | undefined;
  readonly error?: unknown;
}

/** The time limit for all lookups of a run: a preview must not wait for a service that is down. */
export const shortMs = 5_000;
/** The same if a limit on costs depends on the answers: they also wait for the rate limit. */
export const longMs = 60_000;

/**
 * The lookups of one run at one service. Each is made once, and its answer or error is kept. A lookup never throws. One time
 * limit holds for all of them together, because checks run one after the other and every wait would add up.
 */
export class Facts {
  /** Other keys that saw a cluster last which this key sees too. */
  readonly sameOrganization = new Set<string>();
  readonly #asked = new Map<string, Promise<Fact<unknown>>>();
  #leftMs: number;
  /** Why a cluster could not be read: the service is not asked for another one then. */
  #unreadable: unknown;

  constructor(
    private readonly service: Service,
    private readonly limitMs: number,
  ) {
    this.#leftMs = limitMs;
  }

  /** The GPU types that the service lists. An empty list proves nothing. */
  async gpuTypes(): Promise<Fact<GpuList>> {
    const list = await this.#types();
    const isEmpty = list.value?.gpus.length === 0;
    return isEmpty ? { error: new GpuClusterError("GET /v1/gpus lists no GPU type at all") } : list;
  }

  /** The number of available GPUs of a type; infinite if some are available, and the service shows no number. */
  stock(type: string): Promise<Fact<number>> {
    const availability = () => this.#once("availability", ({ client }, limits) => client.listGpuAvailability(limits));
    return this.#ofGpu(type, stockAmong, availability);
  }

  /** @param tier The tier of the cluster, if the service has several prices. */
  price(type: string, tier?: string): Promise<Fact<Price>> {
    const pricing = () => this.#once("pricing", ({ client }, limits) => client.listGpuPricing(limits));
    return this.#ofGpu(type, (gpus) => priceAmong(gpus, tier), pricing);
  }

  /** The clusters of the organization, as of the first call. */
  clusters(): Promise<Fact<ClusterList>> {
    return this.#once("clusters", ({ lists }, limits) => lists.recent(0, limits));
  }

  /** One cluster; `none` only if its absence is certain. */
  async cluster(id: string): Promise<Fact<ClusterRecord | "none">> {
    if (this.#unreadable) return { error: this.#unreadable };
    const { value, error } = await this.#once(`cluster ${id}`, ({ client }, limits) => client.getCluster(id, limits));
    if (error === undefined) return { value };
    const list = await this.clusters();
    const listed = list.value && memberOf(list.value, id);
    if (listed) return { value: listed };
    const known = list.value ? { answer: list.value } : { error: list.error };
    if (error instanceof ApiError && isNotFound(error)) return isAbsent(error, known) ? { value: "none" } : { error };
    if (!(error instanceof ResponseShapeError)) this.#unreadable = error;
    return { error };
  }

  /**
   * The inputs that the service cannot change in place. Only reads decide: what this process knows, the list of clusters, and
   * the descriptor, which may name an update that the official client does not have.
   */
  async fixed(): Promise<Fact<readonly ConfigInput[]>> {
    const { form } = this.service.client;
    if (form.has("update") !== undefined) return { value: form.fixed };
    const { error } = await this.clusters();
    if (form.names === undefined && error !== undefined) return { error };
    if (form.names !== "client") return { value: [] };
    const descriptor = await this.#once("descriptor", ({ client }, limits) => getServiceInfo(client, limits));
    const isFailed = descriptor.error instanceof RequestError || descriptor.error instanceof TimeoutError;
    if (isFailed) return { error: descriptor.error };
    return { value: fixedInputs(form, descriptor.value) };
  }

  #types(): Promise<Fact<GpuList>> {
    return this.#once("types", ({ client }, limits) => client.listGpuTypes(limits));
  }

  /** A fact from the list of types, which may contain it, else from the separate list of such facts. */
  async #ofGpu<T>(
    type: string,
    pick: (gpus: readonly GpuType[]) => T | undefined,
    more: () => Promise<Fact<GpuList>>,
  ): Promise<Fact<T>> {
    let error: unknown;
    for (const ask of [() => this.#types(), more]) {
      const list = await ask();
      const value = list.value && pick(recordsOf(type, list.value.gpus));
      if (value !== undefined) return { value };
      error ??= list.error;
    }
    return { error };
  }

  #once<T>(subject: string, send: (service: Service, limits: CallOptions) => Promise<T>): Promise<Fact<T>> {
    // Each subject has one method, and so one type.
    const known = this.#asked.get(subject) as Promise<Fact<T>> | undefined;
    const fact = known ?? this.#ask(send);
    this.#asked.set(subject, fact);
    return fact;
  }

  async #ask<T>(send: (service: Service, limits: CallOptions) => Promise<T>): Promise<Fact<T>> {
    const { service, limitMs } = this;
    const late = () => new TimeoutError(`no answer within ${limitMs / 1000} s, the time limit of the checks of a run`);
    if (this.#leftMs <= 0) return { error: late() };
    const { clock } = service;
    const startMs = clock.now();
    const deadlineMs = startMs + this.#leftMs;
    const limits = limitMs === shortMs ? { maxQueueMs: 0, attempts: 2, deadlineMs } : { deadlineMs };
    try {
      const work = (signal: AbortSignal) => abortable(send(service, { ...limits, signal }), signal);
      return { value: await until({ clock, deadlineMs, late }, work) };
    } catch (error) {
      return { error };
    } finally {
      this.#leftMs -= clock.now() - startMs;
    }
  }
}

/** The stock in all regions and tiers; a flag that says "none" outweighs a number. */
function stockAmong(gpus: readonly GpuType[]): number | undefined {
  const known = gpus.map(stockOf).filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

function stockOf({ available, availableCount }: GpuType): number | undefined {
  if (available === false) return 0;
  return availableCount ?? (available ? Number.POSITIVE_INFINITY : undefined);
}

/** The price in a tier. */
function priceAmong(gpus: readonly GpuType[], tier: string | undefined): Price | undefined {
  const { pricePerHour, currency } = priceInTier(gpus, tier);
  return pricePerHour === undefined ? undefined : { amount: pricePerHour, ...(currency ? { currency } : {}) };
}

/** Something that a check could not find out. `what` is in the plural: `stock figures`, `prices`. */
interface Gap {
  readonly what: string;
  readonly error: unknown;
}

/** One check in progress: its failures, its messages, and what it could not find out. */
export class Check {
  readonly failures: CheckFailure[] = [];
  readonly #gaps: Gap[] = [];

  /** @param said The messages of the run: each is shown once. */
  constructor(
    readonly ctx: Ctx,
    readonly service: Service,
    readonly settings: Settings,
    readonly facts: Facts,
    private readonly said: Set<string>,
  ) {}

  get urn(): string {
    return this.ctx.urn;
  }

  /** The value of a fact that the check needs: a failed lookup is reported. */
  need<T>(what: string, { value, error }: Fact<T>): T | undefined {
    if (error !== undefined) this.#gaps.push({ what, error });
    return value;
  }

  fail(property: string, reason: string): void {
    this.failures.push({ property, reason });
  }

  /** @param key For messages about the whole run: shown once, and without the name of this resource. */
  warn(text: string, key?: string): void {
    this.#say(text, "warning", key);
  }

  inform(text: string, key?: string): void {
    this.#say(text, "info", key);
  }

  /** True at the first call with a key, in the whole run. */
  isFirst(key: string): boolean {
    const isFirst = !this.said.has(key);
    this.said.add(key);
    return isFirst;
  }

  /** Reports failed lookups: one warning in a run, or a failure if the stack sets `strictPreview`. */
  reportGaps(): void {
    // A rejected key would also be rejected for every request of the update.
    const rejected = this.#gaps.find(({ error }) => isRejectedKey(error));
    if (rejected) {
      this.fail("", messageOf(rejected.error));
      return;
    }
    if (this.settings.strictPreview) {
      const text = `${this.#gapText(this.#gaps)} (an error because of gpucluster:strictPreview)`;
      if (this.#gaps.length > 0) this.fail("", text);
      return;
    }
    const keyOf = ({ error }: Gap) => `gap ${natureOf(error)}`;
    const fresh = this.#gaps.filter((gap) => !this.said.has(keyOf(gap)));
    for (const gap of fresh) this.said.add(keyOf(gap));
    const text = `${this.#gapText(fresh)}. Further warnings of this kind are hidden in this run`;
    if (fresh.length > 0) this.warn(text, text);
  }

  /** One sentence for all gaps: the failed lookups, and the reasons. */
  #gapText(gaps: readonly Gap[]): string {
    const whys = new Map<string, string>();
    for (const { error } of gaps) if (!whys.has(natureOf(error))) whys.set(natureOf(error), messageOf(error));
    const whats = [...new Set(gaps.map(({ what }) => what))];
    return `${listOf(whats)} could not be checked: ${[...whys.values()].join("; ")}`;
  }

  /** Some views do not show the resource of a message, so the text names it. */
  #say(text: string, severity: "info" | "warning", key?: string): void {
    const name = resourceNameOf(this.urn);
    const line = key !== undefined || name === "" ? text : `${name}: ${text}`;
    if (this.isFirst(key ?? `${this.urn}\n${text}`)) this.ctx.log(line, severity);
  }
}

/**
 * The kind of a failure, to report each kind once. A service that is down fails every request alike; a service that
 * refuses one request may answer another.
 */
export function natureOf(error: unknown): string {
  if (!(error instanceof RequestError || error instanceof TimeoutError)) return messageOf(error);
  if (error instanceof ResponseShapeError) return error.path;
  const isRefused = error instanceof ApiError && error.outcome === "refused" && error.status !== 429;
  return isRefused ? `refused with ${error.status}` : "down";
}
