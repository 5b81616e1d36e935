/** Compares ids without case: a service may show an id in another case than at creation. */
export function sameId(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

export class IdSet {
  readonly #ids = new Set<string>();

  constructor(ids: Iterable<string> = []) {
    for (const id of ids) this.add(id);
  }

  add(id: string): void {
    this.#ids.add(id.toLowerCase());
  }

  has(id: string): boolean {
    return this.#ids.has(id.toLowerCase());
  }

  *[Symbol.iterator](): Iterator<string> {
    yield* this.#ids;
  }
}
