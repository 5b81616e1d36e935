import type { Client } from "../api/client";
import type { CreateBody } from "../api/endpoints";
import { type ClusterList, type ClusterRecord, isLeaving } from "../api/records";
import type { Clock } from "../clock";
import { ApiError, CreateError, messageOf, RequestError } from "../errors";
import type { ClusterLists } from "./lists";

export interface ClaimOptions {
  readonly signal: AbortSignal;
  /** The longest time the request may wait for its turn, in milliseconds. */
  readonly patienceMs: number;
  /** Values that must not show in a message. */
  readonly secrets: readonly string[];
}

/** How old the list may be that is compared with: what this process makes in the meantime, it knows by itself. */
const snapshotAgeMs = 30_000;
/** When to look for a cluster whose answer was lost, in seconds after the failure: a list may lag behind. */
const searchPausesMs = [0, 2_000, 3_000, 5_000, 10_000];

/**
 * Creates exactly one cluster. The service offers no idempotency key, so the name stands for the request: a name that is
 * taken is refused before anything is sent, and after a lost answer the list tells whether the cluster was made. Only when
 * it surely was not is the request sent once more.
 */
export class Claims {
  /** Ids that this process has created: never a candidate for another creation. */
  readonly #created = new Set<string>();
  /** Ids that this process has deleted: a list that lags behind may still show them. */
  readonly #deleted = new Set<string>();
  /** Names that are being created right now. */
  readonly #pendingNames = new Set<string>();

  constructor(
    private readonly client: Client,
    private readonly lists: ClusterLists,
    private readonly clock: Clock,
  ) {}

  /** Remembers that this process deleted a cluster, so that its name is free. */
  deleted(id: string): void {
    this.#deleted.add(id);
  }

  /** The clusters in a list that hold a name. The names of hosts know no case, so neither does this. */
  holders(name: string, { clusters }: ClusterList): ClusterRecord[] {
    return clusters.filter(
      (other) =>
        other.name?.toLowerCase() === name.toLowerCase() && !isLeaving(other.status) && !this.#deleted.has(other.id),
    );
  }

  /** @throws CreateError or RequestError; the message says whether a cluster may exist, and which. */
  async create(body: CreateBody, options: ClaimOptions): Promise<ClusterRecord> {
    const key = body.name.toLowerCase();
    if (this.#pendingNames.has(key)) throw takenError(body.name, "another resource of this program");
    this.#pendingNames.add(key);
    try {
      const before = await this.#snapshot(options);
      const holders = before ? this.holders(body.name, before) : [];
      if (holders.length > 0) throw takenError(body.name, idsOf(holders));
      const record = (await this.#attempt(body, before, options)) ?? (await this.#attempt(body, before, options));
      if (!record)
        throw new CreateError(`${subject(body)}: two create requests got no answer, and neither made a cluster`);
      this.#created.add(record.id);
      return record;
    } finally {
      this.#pendingNames.delete(key);
    }
  }

  /** What exists before the request; `undefined` where the key may create but not list. */
  async #snapshot({ signal, patienceMs }: ClaimOptions): Promise<ClusterList | undefined> {
    try {
      return await this.lists.recent(snapshotAgeMs, { signal, patienceMs });
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return undefined;
      throw error;
    }
  }

  /** One create request; `undefined` when its answer was lost and it surely made no cluster. */
  async #attempt(body: CreateBody, before: ClusterList | undefined, options: ClaimOptions) {
    try {
      const { patienceMs, secrets, signal } = options;
      return await this.client.createCluster(body, { subject: subject(body), patienceMs, secrets, signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) throw await this.#explainConflict(body, error, options);
      if (!(error instanceof RequestError && error.maybeApplied)) throw error;
      return await this.#search(body, before, error, options);
    }
  }

  /** Looks for the cluster of a lost answer: same name, same GPU type, an id that was not there before. */
  async #search(
    body: CreateBody,
    before: ClusterList | undefined,
    cause: RequestError,
    { signal }: ClaimOptions,
  ): Promise<ClusterRecord | undefined> {
    if (!before?.complete) throw uncertain(body, cause, "what existed before is not known completely");
    const known = new Set([...before.clusters.map(({ id }) => id), ...this.#created]);
    let doubt: string | undefined;
    for (const pauseMs of searchPausesMs) {
      try {
        await this.clock.sleep(pauseMs, signal);
        const list = await this.lists.recent(0, { signal });
        const found = this.holders(body.name, list).filter(
          ({ id, gpuType }) => !known.has(id) && (gpuType ?? body.gpuType) === body.gpuType,
        );
        if (found.length > 1) throw uncertain(body, cause, `there are several: ${idsOf(found)}`);
        if (found[0]) return found[0];
        doubt = list.complete ? undefined : "the list of clusters is not complete";
      } catch (error) {
        if (signal.aborted) throw uncertain(body, cause, "the search for it was interrupted");
        if (!(error instanceof RequestError)) throw error;
        doubt = messageOf(error);
      }
    }
    if (doubt) throw uncertain(body, cause, doubt);
    return undefined;
  }

  async #explainConflict(body: CreateBody, error: ApiError, { signal }: ClaimOptions): Promise<Error> {
    const list = await this.lists.recent(0, { signal, attempts: 1 }).catch(() => undefined);
    const holders = list ? this.holders(body.name, list) : [];
    return holders.length > 0 ? takenError(body.name, idsOf(holders), error) : error;
  }
}

/** Why a name cannot be used, and what to do; also what a preview says. */
export function takenReason(holders: string): string {
  return (
    `is already the name of ${holders}. Nothing is taken over or overwritten: give this cluster another \`name\`, ` +
    "or delete the other one first if nobody needs it (it may be left from an interrupted run)"
  );
}

function takenError(name: string, holders: string, cause?: Error): CreateError {
  return new CreateError(`"${name}" ${takenReason(holders)}`, { cause });
}

function uncertain(body: CreateBody, cause: RequestError, why: string): CreateError {
  return new CreateError(
    `${subject(body)} may have been created, but its id is not known: ${messageOf(cause)}; ${why}. ` +
      `Look for the name "${body.name}" in the service before you run the command again: it may be billed`,
    { cause },
  );
}

function subject({ name }: CreateBody): string {
  return `cluster "${name}"`;
}

export function idsOf(clusters: readonly ClusterRecord[]): string {
  return clusters.map(({ id }) => id).join(", ");
}
