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

/**
 * What the registry knows: of each topic, what it is about, and which value of a subject counts. Another process may run another
 * version of this package, so values are checked.
 */
const topics = {
  /** The URN of the first resource that claims the name. */
  owner: { about: "name", value: z.string(), wins: "first" },
  /** The URN of the first resource that adopts the cluster. No other resource can adopt it, and none can delete it. */
  adopter: { about: "cluster", value: z.string(), wins: "first" },
  /** False: the adoption failed, and no state contains the cluster because of it. */
  isAdopted: { about: "cluster", value: z.boolean(), wins: "last" },
  /** If a state contains the cluster: when it was last adopted from an interrupted run; else empty. */
  resumedAt: { about: "cluster", value: z.string(), wins: "newest" },
  isCreated: { about: "cluster", value: z.boolean(), wins: "last" },
  /** The name of a deleted cluster is free. */
  isDeleted: { about: "cluster", value: z.boolean(), wins: "last" },
  /** The cluster that the resource of the program has since an earlier run; empty once it is replaced. */
  cluster: { about: "urn", value: z.string(), wins: "last" },
  cost: { about: "urn", value: plannedCostSchema, wins: "last" },
  /** The GPUs that the resource needs beyond those that it has. */
  gpus: {
    about: "urn",
    value: z.object({ service: z.string(), type: z.string(), count: z.number() }),
    wins: "last",
  },
} as const;
type Topic = keyof typeof topics;
type Value<T extends Topic> = z.infer<(typeof topics)[T]["value"]>;

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
    return this.all(topic).get(this.#key(topics[topic].about, subject));
  }

  set<T extends Topic>(topic: T, subject: string, value: Value<T>): void {
    const isKnown = isDeepStrictEqual(this.get(topic, subject), value);
    if (!isKnown) this.journal.append([topic, this.#key(topics[topic].about, subject), value]);
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
      const { value: schema, wins } = topics[added];
      const { data: value } = schema.safeParse(unchecked);
      const values = this.#values.get(added) ?? new Map<string, unknown>();
      const known = values.get(key);
      const isLater = wins === "first" && known !== undefined;
      const isOlder = wins === "newest" && String(value) < String(known ?? "");
      if (value !== undefined && !isLater && !isOlder) this.#values.set(added, values.set(key, value));
    }
    return (this.#values.get(topic) ?? new Map()) as ReadonlyMap<string, Value<T>>;
  }

  /** Host names ignore case, so ids and names do too; URNs do not. */
  #key(about: (typeof topics)[Topic]["about"], subject: string): string {
    if (about === "urn") return subject;
    return `${about === "name" ? this.seenBy : this.service} ${subject.toLowerCase()}`;
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
    this.set("cluster", urn, id === undefined ? "" : this.#key("cluster", id));
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
    const cluster = this.#key("cluster", id);
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
