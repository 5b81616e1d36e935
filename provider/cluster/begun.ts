import { InitError, type Properties } from "../core";
import { messageOf } from "../errors";

interface Created {
  readonly id: string;
  readonly state: Properties;
}

/** How a cluster is made, and how one is gone on with that is there already. */
export interface Ways {
  create(): Promise<Created>;
  goOn(id: string, state: Properties): Promise<Properties>;
}

/**
 * Creations of this process that have got an id and did not reach their end. An error hook of the program makes the engine
 * ask for them again, as if nothing existed.
 */
export class UnfinishedCreations {
  readonly #unfinished = new Map<string, InitError>();

  /** Another operation of the engine is about the cluster, so the engine has its id: what is created later is another one. */
  ended(id: string): void {
    for (const [urn, error] of this.#unfinished) if (error.id === id) this.#unfinished.delete(urn);
  }

  async run(urn: string, { name }: Properties, { create, goOn }: Ways): Promise<Created> {
    const last = this.#unfinished.get(urn);
    const begun = last?.state["name"] === name ? last : undefined;
    try {
      const created = begun ? { id: begun.id, state: await goOn(begun.id, begun.state) } : await create();
      this.#unfinished.delete(urn);
      return created;
    } catch (error) {
      // The engine takes this for a creation: an error without the id would lose it.
      const kept =
        begun && !(error instanceof InitError)
          ? new InitError(begun.id, begun.state, [messageOf(error)], { cause: error })
          : error;
      if (kept instanceof InitError) this.#unfinished.set(urn, kept);
      throw kept;
    }
  }
}
