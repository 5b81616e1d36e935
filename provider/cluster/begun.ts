import { InitError, type Properties } from "../core";
import { messageOf } from "../errors";

interface Created {
  readonly id: string;
  readonly state: Properties;
}

/** How to create a cluster, and how to continue with a cluster that was already created. */
export interface Ways {
  create(): Promise<Created>;
  goOn(id: string, state: Properties): Promise<Properties>;
}

/**
 * Creations of this process that have an id but did not finish. An error hook of the program can make the engine request
 * them again, as if nothing existed.
 */
export class UnfinishedCreations {
  readonly #unfinished = new Map<string, InitError>();

  /**
   * Forgets the creation of a cluster when the engine runs another operation on it: then the engine has the id, and a later
   * creation is about another cluster.
   */
  ended(id: string): void {
    for (const [urn, error] of this.#unfinished) if (error.id === id) this.#unfinished.delete(urn);
  }

  async run(urn: string, { name }: Properties, { create, goOn }: Ways): Promise<Created> {
    const last = this.#unfinished.get(urn);
    const unfinished = last?.state["name"] === name ? last : undefined;
    try {
      const created = unfinished
        ? { id: unfinished.id, state: await goOn(unfinished.id, unfinished.state) }
        : await create();
      this.#unfinished.delete(urn);
      return created;
    } catch (error) {
      // The engine treats this as a creation: an error without the id would lose the cluster.
      const kept =
        unfinished && !(error instanceof InitError)
          ? new InitError(unfinished.id, unfinished.state, [messageOf(error)], { cause: error })
          : error;
      if (kept instanceof InitError) this.#unfinished.set(urn, kept);
      throw kept;
    }
  }
}
