import { inspect } from "node:util";

/** Keeps a value out of every log, error and inspection; only `reveal` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}

/** A shorter key could not be distinguished from an ordinary word, and no service makes such a key. */
export const shortestKey = 4;
