import { debuglog } from "node:util";
import type { Ctx } from "../core";
import { InterruptedError } from "../errors";

const debug = debuglog("gpucluster");

/** The facts about one operation that an adapter knows. */
export interface Occasion {
  /** Name of the operation, for the debug log. */
  readonly operation: string;
  readonly urn: string;
  readonly timeoutMs?: number | undefined;
}

/** Sends a message to the engine. Resolves when the message has arrived or was dropped; never rejects. */
export type Log = (
  message: string,
  options: { readonly urn: string; readonly severity?: "info" | "warning"; readonly ephemeral?: boolean },
) => Promise<void>;

/** The operations in flight in this process. An interrupt ends those, and no later one. */
export class RunningOperations {
  readonly #controllers = new Set<AbortController>();

  constructor(private readonly log: Log) {}

  interrupt(): void {
    for (const operation of this.#controllers) operation.abort(new InterruptedError("interrupted"));
  }

  /** Runs one operation. Settles when the operation has ended and its messages have arrived. */
  async run<T>({ operation, urn, timeoutMs }: Occasion, work: (ctx: Ctx) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const messages: Promise<void>[] = [];
    this.#controllers.add(controller);
    try {
      return await work({
        urn,
        timeoutMs,
        signal: controller.signal,
        log: (message, severity) => void messages.push(this.log(message, { urn, severity })),
        status: (message) => void this.log(message, { urn, ephemeral: true }),
      });
    } catch (error) {
      debug("%s: %s", operation, error instanceof Error ? error.stack : error);
      throw error;
    } finally {
      this.#controllers.delete(controller);
      // The engine may exit as soon as it has the answer to this call, and does not wait for messages.
      await Promise.all(messages);
    }
  }
}
