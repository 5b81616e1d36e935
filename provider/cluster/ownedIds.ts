import { IdSet, sameId } from "../api/ids";
import { isLeaving } from "../api/read/states";
import type { ClusterList, ClusterRecord } from "../api/records";
import { sameText } from "./drift";

/** The clusters that this process has created, deleted or adopted: a list that lags behind shows that later. */
export class OwnedIds {
  /** Never a candidate for another creation. */
  readonly #created = new IdSet();
  /** The last cluster created under each name, in lower case. */
  readonly #names = new Map<string, ClusterRecord>();
  readonly #deleted = new IdSet();
  /** Which resource adopts an id, in lower case: no other may, and no deletion of this process may delete the cluster. */
  readonly #adopters = new Map<string, string>();
  readonly #adopted = new IdSet();

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

  /** Reserves a cluster for the resource that adopts it. Returns the URN that has it: this resource or another. */
  adopt(id: string, urn: string): string {
    const adopter = this.#adopters.get(id.toLowerCase()) ?? urn;
    this.#adopters.set(id.toLowerCase(), adopter);
    return adopter;
  }

  /** Remembers that the cluster was adopted. */
  adopted(id: string): void {
    this.#adopted.add(id);
  }

  /** Whether a resource of this program has adopted the cluster, or has failed to. */
  adoptionOf(id: string): "done" | "failed" | undefined {
    if (this.#adopted.has(id)) return "done";
    return this.#adopters.has(id.toLowerCase()) ? "failed" : undefined;
  }

  /** The clusters in a list that hold a name. */
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

/** The living clusters of a name. Host names ignore case, so names do too. */
export function holdersOf(name: string, clusters: readonly ClusterRecord[]): ClusterRecord[] {
  return clusters.filter((other) => sameText(other.name, name) && !isLeaving(other.status));
}
