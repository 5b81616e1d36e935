import type { ConfigInput } from "../../api/variant";
import type { CheckedInputs } from "../schema/state";
import type { Service } from "../wait/wait";
import { type Caller, ReadCache, Reads } from "./reads";

interface Planned {
  cluster?: CheckedInputs;
  fixed?: readonly ConfigInput[];
}

/** What this process remembers of a run between the calls of the engine; what the run knows of its clusters is in `Registry`. */
export class Run {
  readonly #resources = new Map<string, Planned>();
  readonly #messages = new Set<string>();
  #cache: ReadCache | undefined;

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

  #of(urn: string): Planned {
    const planned = this.#resources.get(urn) ?? {};
    this.#resources.set(urn, planned);
    return planned;
  }
}
