import { messageOf } from "../../base/errors";
import { InitError, type Properties } from "../../contract";
import type { CheckedInputs } from "../schema/state";
import type { Created } from "./create";

/**
 * Operations of this process that failed and left a state, by URN. An error hook of the program makes the engine repeat them
 * without that state: a creation as if nothing existed (in CLI 3.250; later ones update instead), an update from the state before it.
 */
export class UnfinishedOperations {
  readonly #errors = new Map<string, InitError>();

  /** Called at an operation that a hook does not repeat: then the engine has the id and the state. */
  forget(id: string): void {
    for (const [urn, error] of this.#errors) if (error.id === id) this.#errors.delete(urn);
  }

  /** A repeated creation ends with the same error, which keeps the id. The next `pulumi up` continues. */
  async create(urn: string, { name }: CheckedInputs, create: () => Promise<Created>): Promise<Created> {
    const unfinished = this.#errors.get(urn);
    if (unfinished?.state["name"] === name) throw unfinished;
    return this.#keep(urn, create);
  }

  /** A repeated update continues from what the last attempt left; if it fails before it has begun, it leaves the same. */
  async update(
    urn: string,
    id: string,
    state: Properties,
    update: (state: Properties) => Promise<Properties>,
  ): Promise<Properties> {
    const left = this.#errors.get(urn);
    if (left?.id !== id) return this.#keep(urn, () => update(state));
    this.forget(id);
    return this.#keep(urn, async () => {
      try {
        return await update(left.state);
      } catch (error) {
        throw error instanceof InitError ? error : new InitError(id, left.state, [messageOf(error)], { cause: error });
      }
    });
  }

  async #keep<T>(urn: string, operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      if (error instanceof InitError) this.#errors.set(urn, error);
      throw error;
    }
  }
}
