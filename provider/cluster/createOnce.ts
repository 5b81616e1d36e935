import type { Client } from "../api/client";
import { gpuKey, hasIdForm, IdSet, plainName, sameId } from "../api/names";
import { type ClusterList, type ClusterRecord, clusterNamePattern, typeRefusals } from "../api/records";
import { type CreateBody, isOpaque } from "../api/requestNames";
import type { Clock } from "../clock";
import { ApiError, CreateError, messageOf, RequestError, UncertainError } from "../errors";
import { cleanText } from "../text";
import { identifiersIn, sameImage, sameText } from "./drift";
import type { ListCache, ListOptions } from "./listCache";
import type { OwnedIds } from "./ownedIds";
import { describe, refuseTaken } from "./takenName";

/** Decides by the list that is taken before the create request whether the request may be sent; throws if not. */
export type Approve = (list: ClusterList) => Promise<void>;

export interface CreationOptions {
  readonly signal: AbortSignal;
  /** After this time, nothing is sent except lookups. */
  readonly deadlineMs: number;
  /** The deadline of lookups. */
  readonly lookupDeadlineMs: number;
  /** Values that must not appear in a message. */
  readonly secrets: readonly string[];
  /** Reports a fact that the user should know although the creation succeeded. */
  readonly warn: (text: string) => void;
  readonly approve?: Approve;
}

/** The options of the search for a second cluster of a name, and the function that reports one. */
type TwinSearch = ListOptions & Pick<CreationOptions, "warn">;

/** The greatest age of the list that is taken before a creation. The creations of this process are known without a list. */
const snapshotAgeMs = 30_000;
/** Pauses before each lookup of a cluster whose create answer was lost, 20 s in all: a list may lag behind. */
const searchPausesMs = [0, 2_000, 3_000, 5_000, 10_000];
/** The pauses if the service may still be working on the request: some services allocate GPUs before they answer. */
const longSearchPausesMs = [...searchPausesMs, 20_000, 40_000, 60_000];
/** The time limit of the first lookup, which runs even after an interrupt: it usually finds the id. */
const firstLookupMs = 5_000;
/** The tolerated difference between two clocks: a cluster that is older than our request by more is not ours. */
const clockSkewMs = 5 * 60_000;
/**
 * An uncertain creation is not sent again during this time: an error hook of the program may make the engine retry it at once,
 * while the first request may still be in flight.
 */
const doubtMs = 15 * 60_000;

/** Names in lower case whose cluster may still appear, with the error of the creation. */
class Doubts {
  readonly #all = new Map<string, { readonly error: CreateError; readonly sinceMs: number }>();

  of(key: string, nowMs: number): CreateError | undefined {
    const doubt = this.#all.get(key);
    return doubt && nowMs - doubt.sinceMs < doubtMs ? doubt.error : undefined;
  }

  refuse(key: string, nowMs: number): void {
    const error = this.of(key, nowMs);
    if (error) throw error;
  }

  note(key: string, error: UncertainError, sinceMs: number): void {
    if (error !== this.#all.get(key)?.error) this.#all.set(key, { error, sinceMs });
  }
}

/** What a list shows of a cluster whose create answer was lost. */
type Finding =
  | { readonly kind: "found"; readonly record: ClusterRecord }
  | { readonly kind: "none" }
  | { readonly kind: "doubtful"; readonly why: string };

/**
 * Creates exactly one cluster. The service has no idempotency key, so the name identifies the request. A name that is taken
 * is refused before anything is sent. If the answer is lost, the list shows whether the cluster was created. The request is
 * sent a second time only if the first one certainly created nothing.
 */
export class Creations {
  readonly #doubts = new Doubts();
  /** Names in lower case for which two create requests were sent: the first one may still create a cluster. */
  readonly #resent = new Set<string>();
  /** Names in lower case whose last creation had no clear answer, and whose cluster was found in a list. */
  readonly #found = new Set<string>();
  /** Names in lower case whose creation is in flight. */
  readonly #pendingNames = new Set<string>();

  constructor(
    private readonly client: Client,
    private readonly lists: ListCache,
    private readonly owned: OwnedIds,
    private readonly clock: Clock,
  ) {}

