import { isDeepStrictEqual } from "node:util";
import type { RateLimitView } from "../../api/client";
import type { Clock } from "../../base/clock";
import { isUnauthorized, RequestError } from "../../base/errors";
import type { Condition, Found, Observation } from "../health/health";
import { creationGraceLeftMs, type LookupSources } from "../service/lookup";
import type { Operation } from "../service/operation";
import { Observer, type WaitOptions } from "./observer";
import { stallMs, WaitReport } from "./report";

/** A vague condition counts only after 30 s without change: a cluster that starts shows other status words meanwhile. */
export const holdMs = 30_000;
/** A cluster is gone after this many consecutive polls that do not show it. */
const maxMisses = 3;
/** A service may reject a valid key by mistake once, but not three times in a row. */
const maxRefusals = 3;

/**
 * Polls clusters until the judge of each wait returns a final condition. All waits of a process poll at the same moments, so
 * that one list serves all of them; a single wait reads its cluster by id.
 */
export class Poller {
  readonly #waits = new Map<WaitOptions, WaitReport>();
  readonly #observer: Observer;
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
   * @throws ClusterFailedError if the cluster has failed or disappeared, TimeoutError at the deadline, the reason of the signal
   * if it aborts, and the error of the service if it rejects the key repeatedly.
   */
  async wait(options: WaitOptions): Promise<Condition | undefined> {
    const { operation, untilGone = false, report = this.report(operation) } = options;
    this.#waits.set(options, report);
    const soonMs = this.clock.now() + this.#intervalMs();
    // The interval of older waits does not delay a new one.
    this.#nextMs = this.#waits.size > 1 ? Math.min(this.#nextMs, soonMs) : soonMs;
    let before: Observation = {};
    let last: Condition | undefined;
    let sameSinceMs = 0;
    let misses = 0;
    let refusals = 0;
    try {
      for (let polls = 0; ; polls += 1) {
        await operation.pause(this.#untilNextPollMs());
        try {
          const previous = last;
          const judge = (found: Found) => options.judge(found, previous);
          const polled = { ...options, judge };
          const observer = this.#observer;
          before = await (this.#waits.size > 1 ? observer.byList(polled) : observer.byId(polled, before, polls));
          refusals = 0;
          operation.observe(before);
          // The operation's copy contains no secrets.
          const { record, status } = operation.observed;
          const condition = record && judge({ record, status });
          misses = condition ? 0 : misses + 1;
          if (!isDeepStrictEqual(condition, last)) sameSinceMs = report.waitedMs();
          last = condition ?? last;
          if (untilGone && !record) return undefined;
          if (misses >= maxMisses && creationGraceLeftMs(operation.before, this.clock.now()) === 0)
            throw report.disappeared();
          if (condition && isFinal(condition, report.waitedMs() - sameSinceMs)) {
            if (condition.status === "ready") return condition;
            if (condition.status === "failed") throw report.ended(condition);
            throw report.unclear(condition.unrecognized ?? "nothing about its health");
          }
          report.observed(condition?.summary ?? "the service does not show it yet", operation.observed);
        } catch (error) {
          if (!(error instanceof RequestError)) throw error;
          refusals = isUnauthorized(error) ? refusals + 1 : 0;
          if (refusals >= maxRefusals) throw error;
          report.failed(error);
        }
        if (operation.leftMs() > 0) continue;
        if (!untilGone) await this.#observer.addReasons(operation);
        throw report.timeout();
      }
    } finally {
      this.#waits.delete(options);
    }
  }

  #untilNextPollMs(): number {
    const nowMs = this.clock.now();
    if (this.#nextMs <= nowMs) {
      const intervalMs = this.#intervalMs();
      // The duration of the last poll is part of the interval, but at least half of the interval is a pause.
      this.#nextMs = Math.max(this.#nextMs + intervalMs, nowMs + intervalMs / 2);
    }
    return this.#nextMs - nowMs;
  }

  #intervalMs(): number {
    const youngestMs = Math.min(...[...this.#waits.values()].map((report) => report.waitedMs()));
    return pollIntervalMs({ youngestMs, count: this.#waits.size, rateLimit: this.sources.client.rateLimiter.view() });
  }
}

/** Whether a condition ends the wait. A failure does at once; a vague condition has to stay the same for a while. */
function isFinal({ status, isVague, unrecognized }: Condition, unchangedMs: number): boolean {
  if (status === "failed") return true;
  if (status === "ready") return !isVague || unchangedMs >= holdMs;
  return unrecognized !== undefined && unchangedMs >= stallMs;
}

/**
 * Measured in virtual time: a cluster of 30 s is noticed 0.8 s late in the mean and one of 5 minutes 2.1 s, by 88 requests. A naive
 * poll every 5 s is 2.5 s late. After 10 minutes the interval grows again, with 0.75 % of the time waited.
 */
const minIntervalMs = 2_000;
const shareOfAge = 0.06;
const usualIntervalMs = 4_500;
const shareOfOldAge = usualIntervalMs / (10 * 60_000);
const maxIntervalMs = 15_000;

export interface Waits {
  readonly youngestMs: number;
  readonly count: number;
  readonly rateLimit: RateLimitView;
}

/**
 * The interval between two polls grows with the time waited. In a fresh rate window, polls take at most half of the requests
 * that are left after one for each wait, which confirms its end. They take less the more of the window is used, because other
 * processes use the key too.
 */
export function pollIntervalMs({ youngestMs, count, rateLimit }: Waits): number {
  const { limit, left = limit, resetInMs = 0, queued } = rateLimit;
  const forPolls = ((left - queued - count) * left) / limit / 2;
  const affordableMs = forPolls > 0 ? resetInMs / forPolls : resetInMs;
  const earlyMs = Math.min(usualIntervalMs, youngestMs * shareOfAge);
  const wantedMs = Math.max(minIntervalMs, earlyMs, youngestMs * shareOfOldAge);
  return Math.min(maxIntervalMs, Math.max(wantedMs, affordableMs));
}
