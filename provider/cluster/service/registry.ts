import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { type ClusterList, type ClusterRecord, gpuKey, sameId } from "../../api/decode/records";
import { isDeleting } from "../../api/decode/states";
import type { Journal } from "../../base/journal";
import { type ObservedDifferences, sameText } from "../diff/drift";
import { createdNames } from "../schema/fields";
import { type CheckedInputs, pick } from "../schema/state";

/** An amount that is no number is not known. */
const amountSchema = z.number().optional().catch(undefined);

/** The cost of a cluster for one hour, as far as it is known. */
const costSchema = z.object({
  amount: amountSchema,
  currency: z.string().optional(),
  /** The parts of the cost: `2 x h100 at 2.99 USD`. */
  parts: z.string(),
});
export type Cost = Readonly<z.infer<typeof costSchema>>;

const plannedCostSchema = costSchema.extend({
  label: z.string(),
  /** What the cluster has cost before this run. */
  before: amountSchema,
});
export type PlannedCost = Readonly<z.infer<typeof plannedCostSchema>>;

/** What the registry knows, by topic and key. Another process may run another version of this package, so values are checked. */
const topics = {
  /** By service, key and name: the URN of the first resource that claims the name. */
  owner: z.string(),
  /** By cluster: the URN of the first resource that adopts it. No other resource can adopt it, and none can delete it. */
  adopter: z.string(),
  /** False: the adoption failed, and no state contains the cluster because of it. */
  isAdopted: z.boolean(),
  /** By cluster, if a state contains it: when it was last adopted from an interrupted run; else empty. */
  resumedAt: z.string(),
  isCreated: z.boolean(),
  /** The name of a deleted cluster is free. */
  isDeleted: z.boolean(),
  /** By URN: the cluster that the resource of the program has since an earlier run; empty once it is replaced. */
  cluster: z.string(),
  cost: plannedCostSchema,
  /** By URN: the GPUs that the resource needs beyond those that it has. */
  gpus: z.object({ service: z.string(), type: z.string(), count: z.number() }),
};
type Topic = keyof typeof topics;
const byUrn: ReadonlySet<Topic> = new Set(["cluster", "cost", "gpus"]);
type Value<T extends Topic> = z.infer<(typeof topics)[T]>;

const entrySchema = z.tuple([z.enum(Object.keys(topics) as Topic[]), z.string(), z.unknown()]);

/** How the service shows the inputs of a new cluster, and which inputs it does not show. */
export interface LearnedInputs extends ObservedDifferences {
  readonly unverifiedInputs: readonly string[];
  /** Whether the service shows other clusters with the same inputs in the same way. */
  readonly isTypical?: boolean;
}

/**
 * What the processes of a run know of its clusters beside the lists of the service, which may lag behind. Clusters are those of
 * the service, whatever the key; names are those of the key, because each key can belong to an organization of its own.
 */
export class Registry {
  readonly #values = new Map<Topic, Map<string, unknown>>();
  #entriesRead = 0;
  /** The last cluster that was created by this process under each name in lower case. */
  readonly #records = new Map<string, ClusterRecord>();
  /** By kind of inputs: what was learned from the first cluster that this process created. */
  readonly #learned = new Map<string, Promise<LearnedInputs | undefined>>();

  /**
   * @param journal Its `problem` says why the clusters of other providers of the run are not known.
   * @param service The base URL.
   * @param seenBy Identifies the service and the key.
   */
  constructor(
    readonly journal: Journal,
    private readonly service: string,
    private readonly seenBy: string,
  ) {}

