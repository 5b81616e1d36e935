import { isSameGpu } from "../../api/gpuMatch";
import type { ConfigInput } from "../../api/variant";
import type { CheckedInputs } from "../schema/state";
import type { Service } from "../wait/service";
import { type Caller, ReadCache, Reads } from "./reads";

/** The cost of a cluster for one hour, as far as it is known. */
export interface Cost {
  readonly amount?: number | undefined;
  readonly currency?: string;
  /** The parts of the cost: `2 x h100 at 2.99 USD`. */
  readonly parts: string;
}

/** The cost of a cluster of the run. */
export interface PlannedCost extends Cost {
  readonly label: string;
  /** What the cluster has cost before this run; undefined if that is not known. */
  readonly before: number | undefined;
}

/** What a run knows of one resource. */
interface Planned {
  cluster?: CheckedInputs;
  fixed?: readonly ConfigInput[];
  cost?: PlannedCost;
  gpus?: { readonly type: string; readonly count: number };
}

/** What one run remembers between the calls of the engine. A run is one process: preview and update are two runs. */
export class Run {
  readonly #resources = new Map<string, Planned>();
  /** The URN of the resource that has a name, by the name in lower case, like that of a host. */
  readonly #owners = new Map<string, string>();
  readonly #messages = new Set<string>();
  #cache: ReadCache | undefined;

  /** The reads of this run: each is sent once for all resources. */
  reads(service: Service, caller: Caller): Reads {
    if (this.#cache?.service !== service) this.#cache = new ReadCache(service);
    return new Reads(this.#cache, caller);
  }

  /** True at the first call with a key. */
  isFirst(key: string): boolean {
    if (this.#messages.has(key)) return false;
    this.#messages.add(key);
    return true;
  }

  /** Claims a name for a resource. Returns the URN of the first resource that has claimed it. */
  claimName(name: string, urn: string): string {
    const owner = this.#owners.get(name.toLowerCase()) ?? urn;
    this.#owners.set(name.toLowerCase(), owner);
    return owner;
  }

  /** The cluster that the engine named for a resource before: the second check of a replacement gets no old inputs. */
  clusterOf(urn: string): CheckedInputs | undefined {
    return this.#resources.get(urn)?.cluster;
  }

  setCluster(urn: string, cluster: CheckedInputs): void {
    this.#of(urn).cluster = cluster;
  }

  /** The inputs of a resource that the service cannot change in place. */
  fixedOf(urn: string): readonly ConfigInput[] {
    return this.#resources.get(urn)?.fixed ?? [];
  }

  addFixed(urn: string, fixed: readonly ConfigInput[]): void {
    this.#of(urn).fixed = [...new Set([...this.fixedOf(urn), ...fixed])];
  }

  setCost(urn: string, cost: PlannedCost): void {
    this.#of(urn).cost = cost;
  }

  costOf(urn: string): PlannedCost | undefined {
    return this.#resources.get(urn)?.cost;
  }

  /** Whether a resource was checked: every check that passes sets a cost. */
  isChecked(urn: string): boolean {
    return this.costOf(urn) !== undefined;
  }

  /** The costs of all clusters that were checked so far. */
  costs(): readonly PlannedCost[] {
    return [...this.#resources.values()].flatMap(({ cost }) => cost ?? []);
  }

  /** Sets how many GPUs a cluster needs beyond those that it has. */
  setGpus(urn: string, type: string, count: number): void {
    this.#of(urn).gpus = { type, count };
  }

  /** The number of GPUs of a type that the other clusters need. */
  gpusOfOthers(urn: string, type: string): number {
    return [...this.#resources]
      .filter(([other, { gpus }]) => other !== urn && gpus !== undefined && isSameGpu(gpus.type, [type]))
      .reduce((sum, [, { gpus }]) => sum + (gpus?.count ?? 0), 0);
  }

  #of(urn: string): Planned {
    const planned = this.#resources.get(urn) ?? {};
    this.#resources.set(urn, planned);
    return planned;
  }
}
