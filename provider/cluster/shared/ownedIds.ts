import { IdSet, sameId } from "../../api/names";
import type { ClusterList, ClusterRecord } from "../../api/records";
import { isLeaving } from "../../api/states";
import { sameText } from "../compare/drift";
import type { ClusterState } from "../model/stateFields";

type Adoption = "done" | "again" | "failed";

/** The clusters that this process has created, deleted or adopted. A list may lag behind and show that later. */
export class OwnedIds {
  /** Created clusters are never candidates for another creation. */
  readonly #created = new IdSet();
  /** The last cluster that was created under each name in lower case. */
  readonly #names = new Map<string, ClusterRecord>();
  readonly #deleted = new IdSet();
  /** The URN of the resource that adopts an id in lower case. No other resource may adopt the cluster, and none may delete it. */
  readonly #adopters = new Map<string, string>();
  readonly #adopted = new IdSet();
  /** The ids that states contain, in lower case, with the last time at which the cluster was adopted; else empty. */
  readonly #stored = new Map<string, string>();

  /** Remembers that this process created a cluster. */
  created(name: string, record: ClusterRecord): void {
    this.#created.add(record.id);
    this.#names.set(name.toLowerCase(), record);
  }

  isCreated(id: string): boolean {
    return this.#created.has(id);
  }

  /** Remembers that this process deleted a cluster, so that its name is free. */
  deleted(id: string): void {
    this.#deleted.add(id);
  }

  /** Reserves a cluster for the resource that adopts it. Returns the URN of the first resource that reserved the cluster. */
  adopt(id: string, urn: string): string {
    const adopter = this.#adopters.get(id.toLowerCase()) ?? urn;
    this.#adopters.set(id.toLowerCase(), adopter);
    return adopter;
  }

  /** Remembers that a resource has adopted the cluster. */
  adopted(id: string): void {
    this.#adopted.add(id);
  }

  /** Remembers that the adoption has failed after all: no state contains the cluster because of it. */
  adoptionFailed(id: string): void {
    this.#adopted.delete(id);
  }

  /** Remembers that the state contains a cluster. */
  stored(id: string, { __resumedAt = "" }: Pick<ClusterState, "__resumedAt">): void {
    const key = id.toLowerCase();
    const last = this.#stored.get(key) ?? "";
    this.#stored.set(key, __resumedAt > last ? __resumedAt : last);
  }

  /** Whether the program manages the cluster already, so that no interrupted run has left it for the resource. */
  isManaged(id: string, urn: string): boolean {
    const key = id.toLowerCase();
    return this.isCreated(id) || this.#stored.has(key) || (this.#adopters.get(key) ?? urn) !== urn;
  }

  /**
   * Whether a resource of this program has adopted the cluster, or has failed to. `again`: the resource itself has taken
   * it up, and the state that is deleted is its earlier one: the engine replaces without the old name.
   */
  adoptionOf(id: string, urn: string, { __resumedAt = "" }: Pick<ClusterState, "__resumedAt">): Adoption | undefined {
    const key = id.toLowerCase();
    if (__resumedAt < (this.#stored.get(key) ?? "")) return "again";
    const adopter = this.#adopters.get(key);
    if (this.#adopted.has(id)) return adopter === urn ? "again" : "done";
    return adopter === undefined ? undefined : "failed";
  }

  /** The existing clusters of a name: those of the list, and the last one that this process has created under the name. */
  holders(name: string, { clusters }: ClusterList): ClusterRecord[] {
    const own = this.#names.get(name.toLowerCase());
    const isListed = own !== undefined && clusters.some(({ id }) => sameId(id, own.id));
    const all = own && !isListed ? [...clusters, { ...own, name }] : clusters;
    return holdersOf(name, all).filter((other) => this.isThere(other));
  }

  /** Whether a listed cluster still exists, as far as this process knows. */
  isThere({ id, status }: ClusterRecord): boolean {
    return !isLeaving(status) && !this.#deleted.has(id);
  }
}

/** The clusters of a name that are not being deleted. Host names ignore case, so names of clusters do too. */
export function holdersOf(name: string, clusters: readonly ClusterRecord[]): ClusterRecord[] {
  return clusters.filter((other) => sameText(other.name, name) && !isLeaving(other.status));
}
