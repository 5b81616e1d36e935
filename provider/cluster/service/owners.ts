import { sameId } from "../../api/decode/names";
import type { ClusterList, ClusterRecord } from "../../api/decode/records";
import { isDeleting } from "../../api/decode/states";
import { sameText } from "../diff/drift";
import type { ClusterState } from "../schema/state";

type Adoption = "done" | "again" | "failed";

interface KnownCluster {
  isCreated?: true;
  isDeleted?: true;
  isAdopted?: boolean;
  /** The URN of the resource that adopts the cluster: no other resource can adopt it, and none can delete it. */
  adopter?: string;
  /** Set if a state contains the cluster: when it was last adopted from an interrupted run; else empty. */
  resumedAt?: string;
}

/** The clusters that this process has created, deleted or adopted: a list may lag behind. */
export class OwnedIds {
  /** By id in lower case. */
  readonly #clusters = new Map<string, KnownCluster>();
  /** The last cluster that was created under each name in lower case. */
  readonly #names = new Map<string, ClusterRecord>();

  /** Remembers that this process created a cluster: it is never a candidate for another creation. */
  created(name: string, record: ClusterRecord): void {
    this.#of(record.id).isCreated = true;
    this.#names.set(name.toLowerCase(), record);
  }

  isCreated(id: string): boolean {
    return this.#known(id).isCreated === true;
  }

  /** Remembers that this process deleted a cluster: its name is free. */
  deleted(id: string): void {
    this.#of(id).isDeleted = true;
  }

  /** Reserves a cluster for the resource that adopts it. Returns the URN of the first resource that reserved it. */
  adopt(id: string, urn: string): string {
    const known = this.#of(id);
    known.adopter ??= urn;
    return known.adopter;
  }

  adopted(id: string): void {
    this.#of(id).isAdopted = true;
  }

  /** No state contains the cluster because of this adoption. */
  adoptionFailed(id: string): void {
    this.#of(id).isAdopted = false;
  }

  /** Remembers that the state contains a cluster. */
  stored(id: string, { __resumedAt = "" }: Pick<ClusterState, "__resumedAt">): void {
    const known = this.#of(id);
    const { resumedAt = "" } = known;
    known.resumedAt = __resumedAt > resumedAt ? __resumedAt : resumedAt;
  }

  /** Whether the program already manages the cluster, so that it was not left behind by an interrupted run. */
  isManaged(id: string, urn: string): boolean {
    const { isCreated, resumedAt, adopter = urn } = this.#known(id);
    return isCreated === true || resumedAt !== undefined || adopter !== urn;
  }

  /**
   * Whether a resource of this program has adopted the cluster, or has failed to. `again`: the resource itself has adopted
   * it, and the engine now deletes its earlier state, because it replaces without the old name.
   */
  adoptionOf(id: string, urn: string, { __resumedAt = "" }: Pick<ClusterState, "__resumedAt">): Adoption | undefined {
    const { isAdopted, resumedAt = "", adopter } = this.#known(id);
    if (__resumedAt < resumedAt) return "again";
    if (isAdopted) return adopter === urn ? "again" : "done";
    return adopter === undefined ? undefined : "failed";
  }

  /** The existing clusters of a name: those of the list, and the last one that this process created. */
  holders(name: string, { clusters }: ClusterList): ClusterRecord[] {
    const created = this.#names.get(name.toLowerCase());
    const all = [...clusters];
    if (created && !clusters.some(({ id }) => sameId(id, created.id))) all.push({ ...created, name });
    return holdersOf(name, all).filter((cluster) => this.isThere(cluster));
  }

  /** Whether a listed cluster still exists, as far as this process knows. */
  isThere({ id, status }: ClusterRecord): boolean {
    return !isDeleting(status) && !this.#known(id).isDeleted;
  }

  #known(id: string): KnownCluster {
    return this.#clusters.get(id.toLowerCase()) ?? {};
  }

  /** The same, to be changed. */
  #of(id: string): KnownCluster {
    const known = this.#known(id);
    this.#clusters.set(id.toLowerCase(), known);
    return known;
  }
}

/** The clusters of a name that are not being deleted. Host names ignore case, so names of clusters do too. */
export function holdersOf(name: string, clusters: readonly ClusterRecord[]): ClusterRecord[] {
  return clusters.filter((other) => sameText(other.name, name) && !isDeleting(other.status));
}