  get<T extends Topic>(topic: T, subject: string): Value<T> | undefined {
    return this.all(topic).get(this.#key(topic, subject));
  }

  set<T extends Topic>(topic: T, subject: string, value: Value<T>): void {
    const isKnown = isDeepStrictEqual(this.get(topic, subject), value);
    if (!isKnown) this.journal.append([topic, this.#key(topic, subject), value]);
  }

  /** Sets the URN if there is none. Returns that of the first resource of the run. */
  claim(topic: "owner" | "adopter", subject: string, urn: string): string {
    if (this.get(topic, subject) === undefined) this.set(topic, subject, urn);
    return this.get(topic, subject) ?? urn;
  }

  /** The values of a topic by key, with what other processes have added. */
  all<T extends Topic>(topic: T): ReadonlyMap<string, Value<T>> {
    this.journal.refresh();
    const { entries } = this.journal;
    for (; this.#entriesRead < entries.length; this.#entriesRead += 1) {
      const [added, key, unchecked] = entrySchema.safeParse(entries[this.#entriesRead]).data ?? [];
      if (added === undefined || key === undefined) continue;
      const { data: value } = topics[added].safeParse(unchecked);
      const values = this.#values.get(added) ?? new Map<string, unknown>();
      const known = values.get(key);
      const isClaimed = known !== undefined && (added === "owner" || added === "adopter");
      const isOlder = added === "resumedAt" && String(value) < String(known ?? "");
      if (value !== undefined && !isClaimed && !isOlder) this.#values.set(added, values.set(key, value));
    }
    return (this.#values.get(topic) ?? new Map()) as ReadonlyMap<string, Value<T>>;
  }

  /** Host names ignore case, so ids and names do too; URNs do not. */
  #key(topic: Topic, subject: string): string {
    if (byUrn.has(topic)) return subject;
    return `${topic === "owner" ? this.seenBy : this.service} ${subject.toLowerCase()}`;
  }

  /** A created cluster is never a candidate for another creation. */
  created(name: string, record: ClusterRecord): void {
    this.set("isCreated", record.id, true);
    this.#records.set(name.toLowerCase(), record);
  }

  /** Whether the program already manages the cluster, so that it was not left behind by an interrupted run. */
  isManaged(id: string, urn: string): boolean {
    const isStored = this.get("isCreated", id) || this.get("resumedAt", id) !== undefined;
    return isStored || (this.get("adopter", id) ?? urn) !== urn;
  }

  /** Without an id, the resource replaces its cluster. */
  setClusterOf(urn: string, id?: string): void {
    this.set("cluster", urn, id === undefined ? "" : this.#key("adopter", id));
  }

  /**
   * Why a resource must not delete the cluster. `adoptedAgain`: it has adopted the cluster itself, and the engine now deletes its
   * earlier state, because it replaces without the old name.
   */
  reasonToKeep(
    id: string,
    urn: string,
    resumedAt = "",
  ): "adopted" | "adoptedAgain" | "adoptionFailed" | "inUse" | undefined {
    if (resumedAt < (this.get("resumedAt", id) ?? "")) return "adoptedAgain";
    const adopter = this.get("adopter", id);
    if (this.get("isAdopted", id)) return adopter === urn ? "adoptedAgain" : "adopted";
    if (adopter !== undefined) return "adoptionFailed";
    const cluster = this.#key("adopter", id);
    const isInUse = [...this.all("cluster")].some(([other, its]) => other !== urn && its === cluster);
    return isInUse ? "inUse" : undefined;
  }

  /** The existing clusters of a name: those of the list, and the last one that this process created. */
  holders(name: string, { clusters }: ClusterList): ClusterRecord[] {
    const created = this.#records.get(name.toLowerCase());
    const all = [...clusters];
    if (created && !clusters.some(({ id }) => sameId(id, created.id))) all.push({ ...created, name });
    return holdersOf(name, all).filter(({ id }) => !this.get("isDeleted", id));
  }

  /** Whether a listed cluster still exists, as far as the run knows. */
  isThere({ id, status }: ClusterRecord): boolean {
    return !isDeleting(status) && !this.get("isDeleted", id);
  }

  /**
   * What is learned from one new cluster serves all with the same inputs: a list shows less than a read by id, but reading each
   * cluster by id takes as many requests as creating it.
   * @param read Reads this cluster by its id. Called for the first cluster of its kind, or if that one is not typical.
   */
  async learned(inputs: CheckedInputs, read: () => Promise<LearnedInputs>): Promise<LearnedInputs> {
    const { env = {}, desiredStatus, skipAwait } = inputs;
    // The clusters of a fleet differ in their name, their number of replicas, and the values of env.
    const compared = createdNames.filter((name) => name !== "name" && name !== "replicas" && name !== "env");
    const kind = JSON.stringify([pick(inputs, compared), Object.keys(env).sort(), desiredStatus, skipAwait]);
    const first = this.#learned.get(kind);
    if (first !== undefined) {
      const learned = await first;
      return learned?.isTypical ? learned : read();
    }
    const learned = read();
    this.#learned.set(
      kind,
      learned.catch(() => undefined),
    );
    return learned;
  }

  setGpus(urn: string, type: string, count: number): void {
    this.set("gpus", urn, { service: this.service, type: gpuKey(type), count });
  }

  gpusOfOthers(urn: string, type: string): number {
    return [...this.all("gpus")]
      .filter(([other, gpus]) => other !== urn && gpus.service === this.service && gpus.type === gpuKey(type))
      .reduce((sum, [, { count }]) => sum + count, 0);
  }
}

/** The clusters of a name that are not being deleted. */
export function holdersOf(name: string, clusters: readonly ClusterRecord[]): ClusterRecord[] {
  return clusters.filter((other) => sameText(other.name, name) && !isDeleting(other.status));
}
