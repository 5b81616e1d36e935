import type { Client } from "../../api/client";
import { gpuKey, hasIdForm, IdSet, sameId } from "../../api/names";
import { type ClusterList, type ClusterRecord, clusterNamePattern } from "../../api/records";
import { type CreateBody, isOpaque } from "../../api/requests";
import type { Clock } from "../../base/clock";
import {
  ApiError,
  CreateError,
  isCapacityRefusal,
  messageOf,
  RequestError,
  ResponseShapeError,
  UncertainError,
} from "../../base/errors";
import { cleanText, cut } from "../../base/text";
import { identifiersIn, sameImage, sameText } from "../compare/drift";
import type { ListCache } from "../shared/listCache";
import type { OwnedIds } from "../shared/ownedIds";
import { describe, refuseTaken } from "../shared/takenName";

export interface CreationOptions {
  readonly signal: AbortSignal;
  /** After this time, nothing is sent except lookups. */
  readonly deadlineMs: number;
  /** The deadline of lookups. */
  readonly lookupDeadlineMs: number;
  /** Reports a fact that the user should know although the creation succeeded. */
  readonly warn: (text: string) => void;
}

/** The greatest age of the list that is taken before a creation. The creations of this process are known without a list. */
const listAgeMs = 30_000;
/** Pauses before each lookup of a cluster whose create answer was lost, 20 s in all: a list may lag behind. */
const pausesMs = [0, 2_000, 3_000, 5_000, 10_000];
/** The pauses if the service may still be working on the request: some services allocate GPUs before they answer. */
const longPausesMs = [...pausesMs, 20_000, 40_000, 60_000];
/** The time limit of the first lookup, which runs even after an interrupt: it usually finds the id. */
const firstLookupMs = 5_000;
/** The most of a second reason in an error, which has to fit into two lines. */
const mostOfReason = 65;
/** The tolerated difference between two clocks: a cluster that is older than our request by more is not ours. */
const clockSkewMs = 5 * 60_000;

/** A create request, with the clusters that existed before it. */
interface SentCreation {
  readonly body: CreateBody;
  readonly before: ClusterList | undefined;
  readonly sentAtMs: number;
}

/** A create request whose answer was lost, or may be about something else. */
interface OpenCreation extends SentCreation {
  readonly answer: ClusterRecord | RequestError;
}

/**
 * Creates a cluster by exactly one create request, never two. The service has no idempotency key, so the name identifies the request:
 * a name that is taken is refused before anything is sent. If the answer is lost, lists show whether the cluster was created.
 * If they do not show it, the creation fails, and this process sends no other one for the name.
 */
export class Creations {
  /** Names in lower case whose creation is in flight. */
  readonly #pending = new Set<string>();
  /** Names in lower case whose cluster may still appear, with the error of the creation. */
  readonly #uncertain = new Map<string, UncertainError>();
  /** Names in lower case whose last request was refused by a 503: if a gateway has written it, a cluster may exist. */
  readonly #refused = new Set<string>();

  constructor(
    private readonly client: Client,
    private readonly lists: ListCache,
    private readonly owned: OwnedIds,
    private readonly clock: Clock,
  ) {}

  /** @throws CreateError or RequestError; the message says whether a cluster may exist, and which. */
  async create(body: CreateBody, options: CreationOptions): Promise<ClusterRecord> {
    const key = body.name.toLowerCase();
    if (this.#pending.has(key))
      throw new CreateError(`another resource of this program is using the name "${body.name}" right now`);
    this.#pending.add(key);
    try {
      const before = await this.#listBefore(this.#refused.delete(key) ? 0 : listAgeMs, options);
      refuseTaken(this.owned, body.name, before);
      const uncertain = this.#uncertain.get(key);
      if (uncertain) throw uncertain;
      const record = await this.#send({ body, before, sentAtMs: this.clock.now() }, options);
      this.owned.created(key, record);
      return record;
    } catch (error) {
      if (error instanceof UncertainError) this.#uncertain.set(key, error);
      if (isCapacityRefusal(error) && error.status === 503) this.#refused.add(key);
      throw error;
    } finally {
      this.#pending.delete(key);
    }
  }

  /** The clusters before the request; `undefined` if the API itself says that the key may create but not list. */
  async #listBefore(ageMs: number, { signal, deadlineMs, warn }: CreationOptions): Promise<ClusterList | undefined> {
    try {
      return await this.lists.recent(ageMs, { signal, deadlineMs });
    } catch (error) {
      const isTold = error instanceof ApiError && error.status === 403 && error.isApiAnswer && error.apiMessage !== "";
      if (!isTold) throw error;
      warn(
        "the API key may not list clusters, so a cluster of this name may already exist, for example from an interrupted " +
          "run. Check the service, or use a key that may list clusters",
      );
      return undefined;
    }
  }

  async #send(sent: SentCreation, options: CreationOptions): Promise<ClusterRecord> {
    const { body } = sent;
    const { deadlineMs, signal } = options;
    let answer: ClusterRecord | RequestError;
    try {
      answer = await this.client.createCluster(body, {
        subject: `cluster "${body.name}"`,
        deadlineMs,
        signal,
      });
    } catch (error) {
      if (error instanceof ApiError && error.outcome === "busy") throw await this.#explained(error, body, options);
      if (!(error instanceof RequestError) || !error.maybeApplied) throw error;
      answer = error;
    }
    if (!(answer instanceof RequestError) && this.#isCertain(answer, sent)) return answer;
    return await this.#find({ ...sent, answer }, options);
  }

