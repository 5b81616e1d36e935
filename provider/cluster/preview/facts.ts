import type { CallOptions } from "../../api/client";
import { priceInTier, recordsOf } from "../../api/gpuMatch";
import type { ClusterList, ClusterRecord, GpuList } from "../../api/records";
import { getServiceInfo } from "../../api/serviceInfo";
import { abortable, type Clock, until } from "../../clock";
import type { Ctx } from "../../core";
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
import { isAbsent } from "../lookup";
import type { Service } from "../service";
import type { CheckedInputs } from "../stateFields";
import type { TakenName } from "../takenName";

/** The price of one GPU for one hour. */
export interface Price {
  readonly amount: number;
  /** ISO 4217; absent if the service does not show it. */
  readonly currency?: string;
}

/** Options of a lookup. `quietly`: a failure is not reported, because the answer is not essential. */
interface LookupOptions {
  readonly quietly?: boolean;
}

/**
 * The lookups of one check, answered from the shared lookups of the run. A failed lookup is recorded as a gap. If the
 * service is not known yet, no request is sent and nothing is known.
 */
export class Inquiry {
  readonly gaps: Gap[] = [];

  constructor(
    private readonly lookups: Lookups,
    private readonly service: Service | undefined,
    /** Removes secrets from texts of the service. */
    private readonly hide = (text: string) => text,
  ) {}

  /** Whether the lookup of something failed. */
  lacks(what: string): boolean {
    return this.gaps.some((gap) => gap.what === what);
  }

  /** The GPU types that the service lists; `undefined` if not known. */
  async gpuTypes({ quietly }: LookupOptions = {}): Promise<GpuList | undefined> {
    if (!this.service) return undefined;
    const lookup = await this.lookups.types(this.service);
    const isEmpty = "answer" in lookup && lookup.answer.gpus.length === 0;
    // An empty list proves nothing.
    const found = isEmpty ? { error: new GpuClusterError("GET /v1/gpus lists no GPU type at all") } : lookup;
    return this.#answerOf(found, quietly ? undefined : "GPU types");
  }

  /**
   * The number of available GPUs of a type; infinite if the service shows that some are available, without a number.
   */
  free(type: string): Promise<number | undefined> {
    return this.#factOf(type, freeAmong, (service) => this.lookups.availability(service), "stock figures");
  }

  /** @param tier The tier of the cluster, if the service has several prices. */
  price(type: string, { quietly, tier }: LookupOptions & { readonly tier?: string } = {}): Promise<Price | undefined> {
    return this.#factOf(
      type,
      (gpus) => priceAmong(gpus, tier),
      (service) => this.lookups.pricing(service),
      quietly ? undefined : "prices",
    );
  }

  /** The clusters that have a name. */
  async holders(name: string, options?: LookupOptions): Promise<readonly ClusterRecord[] | undefined> {
    return (await this.taken(name, options))?.holders;
  }

  /** The same, and whether the list shows all of them. */
  async taken(name: string, { quietly }: LookupOptions = {}): Promise<TakenName | undefined> {
    const list = await this.clusters(quietly ? undefined : "taken names");
    return list && this.service && { holders: this.service.owned.holders(name, list), complete: list.complete };
  }

  /** All known clusters of the organization. A failure is reported if `what` names the use of the list. */
  async clusters(what?: string): Promise<ClusterList | undefined> {
    return this.service && this.#answerOf(await this.lookups.clusters(this.service), what);
  }

  /** Records a fact that the answers of the service leave open, as if its lookup had failed. */
  leaveOpen(what: string, text: string): void {
    this.gaps.push({ what, error: new GpuClusterError(text), text });
  }

  /**
   * Whether the service offers no update of clusters, as is so for the official client. Only reads decide: the
   * knowledge of this process, the list of clusters, and the descriptor, which may name more endpoints.
   */
  async lacksUpdate(): Promise<boolean> {
    if (!this.service) return false;
    const { form } = this.service.client;
    if (form.has("update") !== undefined) return form.has("update") === false;
    if (form.names === undefined) await this.lookups.clusters(this.service);
    if (form.names !== "client") return false;
    const lookup = await this.lookups.descriptor(this.service);
    return !("answer" in lookup && namesUpdate(lookup.answer.endpoints));
  }

  /** Whether the run's one list of clusters shows a cluster; `undefined` if the list cannot tell. */
  async lists(id: string): Promise<boolean | undefined> {
    const list = this.service && (await this.lookups.clusters(this.service));
    if (!list || "error" in list) return undefined;
    return memberOf(list.answer, id) !== undefined || (list.answer.complete ? false : undefined);
  }

  /** One cluster; `none` only if its absence is certain. */
  async cluster(id: string): Promise<ClusterRecord | "none" | undefined> {
    if (!this.service) return undefined;
    const lookup = await this.lookups.cluster(this.service, id);
    if ("answer" in lookup) return lookup.answer;
    const list = await this.lookups.clusters(this.service);
    const listed = "answer" in list ? memberOf(list.answer, id) : undefined;
    if (listed) return listed;
    const { error } = lookup;
    const isGone = error instanceof ApiError && isNotFound(error) && isAbsent(error, list);
    return isGone ? "none" : this.#answerOf(lookup, `the cluster ${id}`);
  }

  /** A fact from the list of types, which may contain it, else from the separate list for such facts. */
  async #factOf<T>(
    type: string,
    pick: (gpus: readonly GpuType[]) => T | undefined,
    more: (service: Service) => Promise<Lookup<GpuList>>,
    what: string | undefined,
  ): Promise<T | undefined> {
    const { service } = this;
    if (!service) return undefined;
    const failures: Lookup<T>[] = [];
    for (const ask of [() => this.lookups.types(service), () => more(service)]) {
      const lookup = await ask();
      if ("error" in lookup) failures.push(lookup);
      const fact = "answer" in lookup ? pick(recordsOf(type, lookup.answer.gpus)) : undefined;
      if (fact !== undefined) return fact;
    }
    const [failure] = failures;
    return failure && this.#answerOf(failure, what);
  }

  #answerOf<T>(lookup: Lookup<T>, what: string | undefined): T | undefined {
    if ("answer" in lookup) return lookup.answer;
    if (what !== undefined) this.gaps.push({ what, error: lookup.error, text: clearText(lookup.error, this.hide) });
    return undefined;
  }
}

