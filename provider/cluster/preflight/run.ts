import type { ConfigInput } from "../../api/variant";
import type { CheckedInputs } from "../schema/state";
import type { Service } from "../wait/wait";
import { type Caller, ReadCache, Reads } from "./reads";

/** What this process remembers of a run between the calls of the engine; what the run knows of its clusters is in `Registry`. */
export class Run {
  /** The clusters that the engine named for a URN before: the second check of a replacement gets no old inputs. */
  readonly clusters = new Map<string, CheckedInputs>();
  readonly #fixed = new Map<string, readonly ConfigInput[]>();
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

  /** The inputs of a resource that the service cannot change in place. */
  fixedOf(urn: string): readonly ConfigInput[] {
    return this.#fixed.get(urn) ?? [];
  }

  addFixed(urn: string, fixed: readonly ConfigInput[]): void {
    this.#fixed.set(urn, [...new Set([...this.fixedOf(urn), ...fixed])]);
  }
}
