import { availableParallelism } from "node:os";
import { duration } from "../clock";
import type { CheckFailure, Ctx, Properties } from "../core";
import { resourceNameOf } from "../text";

/** The signs that the engine's limit holds operations back. */
export interface Queue {
  /** Operations on clusters in progress. */
  readonly running: number;
  /** The number of parallel operations that the engine allows by default: 4 for each CPU. */
  readonly places: number;
  /** Milliseconds since the last check, if that was for a creation that has not begun. */
  readonly idleMs?: number;
}

/** A creation that can begin does so within milliseconds of its check. */
const idleLimitMs = 30_000;

/**
 * Whether the engine's limit holds operations back. Pure. The engine checks one resource after the other, and none
 * while the last one waits for a place. So if all places are taken, one checked creation does not begin. Each sign
 * alone may have another cause (`--target`, an error elsewhere), so both are required. A limit other than the default
 * is the user's choice, and is not reported.
 */
export function isStarved({ running, places, idleMs = 0 }: Queue): boolean {
  return running === places && idleMs >= idleLimitMs;
}

interface Options {
  readonly now?: () => number;
  readonly cpus?: number;
}

/** Counts the operations of one run, which is one process, and warns if the engine's limit holds others back. */
export class Turns {
  readonly #now: () => number;
  readonly #cpus: number;
  #running = 0;
  #last: { readonly urn: string; readonly checkedMs: number } | undefined;
  /**
   * URNs of existing clusters: the second check of a replacement looks like that of a creation, but other steps may
   * come before it.
   */
  readonly #known = new Set<string>();
  #isSaid = false;

  constructor({ now = Date.now, cpus = availableParallelism() }: Options = {}) {
    this.#now = now;
    this.#cpus = cpus;
  }

  /** Records a check that has ended, and returns its result. */
  checked<Result extends { readonly failures: readonly CheckFailure[] }>(
    { urn }: Ctx,
    olds: Properties = {},
    result: Result,
  ): Result {
    if (olds["name"] !== undefined) this.#known.add(urn);
    const isCreation = !this.#known.has(urn) && result.failures.length === 0;
    this.#last = isCreation ? { urn, checkedMs: this.#now() } : undefined;
    return result;
  }

  /** Runs an operation. Each progress report of it may cause the warning that other operations are held back. */
  async take<Result>(ctx: Ctx, work: (ctx: Ctx) => Promise<Result>): Promise<Result> {
    if (this.#last?.urn === ctx.urn) this.#last = undefined;
    this.#running += 1;
    try {
      const status: Ctx["status"] = (...message) => {
        ctx.status(...message);
        this.#hint(ctx);
      };
      return await work({ ...ctx, status });
    } finally {
      this.#running -= 1;
    }
  }

  #hint(ctx: Ctx): void {
    const last = this.#last;
    if (last === undefined || this.#isSaid) return;
    const idleMs = this.#now() - last.checkedMs;
    const places = 4 * this.#cpus;
    if (!isStarved({ running: this.#running, places, idleMs })) return;
    this.#isSaid = true;
    ctx.log(
      `${resourceNameOf(last.urn)} has been queued for ${duration(idleMs)}: Pulumi runs ${places} operations at a time on ` +
        `${this.#cpus} CPU${this.#cpus === 1 ? "" : "s"} (4 for each), and all of them wait for clusters. To run more at a ` +
        "time, use `--parallel 128`, or set PULUMI_PARALLEL=128 in the environment",
      "warning",
    );
  }
}