/** Whether a descriptor names an update, in any form of its endpoints. */
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

/** The price in a tier; if no tier is given, or it has no price of its own, the first price of the service. */
function priceAmong(gpus: readonly GpuType[], tier: string | undefined): Price | undefined {
  const inTier = tier === undefined ? [] : gpus.flatMap((gpu) => priceOf(priceInTier(gpu, tier)) ?? []);
  const [price] = [...inTier, ...gpus.flatMap((gpu) => priceOf(gpu) ?? [])];
  return price;
}

function priceOf({ pricePerHour, currency }: Pick<GpuType, "pricePerHour" | "currency">): Price | undefined {
  return pricePerHour === undefined ? undefined : { amount: pricePerHour, ...(currency ? { currency } : {}) };
}

/** The time limit for all lookups of a run: a preview must not wait for a service that is down. */
const lookUpLimitMs = 5_000;

/** The limits of lookups. `deadlineMs`: of an operation that waits; without it, `lookUpLimitMs` holds for all together. */
export type LookupLimits = Pick<CallOptions, "deadlineMs" | "attempts" | "urgency">;

/** The answer of a lookup, or its error. */
export type Lookup<T> = { readonly answer: T } | { readonly error: unknown };

/**
 * The lookups that the checks of one run share, with single flight: each is made once for each service, and its answer
 * or error is cached. One time limit holds for all of them together, because checks run one after the other and every
 * wait would add up.
 */
export class Lookups {
  readonly #byService = new Map<Service, Map<string, Promise<Lookup<unknown>>>>();
  #leftMs = lookUpLimitMs;

  /** @param others Lookups whose list of clusters is used, if they have asked for one. */
  constructor(
    private readonly limits: LookupLimits = {},
    private readonly others?: Lookups,
  ) {}

  types(service: Service): Promise<Lookup<GpuList>> {
    return this.#once(service, "types", (request) => service.client.listGpuTypes(request));
  }

  availability(service: Service): Promise<Lookup<GpuList>> {
    return this.#once(service, "availability", (request) => service.client.listGpuAvailability(request));
  }

  pricing(service: Service): Promise<Lookup<GpuList>> {
    return this.#once(service, "pricing", (request) => service.client.listGpuPricing(request));
  }

  /** The clusters, as of the first call. */
  clusters(service: Service): Promise<Lookup<ClusterList>> {
    const asked = this.others?.askedClusters(service);
    return this.#once(service, "clusters", (request) => service.lists.recent(0, request), asked);
  }

  /** The clusters, if they were asked for. */
  askedClusters(service: Service): Promise<Lookup<ClusterList>> | undefined {
    return this.#asked(service, "clusters");
  }

  /** The descriptor document, which names the endpoints of the service. */
  descriptor(service: Service): Promise<Lookup<ServiceInfo>> {
    return this.#once(service, "descriptor", (request) => getServiceInfo(service.client, request));
  }

  cluster(service: Service, id: string): Promise<Lookup<ClusterRecord>> {
    return this.#once(service, `cluster ${id}`, (request) => service.client.getCluster(id, request));
  }

