import { debuglog } from "node:util";
import type { Ctx } from "../core";
import { InterruptedError } from "../errors";

const debug = debuglog("gpucluster");

/** What a door knows of one operation. */
export interface Occasion {
  /** What it does, for the debug log. */
  readonly operation: string;
  readonly urn: string;
  readonly timeoutMs?: number | undefined;
}

/** Sends a message to the engine; settles when it has arrived or been given up. Never rejects. */
export type Log = (
  message: string,
  options: { readonly urn: string; readonly severity?: "info" | "warning"; readonly ephemeral?: boolean },
) => Promise<void>;

/** The operations that run in this process. An interrupt ends those, and no later one. */
export class Running {
  readonly #controllers = new Set<AbortController>();

  constructor(private readonly log: Log) {}

  interrupt(): void {
    for (const operation of this.#controllers) operation.abort(new InterruptedError("interrupted"));
  }

  /** Runs one operation to its end, and to the arrival of its messages. */
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
      // The engine may end with the answer to this call, and would not wait for a message.
      await Promise.all(messages);
    }
  }
}