  /** A conflict is about the name if a list shows a cluster of the name. */
  async #explained(error: ApiError, { name }: CreateBody, options: CreationOptions): Promise<Error> {
    const { signal, lookupDeadlineMs: deadlineMs } = options;
    const list = await this.lists.recent(0, { signal, deadlineMs, attempts: 1 }).catch(() => undefined);
    refuseTaken(this.owned, name, list, error);
    return error;
  }

  /** False if an answer may be about something else: its name differs, its id has another form or existed before. */
  #isCertain({ id, name }: ClusterRecord, { body, before }: SentCreation): boolean {
    const isOurs = name === undefined || sameText(name, body.name);
    const isForm = hasIdForm(id) || (this.client.form.names === "client" && isOpaque(id));
    const isOld = this.owned.isCreated(id) || before?.clusters.some((cluster) => sameId(cluster.id, id));
    return isOurs && isForm && !isOld;
  }

  /**
   * Looks for the cluster until a list shows it. Nothing is sent again.
   * @throws UncertainError if no list shows it, or if a list leaves a doubt.
   */
  async #find(open: OpenCreation, options: CreationOptions): Promise<ClusterRecord> {
    const { answer, body } = open;
    const isLost = answer instanceof RequestError;
    let why = "";
    for (const pauseMs of isLost && answer.isLate ? longPausesMs : pausesMs) {
      const found = await this.#findOnce(open, pauseMs, options);
      if (typeof found !== "string") return found;
      why = found;
      if (options.signal.aborted) why = "the search for the cluster was interrupted";
      else if (this.clock.now() >= options.deadlineMs) why = `the time limit ended the search for the cluster: ${why}`;
      else continue;
      break;
    }
    const told = isLost
      ? messageOf(answer).replace(` for cluster "${body.name}"`, "")
      : `the service answered with ${describe([answer])}, which may be something else`;
    throw new UncertainError(uncertainText(body.name, `${told}; ${why}`), isLost ? { cause: answer } : {});
  }

  /** The cluster in one list, or the reason why it is not found. */
  async #findOnce(open: OpenCreation, pauseMs: number, options: CreationOptions): Promise<ClusterRecord | string> {
    const { signal, deadlineMs, lookupDeadlineMs, warn } = options;
    const soonMs = Math.min(lookupDeadlineMs, this.clock.now() + firstLookupMs);
    const limits =
      pauseMs > 0 ? { signal, deadlineMs: lookupDeadlineMs, attempts: 3 } : { deadlineMs: soonMs, attempts: 1 };
    try {
      if (pauseMs > 0) await this.clock.sleep(Math.max(0, Math.min(pauseMs, deadlineMs - this.clock.now())), signal);
      const list = await this.lists.recent(0, { ...limits, urgency: "reconcile" });
      return this.#foundIn(list, open, warn);
    } catch (error) {
      if (!signal.aborted && !(error instanceof RequestError)) throw error;
      const reason = (error instanceof ResponseShapeError && error.why) || messageOf(error).replace(/^GET \S+: /, "");
      return `the list of clusters could not be read: ${cut(reason, mostOfReason)}`;
    }
  }

  /** A new cluster with our name, GPU type and image is ours, and so is a new one with the id of the answer. */
  #foundIn(list: ClusterList, open: OpenCreation, warn: CreationOptions["warn"]): ClusterRecord | string {
    const { body, before, answer } = open;
    if (!before?.complete) return "it is not known which clusters existed before";
    const known = new IdSet(before.clusters.map(({ id }) => id));
    const isNew = (record: ClusterRecord) =>
      !known.has(record.id) && !this.owned.isCreated(record.id) && this.owned.isThere(record);
    // A name that is not valid for a cluster may be our name, written in the service's own form.
    const candidates = list.clusters.filter(
      (record) => isNew(record) && (!clusterNamePattern.test(record.name ?? "") || sameText(record.name, body.name)),
    );
    const [record] = candidates;
    if (record && candidates.length === 1 && isOurs(record, open)) return record;
    const told = answer instanceof RequestError ? undefined : list.clusters.find(({ id }) => sameId(id, answer.id));
    if (told && isNew(told)) {
      const { id, name = body.name } = told;
      if (!sameText(name, body.name)) warn(`the service calls ${id} "${cleanText(name, 100)}"`);
      return told;
    }
    if (candidates.length > 0) return `it may be one of ${describe(candidates)}`;
    return list.complete ? "no list of clusters shows it" : "the list of clusters is not complete";
  }
}

function isOurs(record: ClusterRecord, { body, sentAtMs }: SentCreation): boolean {
  const { name, container, createdAt = "", replicas } = record;
  const isOlder = Date.parse(createdAt) < sentAtMs - clockSkewMs;
  const isOther = container !== undefined && !sameImage(body.container, container);
  // Replicas may not exist yet, or an autoscaler may have chosen their number.
  const isCount = !replicas || replicas === body.replicas || body.extraFields !== undefined;
  return sameText(name, body.name) && isSameType(record, body.gpuType) && isCount && !isOlder && !isOther;
}

/** Whether a cluster may have a GPU type: "h100" and "NVIDIA H100 80GB" may be the same one. An opaque id may be any type. */
function isSameType(record: ClusterRecord, requested: string): boolean {
  const shown = identifiersIn(record);
  const own = gpuKey(requested);
  const isLike = (key: string) => key !== "" && (key.includes(own) || own.includes(key));
  return shown.some((text) => isLike(gpuKey(text))) || (shown.length > 0 && shown.every(isOpaque));
}

function uncertainText(name: string, why: string): string {
  return (
    `cluster "${name}" may have been created, but its id is not known: ${why}. Before you run it again, check the ` +
    `service for the name "${name}": it may be billed. If it exists, set \`adopt: "<its id>"\``
  );
}