  #once<T>(
    service: Service,
    subject: string,
    send: (request: CallOptions) => Promise<T>,
    known?: Promise<Lookup<T>>,
  ): Promise<Lookup<T>> {
    const lookup = this.#asked<T>(service, subject) ?? known ?? this.#ask(service, send);
    this.#byService.set(service, (this.#byService.get(service) ?? new Map()).set(subject, lookup));
    return lookup;
  }

  #asked<T>(service: Service, subject: string): Promise<Lookup<T>> | undefined {
    // Each subject has one method, and so one type.
    return this.#byService.get(service)?.get(subject) as Promise<Lookup<T>> | undefined;
  }

  async #ask<T>({ clock }: Service, send: (request: CallOptions) => Promise<T>): Promise<Lookup<T>> {
    const { deadlineMs, attempts = 2 } = this.limits;
    if (deadlineMs !== undefined)
      return send(this.limits).then(
        (answer) => ({ answer }),
        (error) => ({ error }),
      );
    if (this.#leftMs <= 0) return { error: tooLate() };
    const startMs = clock.now();
    try {
      return { answer: await within(clock, this.#leftMs, (limits) => send({ ...limits, attempts })) };
    } catch (error) {
      return { error };
    } finally {
      this.#leftMs -= clock.now() - startMs;
    }
  }
}

/** Sends a request, without a wait for a rate limit. */
function within<T>(clock: Clock, limitMs: number, send: (request: CallOptions) => Promise<T>): Promise<T> {
  const deadlineMs = clock.now() + limitMs;
  return until({ clock, deadlineMs, late: tooLate }, (signal) =>
    abortable(send({ maxQueueMs: 0, deadlineMs, signal }), signal),
  );
}

function tooLate(): TimeoutError {
  return new TimeoutError(`no answer within ${lookUpLimitMs / 1000} s, the time limit of the checks of a run`);
}

/** A lookup that failed. */
export interface Gap {
  /** In the plural: `stock figures`, `prices`. */
  readonly what: string;
  readonly error: unknown;
  /** The text of the error, without secrets. */
  readonly text: string;
}

/**
 * The text of an error, without secrets. The request did not know them, and the service's words in the error may quote
 * them.
 */
export function clearText(error: unknown, hide: (text: string) => string): string {
  const words = error instanceof ApiError ? [error.said, error.code ?? ""] : [];
  return words.reduce((text, word) => text.replace(word, () => hide(word)), messageOf(error));
}

/**
 * The kind of a failure, to report each kind once. A service that is down fails every request alike; a service that
 * refuses one request may answer another.
 */
export function natureOf(error: unknown): string {
  if (!(error instanceof RequestError || error instanceof TimeoutError)) return messageOf(error);
  if (error instanceof ResponseShapeError) return error.path;
  return isRefusal(error) ? `refused with ${error.status}` : "down";
}

/** Whether the service has refused the request clearly, so that another one would be refused too. */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.outcome === "refused" && error.status !== 429;
}

/** An operation that needs a fact before it sends anything. */
export interface Asker {
  readonly ctx: Ctx;
  readonly deadlineMs: number;
  readonly service: Service;
  readonly inputs: CheckedInputs;
  /** Removes secrets from texts of the service. */
  readonly hide: (text: string) => string;
}

/** Lookups, and the operation that they began with. */
interface Begun {
  readonly lookups: Lookups;
  readonly startMs: number;
  readonly deadlineMs: number;
}

/** The lookups of the operations of a run. They may take as long as the operation, and operations share them. */
export class LateLookups {
  #begun: Begun | undefined;

  /** The wait ends with the operation or its interrupt; the requests go on for other operations. */
  async ask<T>(asker: Asker, ask: (inquiry: Inquiry) => Promise<T>): Promise<T> {
    const { ctx, deadlineMs, service, inputs } = asker;
    ctx.signal.throwIfAborted();
    const late = () =>
      new TimeoutError(
        `cluster "${inputs.name}": no price or stock came before the time limit of the operation. Nothing was sent`,
      );
    return until({ clock: service.clock, deadlineMs, late }, (limit) =>
      abortable(this.#askUntilWhole(asker, ask), AbortSignal.any([limit, ctx.signal])),
    );
  }

  /** Repeats lookups that have failed for an earlier operation. */
  async #askUntilWhole<T>(
    { ctx, deadlineMs, service, hide }: Asker,
    ask: (inquiry: Inquiry) => Promise<T>,
  ): Promise<T> {
    const own = { startMs: ctx.startMs ?? service.clock.now(), deadlineMs };
    for (;;) {
      const begun = this.#begun ?? { ...own, lookups: new Lookups({ deadlineMs }) };
      this.#begun = begun;
      const inquiry = new Inquiry(begun.lookups, service, hide);
      const answer = await ask(inquiry);
      const mayRepeat = inquiry.gaps.some(({ error }) => isOfOther(error, begun, own));
      if (!mayRepeat || ctx.signal.aborted) return answer;
      if (this.#begun === begun) this.#begun = undefined;
    }
  }
}

/** Whether a failure is that of an earlier operation alone: its deadline cut it, or the service did not answer then. */
function isOfOther(error: unknown, begun: Begun, own: Omit<Begun, "lookups">): boolean {
  if (error instanceof RequestError && error.isCut) return begun.deadlineMs < own.deadlineMs;
  return !isRefusal(error) && begun.startMs < own.startMs;
}