  /** @throws CreateError or RequestError; the message says whether a cluster may exist, and which. */
  async create(body: CreateBody, options: CreationOptions): Promise<ClusterRecord> {
    const key = body.name.toLowerCase();
    if (this.#pendingNames.has(key)) {
      throw new CreateError(`another resource of this program is using the name "${body.name}" right now`);
    }
    this.#pendingNames.add(key);
    this.#found.delete(key);
    try {
      const before = await this.#snapshot(options);
      refuseTaken(this.owned, body.name, before);
      this.#doubts.refuse(key, this.clock.now());
      if (before) await options.approve?.(before);
      const record = await this.#request(body, before, options);
      this.owned.created(key, record);
      return record;
    } catch (error) {
      if (error instanceof UncertainError) this.#doubts.note(key, error, this.clock.now());
      throw error;
    } finally {
      this.#pendingNames.delete(key);
    }
  }

  /** Whether a creation of the name would fail now, because a cluster has the name or may have it; false if not known. */
  async isTaken(name: string, request: ListOptions): Promise<boolean> {
    if (this.#doubts.of(name.toLowerCase(), this.clock.now())) return true;
    const list = await this.lists.recent(snapshotAgeMs, request).catch(() => undefined);
    return list !== undefined && this.owned.holders(name, list).length > 0;
  }

  /** The clusters before the request; `undefined` if the API itself says that the key may create but not list. */
  async #snapshot({ signal, deadlineMs, warn }: CreationOptions): Promise<ClusterList | undefined> {
    try {
      return await this.lists.recent(snapshotAgeMs, { signal, deadlineMs });
    } catch (error) {
      const isTold = error instanceof ApiError && error.status === 403 && error.isApiAnswer && error.said !== "";
      if (!isTold) throw error;
      warn(
        "the API key may not list clusters, so a cluster of this name may already exist, for example from an interrupted " +
          "run. Check the service, or use a key that may list clusters",
      );
      return undefined;
    }
  }

  /** Sends the create request, and a second one only if the first one certainly created no cluster. */
  async #request(body: CreateBody, before: ClusterList | undefined, options: CreationOptions): Promise<ClusterRecord> {
    const sent = { body, before, sentAtMs: this.clock.now() };
    const first = await this.#attempt(sent, options);
    if ("id" in first) return await this.#confirmed(first, sent, options);
    const found = await this.#search(first, options);
    if (found) return found;
    if (first.cause.isLate) throw uncertain(body, first.cause, "the service may still be working on the request");
    return await this.#again(first, options);
  }

