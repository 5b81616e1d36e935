import { availableParallelism } from "node:os";
import { duration } from "../clock";
import type { CheckFailure, Ctx, Properties } from "../core";
import { resourceNameOf } from "./preview/names";

/** How the engine's own limit is felt here. */
export interface Queue {
  /** Operations on clusters that are under way. */
  readonly running: number;
  /** How many the engine runs at a time unless told otherwise: 4 for each CPU. */
  readonly places: number;
  /** For how long the creation that was checked last has not begun, and nothing else was checked since. */
  readonly idleMs?: number;
}

/** A creation begins within milliseconds of its check where it can. */
const patienceMs = 30_000;

/**
 * Whether waits are starved by the engine's limit. The engine checks one resource after the other, and none while the last one
 * waits for a place: so with all places taken, one creation stands checked and does not begin. Either sign alone may have
 * another cause (`--target`, an error elsewhere), hence both. Another limit than the default one was somebody's choice. Pure.
 */
export function isStarved({ running, places, idleMs = 0 }: Queue): boolean {
  return running === places && idleMs >= patienceMs;
}

interface Options {
  readonly now?: () => number;
  readonly cpus?: number;
}

/** The operations of one run, which is one process, as far as the engine lets them begin. */
export class Turns {
  readonly #now: () => number;
  readonly #cpus: number;
  #running = 0;
  #last: { readonly urn: string; readonly checkedMs: number } | undefined;
  /** Clusters that exist: the second check of a replacement looks like one of a creation, but other steps may come before it. */
  readonly #known = new Set<string>();
  #isSaid = false;

  constructor({ now = Date.now, cpus = availableParallelism() }: Options = {}) {
    this.#now = now;
    this.#cpus = cpus;
  }

  /** Takes note of a check that has ended, and hands its result on. */
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

  /** Runs an operation; whenever it reports, the time may have come to say that others do not get their turn. */
  async take<Result>(ctx: Ctx, work: (ctx: Ctx) => Promise<Result>): Promise<Result> {
    if (this.#last?.urn === ctx.urn) this.#last = undefined;
    this.#running += 1;
    try {
      const status = (message: string) => {
        ctx.status(message);
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
      `${resourceNameOf(last.urn)} has not had its turn for ${duration(idleMs)}, while ${places} clusters are waited for: ` +
        `Pulumi runs that many operations at a time on ${this.#cpus} CPU${this.#cpus === 1 ? "" : "s"} (4 for each), and each ` +
        "wait holds a place. `--parallel 128`, or PULUMI_PARALLEL=128 in the environment, waits for more of them at a time",
      "warning",
    );
  }
}
