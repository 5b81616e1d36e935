import { sameId } from "../../api/decode/names";
import type { ClusterList, ClusterRecord } from "../../api/decode/records";
import { isDeleting } from "../../api/decode/states";
import { isSameGpu } from "../../api/gpuMatch";
import { sameText } from "../diff/drift";

/** The cost of a cluster for one hour, as far as it is known. */
export interface Cost {
  readonly amount?: number | undefined;
  readonly currency?: string | undefined;
  /** The parts of the cost: `2 x h100 at 2.99 USD`. */
  readonly parts: string;
}

/** The cost of a cluster of the run. */
export interface PlannedCost extends Cost {
  readonly label: string;
  /** What the cluster has cost before this run; undefined if that is not known. */
  readonly before?: number | undefined;
}

/** What the registry stores, by topic. */
interface Values {
  /** The URN of the resource that has a name. */
  owner: string;
  /** The URN of the resource that adopts a cluster: no other resource can adopt it, and none can delete it. */
  adopter: string;
  isAdopted: boolean;
  /** Present if a state contains a cluster: when it was last adopted from an interrupted run; else empty. */
  resumedAt: string;
  isCreated: boolean;
  isDeleted: boolean;
  /** By the URN of the resource. */
  cost: PlannedCost;
  /** The GPUs that a resource needs beyond those that it has, by its URN. */
  gpus: { readonly type: string; readonly count: number };
}
type Topic = keyof Values;

/** Why a deletion has to leave a cluster alone. */
type Adoption = "done" | "again" | "failed";

/** What a run knows of its clusters beside the lists of the service, which may lag behind: names, ids, costs and GPUs. */
export class Registry {
  readonly #values: { readonly [T in Topic]: Map<string, Values[T]> } = {
    owner: new Map(),
    adopter: new Map(),
    isAdopted: new Map(),
    resumedAt: new Map(),
    isCreated: new Map(),
    isDeleted: new Map(),
    cost: new Map(),
    gpus: new Map(),
  };
  /** The last cluster that was created under each name in lower case. */
  readonly #records = new Map<string, ClusterRecord>();

  /** Claims a name for a resource. Returns the URN of the first resource that has claimed it. */
  claimName(name: string, urn: string): string {
    return this.#claim("owner", name, urn);
  }

  /** Reserves a cluster for the resource that adopts it. Returns the URN of the first resource that reserved it. */
  adopt(id: string, urn: string): string {
    return this.#claim("adopter", id, urn);
  }

  adopted(id: string): void {
    this.#set("isAdopted", keyOf(id), true);
  }

  /** No state contains the cluster because of this adoption. */
  adoptionFailed(id: string): void {
    this.#set("isAdopted", keyOf(id), false);
  }

  /** Remembers that a cluster was created: it is never a candidate for another creation. */
  created(name: string, record: ClusterRecord): void {
    this.#set("isCreated", keyOf(record.id), true);
    this.#records.set(keyOf(name), record);
  }

  isCreated(id: string): boolean {
    return this.#get("isCreated", keyOf(id)) === true;
  }

  /** Remembers that a cluster was deleted: its name is free. */
  deleted(id: string): void {
    this.#set("isDeleted", keyOf(id), true);
  }

  /** Remembers that the state contains a cluster. */
  stored(id: string, resumedAt = ""): void {
    const known = this.#get("resumedAt", keyOf(id));
    if (known === undefined || known < resumedAt) this.#set("resumedAt", keyOf(id), resumedAt);
  }

  /** Whether the program already manages the cluster, so that it was not left behind by an interrupted run. */
  isManaged(id: string, urn: string): boolean {
    const adopter = this.#get("adopter", keyOf(id)) ?? urn;
    return this.isCreated(id) || this.#get("resumedAt", keyOf(id)) !== undefined || adopter !== urn;
  }

  /**
   * Whether a resource of this program has adopted the cluster, or has failed to. `again`: the resource itself has adopted
   * it, and the engine now deletes its earlier state, because it replaces without the old name.
   */
  adoptionOf(id: string, urn: string, resumedAt = ""): Adoption | undefined {
    if (resumedAt < (this.#get("resumedAt", keyOf(id)) ?? "")) return "again";
    const adopter = this.#get("adopter", keyOf(id));
    if (this.#get("isAdopted", keyOf(id))) return adopter === urn ? "again" : "done";
    return adopter === undefined ? undefined : "failed";
  }

  /** The existing clusters of a name: those of the list, and the last one that this process created. */
  holders(name: string, { clusters }: ClusterList): ClusterRecord[] {
    const created = this.#records.get(keyOf(name));
    const all = [...clusters];
    if (created && !clusters.some(({ id }) => sameId(id, created.id))) all.push({ ...created, name });
    return holdersOf(name, all).filter((cluster) => this.isThere(cluster));
  }

  /** Whether a listed cluster still exists, as far as the run knows. */
  isThere({ id, status }: ClusterRecord): boolean {
    return !isDeleting(status) && this.#get("isDeleted", keyOf(id)) !== true;
  }

  setCost(urn: string, cost: PlannedCost): void {
    this.#set("cost", urn, cost);
  }

  costOf(urn: string): PlannedCost | undefined {
    return this.#get("cost", urn);
  }

  /** The costs of all clusters that were checked so far. */
  costs(): readonly PlannedCost[] {
    return [...this.#values.cost.values()];
  }

  /** Sets how many GPUs a cluster needs beyond those that it has. */
  setGpus(urn: string, type: string, count: number): void {
    this.#set("gpus", urn, { type, count });
  }

  /** The number of GPUs of a type that the other clusters need. */
  gpusOfOthers(urn: string, type: string): number {
    return [...this.#values.gpus]
      .filter(([other, gpus]) => other !== urn && isSameGpu(gpus.type, [type]))
      .reduce((sum, [, { count }]) => sum + count, 0);
  }

  /** Sets a value that is not set yet. Returns the first one. */
  #claim(topic: "owner" | "adopter", name: string, urn: string): string {
    const first = this.#get(topic, keyOf(name)) ?? urn;
    this.#set(topic, keyOf(name), first);
    return first;
  }

  #get<T extends Topic>(topic: T, key: string): Values[T] | undefined {
    return this.#values[topic].get(key);
  }

  #set<T extends Topic>(topic: T, key: string, value: Values[T]): void {
    this.#values[topic].set(key, value);
  }
}

/** Host names ignore case, so names and ids of clusters do too; URNs do not. */
function keyOf(nameOrId: string): string {
  return nameOrId.toLowerCase();
}

/** The clusters of a name that are not being deleted. */
export function holdersOf(name: string, clusters: readonly ClusterRecord[]): ClusterRecord[] {
  return clusters.filter((other) => sameText(other.name, name) && !isDeleting(other.status));
}