  /** Sends one create request. Returns the record, or the lost request if there is no usable answer. */
  async #attempt(sent: SentCreation, options: CreationOptions): Promise<ClusterRecord | LostCreation> {
    try {
      return await this.#post(sent.body, options);
    } catch (error) {
      if (error instanceof ApiError && error.status === 409)
        throw await this.#explainConflict(sent.body, error, options);
      if (!isLost(error)) throw error;
      return { ...sent, cause: error };
    }
  }

  /** Whether a second create request was sent for a name, so that a second cluster may appear later. */
  wasResent(name: string): boolean {
    return this.#resent.has(name.toLowerCase());
  }

  /** Whether the cluster of a name comes from a list and not from an answer, so that it may not be the requested one. */
  wasFound(name: string): boolean {
    return this.#found.has(name.toLowerCase());
  }

  /** Sends the second and last request. A conflict now means that the first request arrived late. */
  async #again(lost: LostCreation, options: CreationOptions): Promise<ClusterRecord> {
    let record: ClusterRecord;
    this.#resent.add(lost.body.name.toLowerCase());
    options.warn(
      `the answer to the create request was lost (${messageOf(lost.cause)}), and no list shows its cluster: the request is ` +
        "sent again",
    );
    try {
      record = await this.#post(lost.body, options);
    } catch (error) {
      if (!isLost(error) && !(error instanceof ApiError && error.status === 409)) throw stillUncertain(lost, error);
      const found = await this.#search({ ...lost, cause: error }, options);
      if (found) {
        const text = `two create requests were sent for ${found.id}: check whether the service lists a second cluster of its name`;
        if (isLost(error)) options.warn(text);
        return found;
      }
      throw uncertain(lost.body, error, "two create requests were sent, and no cluster of that name is listed");
    }
    const { warn } = options;
    const known = [...(lost.before?.clusters ?? []).map(({ id }) => id), record.id];
    await this.reportTwins(lost.body.name, known, { warn, deadlineMs: this.#shortly(options), urgency: "reconcile" });
    return await this.#confirmed(record, lost, options);
  }

  /**
   * Confirms an answer by reads if it may be about something else: its name differs, its id has another form, or its id
   * existed before the request. Nothing is sent again. If no read confirms the answer, the error names it.
   */
  async #confirmed(record: ClusterRecord, sent: SentCreation, options: CreationOptions): Promise<ClusterRecord> {
    const isOurs = record.name === undefined || sameText(record.name, sent.body.name);
    const isForm = hasIdForm(record.id) || (this.client.form.names === "client" && isOpaque(record.id));
    const isOld = this.owned.isCreated(record.id) || sent.before?.clusters.some(({ id }) => sameId(id, record.id));
    if (isOurs && isForm && !isOld) return record;
    let why = `the service answered with ${describe([record])}, which may be something else`;
    for (const pauseMs of searchPausesMs) {
      try {
        await this.#pause(pauseMs, options);
        const found = await this.#confirmOnce(record, sent, options);
        if (found) return found;
        if (this.clock.now() >= options.deadlineMs) break;
      } catch (error) {
        why = `${why}; ${messageOf(error)}`;
        break;
      }
    }
    throw new UncertainError(uncertainText(sent.body.name, why));
  }

  async #confirmOnce(
    record: ClusterRecord,
    sent: SentCreation,
    options: CreationOptions,
  ): Promise<ClusterRecord | undefined> {
    const { signal, lookupDeadlineMs: deadlineMs, warn } = options;
    const { body, before } = sent;
    const list = await this.lists.recent(0, { signal, deadlineMs, attempts: 3, urgency: "reconcile" });
    const finding = this.#compare(sent, list);
    if (finding.kind === "found") return finding.record;
    const isIn = ({ clusters }: ClusterList) => clusters.some(({ id }) => sameId(id, record.id));
    if (before === undefined || isIn(before) || !isIn(list)) return undefined;
    const name = record.name ?? body.name;
    if (!sameText(name, body.name)) warn(`the service calls ${record.id} "${cleanText(name, 100)}"`);
    return record;
  }

  #post(body: CreateBody, { deadlineMs, secrets, signal }: CreationOptions): Promise<ClusterRecord> {
    return this.client.createCluster(body, { subject: `cluster "${body.name}"`, deadlineMs, secrets, signal });
  }

  async #pause(ms: number, { deadlineMs, signal }: CreationOptions): Promise<void> {
    if (ms > 0) await this.clock.sleep(Math.max(0, Math.min(ms, deadlineMs - this.clock.now())), signal);
  }

  #shortly({ lookupDeadlineMs }: CreationOptions): number {
    return Math.min(lookupDeadlineMs, this.clock.now() + firstLookupMs);
  }

  /** Searches for the cluster of a lost answer until a list shows it; `undefined` if it certainly was not created. */
  async #search(lost: LostCreation, options: CreationOptions): Promise<ClusterRecord | undefined> {
    let finding: Finding = { kind: "doubtful", why: "the list of clusters could not be read" };
    for (const pauseMs of lost.cause.isLate ? longSearchPausesMs : searchPausesMs) {
      finding = await this.#searchOnce(lost, pauseMs, options);
      if (finding.kind === "found") return finding.record;
      if (options.signal.aborted) throw uncertain(lost.body, lost.cause, "the search for the cluster was interrupted");
      if (this.clock.now() >= options.deadlineMs)
        throw uncertain(lost.body, lost.cause, "the time limit ended the search for the cluster");
    }
    if (finding.kind === "doubtful") throw uncertain(lost.body, lost.cause, finding.why);
    return undefined;
  }

  async #searchOnce(lost: LostCreation, pauseMs: number, options: CreationOptions): Promise<Finding> {
    const { signal, lookupDeadlineMs: deadlineMs } = options;
    try {
      await this.#pause(pauseMs, options);
      const how =
        pauseMs > 0 ? { signal, deadlineMs, attempts: 3 } : { deadlineMs: this.#shortly(options), attempts: 1 };
      const list = await this.lists.recent(0, { ...how, urgency: "reconcile" });
      return this.#compare(lost, list);
    } catch (error) {
      if (!signal.aborted && !(error instanceof RequestError)) throw error;
      return { kind: "doubtful", why: messageOf(error) };
    }
  }

  /** A new cluster with our name, GPU type and image is ours. A cluster that is only possibly ours forbids another request. */
  #compare({ body, before, sentAtMs }: SentCreation, list: ClusterList): Finding {
    if (!before?.complete) return { kind: "doubtful", why: "it is not known which clusters existed before" };
    const known = new IdSet(before.clusters.map(({ id }) => id));
    const isFresh = ({ id }: ClusterRecord) => !known.has(id) && !this.owned.isCreated(id);
    const fresh = list.clusters.filter((record) => isFresh(record) && this.owned.isThere(record));
    // A name that is not valid for a cluster may be our name, written in the service's own form.
    const candidates = fresh.filter(({ name = "" }) => !clusterNamePattern.test(name) || sameText(name, body.name));
    const sure = candidates.filter((record) => {
      const { name, container, createdAt } = record;
      const isOlder = Date.parse(createdAt ?? "") < sentAtMs - clockSkewMs;
      const isOther = container !== undefined && !sameImage(body.container, container);
      return sameText(name, body.name) && isSameType(record, body.gpuType) && !isOlder && !isOther;
    });
    const [record] = sure;
    if (record && candidates.length === 1) {
      this.#found.add(body.name.toLowerCase());
      return { kind: "found", record };
    }
    if (candidates.length > 0) return { kind: "doubtful", why: `it may be one of ${describe(candidates)}` };
    return list.complete ? { kind: "none" } : { kind: "doubtful", why: "the list of clusters is not complete" };
  }

  /**
   * Warns of unknown clusters of a name for which two create requests were sent. A service may process the first request
   * long after its connection broke, and its list may show the result late.
   */
  async reportTwins(name: string, known: Iterable<string>, { warn, ...request }: TwinSearch): Promise<void> {
    const ids = new IdSet([...known]);
    try {
      const list = await this.lists.recent(0, { ...request, attempts: 2 });
      const twins = this.owned.holders(name, list).filter(({ id }) => !ids.has(id));
      if (twins.length > 0) warn(twinText(twins));
    } catch (error) {
      warn(`could not check whether the first create request created a cluster too: ${messageOf(error)}`);
    }
  }

  async #explainConflict(body: CreateBody, error: ApiError, options: CreationOptions): Promise<Error> {
    const { signal, lookupDeadlineMs: deadlineMs } = options;
    const list = await this.lists.recent(0, { signal, deadlineMs, attempts: 1 }).catch(() => undefined);
    refuseTaken(this.owned, body.name, list, error);
    return error;
  }
}

