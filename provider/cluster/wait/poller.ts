import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../base/clock";
import { isUnauthorized, RequestError } from "../../base/errors";
import type { Condition } from "../health/conditions";
import type { Found, Observation } from "../health/health";
import { creationGraceLeftMs, creationGraceMs, type LookupSources } from "../service/lookup";
import type { Operation } from "../service/operation";
import { Observer, type WaitOptions } from "./observer";
import { stallMs, WaitReport } from "./report";
import { pollIntervalMs } from "./schedule";

/** A vague condition counts only after it has stayed the same for this long: a start shows other words meanwhile. */
export const holdMs = 30_000;
/** A cluster is gone after so many polls in a row that do not show it. */
const missesToEnd = 3;
/** A service may reject a valid key once by mistake, but not three times in a row. */
const refusalsToEnd = 3;

/** What the polls of a wait have shown so far. */
interface History {
  /** Consecutive polls that did not show the cluster. */
  readonly misses: number;
  /** The last condition, and since when it has been the same. */
  readonly last?: Condition | undefined;
  readonly sinceMs: number;
}

/**
 * Polls clusters until the judge of each wait is satisfied. All waits of a process poll at the same moments, so that one list
 * serves all of them; a single wait reads its cluster by id.
 */
export class Poller {
  readonly #waits = new Map<WaitOptions, WaitReport>();
  readonly #observer: Observer;
  /** The next moment at which all waits poll. */
  #nextMs = 0;

  constructor(
    private readonly sources: LookupSources,
    private readonly clock: Clock,
    private readonly heartbeatMs: number,
  ) {
    this.#observer = new Observer(sources);
  }

  report(operation: Operation): WaitReport {
    return new WaitReport(this.clock, operation, this.heartbeatMs);
  }

  /**
   * Returns the condition that has ended the wait; `undefined` if the cluster is gone, as `untilGone` asks for.
   * @throws ClusterFailedError if the cluster has failed or disappeared, TimeoutError at the deadline, the signal's reason if
   * it aborts, and the service's error if it rejects the key repeatedly.
   */
  async wait(options: WaitOptions): Promise<Condition | undefined> {
    const report = this.report(options.operation);
    this.#waits.set(options, report);
    const soonMs = this.clock.now() + this.#intervalMs();
    // A new wait does not wait for the interval of older waits.
    this.#nextMs = this.#waits.size > 1 ? Math.min(this.#nextMs, soonMs) : soonMs;
    try {
      return await this.#loop(options, report);
    } finally {
      this.#waits.delete(options);
    }
  }

  async #loop(options: WaitOptions, report: WaitReport): Promise<Condition | undefined> {
    const { operation, untilGone = false } = options;
    let history: History = { misses: 0, sinceMs: 0 };
    let before: Observation = {};
    let refusals = 0;
    for (let polls = 0; ; polls += 1) {
      await operation.pause(this.#untilNextPollMs());
      try {
        const { last } = history;
        const judge = (found: Found) => options.judge(found, last);
        const observation = await this.#observe({ ...options, judge }, before, polls);
        before = observation;
        refusals = 0;
        operation.observe(observation);
        // The operation's copy contains no secrets.
        const { record, status } = operation.observed;
        const condition = record && judge({ record, status });
        history = after(history, condition, report.waitedMs());
        if (untilGone && !record) return undefined;
        if (history.misses >= missesToEnd && !this.#isInCreationGrace(operation, report))
          throw report.ended({ summary: "it disappeared from the service during the wait" });
        if (condition && isFinal(condition, history, report.waitedMs())) {
          if (condition.status === "ready") return condition;
          if (condition.status === "failed") throw report.ended(condition);
          throw report.unclear(condition.unrecognized ?? "nothing about its health");
        }
        report.observed(condition?.summary ?? "the service does not show it yet", operation.observed);
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        refusals = isUnauthorized(error) ? refusals + 1 : 0;
        if (refusals >= refusalsToEnd) throw error;
        report.failed(error);
      }
      if (operation.leftMs() === 0) throw report.timeout();
    }
  }

  /** Several waits share the list. */
  #observe(options: WaitOptions, before: Observation, polls: number): Promise<Observation> {
    return this.#waits.size > 1 ? this.#observer.byList(options) : this.#observer.byId(options, before, polls);
  }

  #isInCreationGrace(operation: Operation, report: WaitReport): boolean {
    if (operation.isCreation) return report.waitedMs() < creationGraceMs;
    return creationGraceLeftMs(operation.before, this.clock.now()) > 0;
  }

  #untilNextPollMs(): number {
    const nowMs = this.clock.now();
    if (this.#nextMs <= nowMs) {
      const intervalMs = this.#intervalMs();
      // What the last poll took is part of the interval, but at least half of the interval is a pause.
      this.#nextMs = Math.max(this.#nextMs + intervalMs, nowMs + intervalMs / 2);
    }
    return this.#nextMs - nowMs;
  }

  #intervalMs(): number {
    const youngestMs = Math.min(...[...this.#waits.values()].map((report) => report.waitedMs()));
    return pollIntervalMs({ youngestMs, waits: this.#waits.size, rateLimit: this.sources.client.rateLimiter.view() });
  }
}

function after(history: History, condition: Condition | undefined, atMs: number): History {
  const { misses, last, sinceMs } = history;
  return {
    misses: condition ? 0 : misses + 1,
    last: condition ?? last,
    sinceMs: isDeepStrictEqual(condition, last) ? sinceMs : atMs,
  };
}

/** Whether a condition ends the wait. A failure does at once; what is vague has to stay the same. */
function isFinal({ status, isVague, unrecognized }: Condition, { sinceMs }: History, nowMs: number): boolean {
  const sameMs = nowMs - sinceMs;
  if (status === "failed") return true;
  if (status === "ready") return !isVague || sameMs >= holdMs;
  return unrecognized !== undefined && sameMs >= stallMs;
}