/** A create request, with the clusters that existed before it. */
interface SentCreation {
  readonly body: CreateBody;
  readonly before: ClusterList | undefined;
  readonly sentAtMs: number;
}

/** A create request without a usable answer. */
interface LostCreation extends SentCreation {
  readonly cause: RequestError;
}

function isLost(error: unknown): error is RequestError {
  return error instanceof RequestError && error.maybeApplied;
}

/** Whether a creation was refused only for its GPU type. The refusal is clear: nothing was created. */
export function isTypeRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError) || !error.isApiAnswer || error.maybeApplied) return false;
  return typeRefusals.has(plainName(error.code ?? ""));
}

/** Whether a cluster may have a GPU type: "h100" and "NVIDIA H100 80GB" may be the same one. An opaque id may be any type. */
function isSameType(record: ClusterRecord, requested: string): boolean {
  const shown = identifiersIn(record);
  const own = gpuKey(requested);
  const isLike = (key: string) => key !== "" && (key.includes(own) || own.includes(key));
  return shown.some((text) => isLike(gpuKey(text))) || (shown.length > 0 && shown.every(isOpaque));
}

/** The warning about a second cluster of a name, and the next step. */
function twinText(twins: readonly ClusterRecord[]): string {
  return (
    `${describe(twins)} has the same name, and is billed too: a create request whose answer was lost created it. ` +
    "Delete it in the service"
  );
}

function uncertain({ name }: CreateBody, cause: RequestError, why: string): UncertainError {
  return new UncertainError(uncertainText(name, `${messageOf(cause)}; ${why}`), { cause });
}

/** The error if the second request was refused: its refusal proves nothing about the first request. */
function stillUncertain({ body: { name } }: LostCreation, error: unknown): UncertainError {
  const doubt = `the answer to an earlier create request was lost, so it may still create a cluster "${name}": check the service`;
  return new UncertainError(`${messageOf(error)}; ${doubt} before you run the command again`, { cause: error });
}

function uncertainText(name: string, why: string): string {
  return (
    `cluster "${name}" may have been created, but its id is not known: ${why}. ` +
    `Before you run the command again, check the service for the name "${name}": the cluster may be billed. ` +
    'If it exists, set `adopt: "<its id>"`'
  );
}
