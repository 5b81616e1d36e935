import { isDeepStrictEqual } from "node:util";
import type { CallOptions, Client } from "../../api/client";
import type { ClusterRecord, StatusRecord } from "../../api/decode/records";
import { stateOf, statusOfWord } from "../../api/decode/states";
import { type Clock, duration } from "../../base/clock";
import {
  ApiError,
  briefOf,
  ClusterFailedError,
  doctorAdvice,
  GpuClusterError,
  isUnauthorized,
  RequestError,
  type TimeoutError,
} from "../../base/errors";
import { cut } from "../../base/text";
import {
  holdMs,
  longWaitMs,
  maxPollIntervalMs,
  minPollIntervalMs,
  sameTickMs,
  stallMs,
  usualPollIntervalMs,
} from "../../base/times";
import { type Condition, countHealthy, type Found, type Observation, unhealthyReasons } from "../health/health";
import { creationGraceLeftMs, findStatus, type LookupSources, lookUp, memberOf } from "../service/lookup";
import type { Operation } from "../service/operation";

interface WaitOptions {
  readonly operation: Operation;
  readonly conditionOf: (found: Found, previous?: Condition) => Condition;
  /** For a deletion: the first poll that does not find the cluster ends the wait, and `/status` is not read. */
  readonly untilGone?: boolean;
  /** Whether the wait follows a request that the service has accepted. */
  readonly isAccepted?: boolean;
}

/** A cluster is gone after this many consecutive polls that do not show it. */
const maxMisses = 3;
/** A service may reject a valid key by mistake once, but not three times in a row. */
const maxRefusals = 3;

type PollOptions = Pick<CallOptions, "priority">;
/** Other requests take precedence over a poll of a pending cluster, because the poll is repeated anyway. */
const pollPriority: PollOptions = { priority: "poll" };

/**
 * Polls clusters until each wait has a final condition. All waits of a process poll at the same moments, so
 * that one list serves all of them; a single wait reads its cluster by id.
 */
export class Poller {
  readonly #waits = new Map<WaitOptions, WaitReport>();
  #firstStatus: Promise<unknown> | undefined;
  #nextMs = 0;

  constructor(
    private readonly sources: LookupSources,
    private readonly clock: Clock,
    private readonly heartbeatMs: number,
  ) {}

  /**
   * Returns the condition that ends the wait, with the report, for a wait that goes on after the last poll.
   * @throws ClusterFailedError if the cluster has failed or disappeared, TimeoutError at the deadline, the reason of the signal
   * if it aborts, and the error of the service if it rejects the key repeatedly.
   */
  async wait(options: WaitOptions): Promise<{ readonly condition?: Condition; readonly report: WaitReport }> {
    const { operation, untilGone = false, isAccepted = false } = options;
    const report = new WaitReport(this.clock, operation, this.heartbeatMs);
    if (isAccepted) report.reached("accepted");
    this.#waits.set(options, report);
    const soonMs = this.clock.now() + this.#intervalMs();
    // The interval of older waits does not delay a new one.
    this.#nextMs = this.#waits.size > 1 ? Math.min(this.#nextMs, soonMs) : soonMs;
    let observation: Observation = {};
    let last: Condition | undefined;
    let sameSinceMs = 0;
    let misses = 0;
    let refusals = 0;
    try {
      for (let polls = 0; ; polls += 1) {
        const nowMs = this.clock.now();
        if (this.#nextMs <= nowMs) {
          const intervalMs = this.#intervalMs();
          // The duration of the last poll is part of the interval, but at least half of the interval is a pause.
          this.#nextMs = Math.max(this.#nextMs + intervalMs, nowMs + intervalMs / 2);
        }
        await operation.pause(this.#nextMs - nowMs);
        try {
          const previous = last;
          const conditionOf = (found: Found) => options.conditionOf(found, previous);
          const polled = { ...options, conditionOf };
          // One request while the cluster is pending; else its record and its `/status` decide together.
          observation = await (this.#waits.size > 1 ? this.#byList(polled) : this.#byId(polled, observation, polls));
          refusals = 0;
          operation.observe(observation);
          // The operation's copy contains no secrets.
          const { record } = operation.observed;
          if (untilGone && !record) return { report };
          const condition = record && conditionOf({ ...operation.observed, record });
          misses = condition ? 0 : misses + 1;
          if (misses >= maxMisses && creationGraceLeftMs(operation.oldState, this.clock.now()) === 0)
            throw report.disappeared();
          if (!isDeepStrictEqual(condition, last)) sameSinceMs = report.waitedMs();
          last = condition ?? last;
          const unchangedMs = report.waitedMs() - sameSinceMs;
          if (condition?.kind === "ready" && (!condition.isVague || unchangedMs >= holdMs))
            return { condition, report };
          const isUnrecognized = condition?.unrecognized !== undefined && unchangedMs >= stallMs;
          if (condition && (condition.kind === "failed" || isUnrecognized)) throw report.ended(condition);
          report.observed(condition?.summary ?? "the service does not show it yet", operation.observed);
        } catch (error) {
          if (!(error instanceof RequestError)) throw error;
          refusals = isUnauthorized(error) ? refusals + 1 : 0;
          if (refusals >= maxRefusals) throw error;
          report.failed(error);
        }
        if (operation.leftMs() > 0) continue;
        if (!untilGone) await this.#addReasons(operation);
        throw report.timeout();
      }
    } finally {
      this.#waits.delete(options);
    }
  }

  /** The record and `/status` in turn, so that users see the replicas come up. */
  async #byId(options: WaitOptions, last: Observation, polls: number): Promise<Observation> {
    const { operation, conditionOf, untilGone } = options;
    if (untilGone) return this.#lookUp(options);
    if (last.record && polls % 2 === 1) {
      const status = await this.#statusOf(operation, pollPriority);
      // The previous poll's status word is older than this `/status`.
      const withoutWord = { ...last.record, status: undefined };
      if (status && conditionOf({ record: withoutWord, status }).kind === "pending")
        return { record: last.record, status };
      return { ...(await this.#lookUp(options)), status: status ?? noReplicas(this.sources.client) };
    }
    const { record, isGone } = await this.#lookUp(options);
    if (!record || isGone) return { record, isGone };
    if (conditionOf({ record }).kind !== "pending") return this.#complete(options, record);
    return { record, status: last.status ?? (await this.#statusOf(operation, pollPriority)) };
  }

  /** Reads the shared list. It may lag, so a read by id confirms a failure, and success without `/status` of an older cluster. */
  async #byList(options: WaitOptions): Promise<Observation> {
    const { operation, conditionOf, untilGone } = options;
    const { lists } = this.sources;
    const request = { ...operation.lookupOptions(), ...pollPriority, attempts: 1 };
    const reading = untilGone ? lists.whole(sameTickMs, request) : lists.recent(sameTickMs, request);
    const list = await reading.catch((error: unknown) => {
      // A key may be allowed to read its clusters but not to list them.
      if (!(error instanceof ApiError && error.status === 403)) throw error;
    });
    let record = list && memberOf(list, operation.id);
    if (!record) {
      if (untilGone && list?.extent === "whole") return {};
      const found = await this.#lookUp(options);
      if (!found.record || found.isGone) return found;
      record = found.record;
    }
    const observation = await this.#complete(options, record);
    const { kind } = conditionOf({ ...observation, record });
    const isConfirmed = kind === "ready" && (observation.status !== undefined || operation.kind === "create");
    if (kind === "pending" || isConfirmed) return observation;
    const found = await this.#lookUp(options, {});
    return found.record && !found.isGone ? this.#complete(options, found.record) : found;
  }

  /** Adds `/status` to an observation of the list at the end of a wait: the error names what is wrong with the replicas. */
  async #addReasons(operation: Operation): Promise<void> {
    const { record, status: known } = operation.observed;
    if (!record || known) return;
    try {
      const status = await findStatus(this.sources.client, operation, { attempts: 1 });
      if (status) operation.observe({ record, status });
    } catch (error) {
      // The error names the word of the record then.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  async #complete({ operation, conditionOf }: WaitOptions, record: ClusterRecord): Promise<Observation> {
    if (conditionOf({ record }).kind !== "unknown") return { record };
    const { client } = this.sources;
    const isFailed = stateOf(record.status) === "failed";
    const read = isFailed ? findStatus(client, operation) : this.#statusOf(operation, {});
    const status = await read.catch((error: unknown) => {
      // `/status` of a failed cluster only adds the reasons: if it cannot be read, the record's status word decides.
      if (isFailed && error instanceof RequestError) return statusOfWord(record.status);
      throw error;
    });
    return { record, status: status ?? noReplicas(client) };
  }

  /** The other requests wait until the first one shows whether the service has `/status` at all. */
  async #statusOf(operation: Operation, priority: PollOptions): Promise<StatusRecord | undefined> {
    const { client } = this.sources;
    if (this.#firstStatus !== undefined && client.capabilities.hasStatus === undefined) await this.#firstStatus;
    // The next poll is the retry.
    const status = findStatus(client, operation, { ...priority, attempts: 1 });
    this.#firstStatus ??= status.catch(() => undefined);
    return status;
  }

  #lookUp(
    { operation, untilGone: wasDeleted }: WaitOptions,
    priority: PollOptions = pollPriority,
  ): Promise<Observation> {
    const options = { ...operation.lookupOptions(), ...priority, wasDeleted, attempts: 1, listAgeMs: sameTickMs };
    return lookUp(this.sources, operation.id, options);
  }

  #intervalMs(): number {
    const youngestMs = Math.min(...[...this.#waits.values()].map((report) => report.waitedMs()));
    return pollIntervalMs({ youngestMs, count: this.#waits.size, rateLimit: this.sources.client.rateLimiter.view() });
  }
}

/** The health if `/status` answers 404: there are no replicas, unless the service may have no `/status` at all. */
function noReplicas({ capabilities }: Client): StatusRecord {
  return capabilities.hasStatus ? { replicas: [] } : { replicas: [], isMissing: true };
}

// Measured as the intervals are.
const shareOfAge = 0.08;
const shareOfLongAge = usualPollIntervalMs / longWaitMs;

export interface Waits {
  readonly youngestMs: number;
  readonly count: number;
  readonly rateLimit: ReturnType<Client["rateLimiter"]["view"]>;
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
  const earlyMs = Math.min(usualPollIntervalMs, youngestMs * shareOfAge);
  const wantedMs = Math.max(minPollIntervalMs, earlyMs, youngestMs * shareOfLongAge);
  return Math.min(maxPollIntervalMs, Math.max(wantedMs, affordableMs));
}

const maxStates = 5;
const maxSummaryLength = 160;
const maxProblemLength = 210;

/** Reports what one wait observes: progress, one warning of a stall, and at its end what the cluster reached when. */
export class WaitReport {
  readonly #startMs: number;
  /** How often each summary was observed, in the order of their first appearance. */
  readonly #counts = new Map<string, number>();
  /** What the cluster has reached, each with the time since the beginning of the operation: `accepted 2s`. */
  readonly #milestones: string[] = [];
  /** The first healthy replica counts only if this wait has observed the cluster without one. */
  #firstHealthy: "not observed" | "awaited" | "over" = "not observed";
  #summary = "";
  #observed = "";
  #changedAtMs: number;
  #progress = { text: "", atMs: 0 };
  #hasWarned = false;
  /** The last poll that failed; `error` is absent if a later one has succeeded. */
  #failure: { readonly text: string; readonly error?: unknown } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly operation: Operation,
    private readonly heartbeatMs: number,
  ) {
    this.#startMs = clock.now();
    this.#changedAtMs = this.#startMs;
  }

  waitedMs(): number {
    return this.clock.now() - this.#startMs;
  }

  reached(what: string): void {
    this.#milestones.push(`${what} ${duration(this.operation.elapsedMs())}`);
  }

  healthy(count: string): void {
    this.reached(count);
    this.#firstHealthy = "over";
  }

  ready(): void {
    const times = this.#milestones.length > 0 ? `: ${this.#milestones.join(", ")}` : "";
    this.operation.show(`ready after ${duration(this.operation.elapsedMs())}${times}`);
  }

  observed(summary: string, { record, status }: Observation): void {
    if (this.#failure) this.#failure = { text: this.#failure.text };
    // One flag for all replicas shows no first one.
    if (status && status.overall === undefined && this.#firstHealthy !== "over") {
      const hasHealthy = countHealthy(status, 1) > 0;
      if (hasHealthy && this.#firstHealthy === "awaited") this.reached("first healthy");
      this.#firstHealthy = hasHealthy ? "over" : "awaited";
    }
    this.#summary = summary;
    this.#counts.set(summary, (this.#counts.get(summary) ?? 0) + 1);
    const observed = [summary, ...unhealthyReasons(status)].join("\n");
    if (observed !== this.#observed) this.#changedAtMs = this.clock.now();
    this.#observed = observed;
    this.#show(summary, stateOf(record?.status) === "pending");
  }

  /** A failed poll says nothing about the cluster. */
  failed(error: unknown): void {
    const text = cut(briefOf(error), maxProblemLength);
    this.#failure = { text, error };
    this.#show(`cannot poll: ${text}`, false);
  }

  /** Warns once if nothing changes. While the cluster is pending, only after half of the time limit without change. */
  #show(text: string, isPending: boolean): void {
    const { operation } = this;
    const nowMs = this.clock.now();
    if (text !== this.#progress.text || nowMs - this.#progress.atMs >= this.heartbeatMs) {
      operation.progress(text);
      this.#progress = { text, atMs: nowMs };
    }
    const unchangedMs = nowMs - this.#changedAtMs;
    const limitMs = isPending ? Math.max(stallMs, (operation.deadlineMs - this.#startMs) / 2) : stallMs;
    if (this.#hasWarned || unchangedMs < limitMs) return;
    this.#hasWarned = true;
    operation.warn(
      `nothing has changed for ${duration(unchangedMs)}: ${cut(text, maxSummaryLength)}. The wait continues for ` +
        `${duration(operation.leftMs())}. Check the cluster in the service. To stop the wait, press Ctrl-C; the next ` +
        "`pulumi up` continues it",
    );
  }

  /** The error of a condition that ends the wait. That nothing is recognized is no verdict: it does not cause a rollback. */
  ended({
    summary,
    reasons = [],
    unrecognized,
  }: Pick<Condition, "summary" | "reasons" | "unrecognized">): GpuClusterError {
    const explanations = [...this.#details(), ...reasons];
    if (unrecognized === undefined) return new ClusterFailedError(summary, { explanations });
    const ways = "`readinessProbe` lets its endpoint decide, `skipAwait` skips the wait";
    const message = `the service shows ${unrecognized}, and nothing changes. ${doctorAdvice}; ${ways}`;
    return new GpuClusterError(message, { explanations });
  }

  disappeared(): GpuClusterError {
    return this.ended({ summary: "it disappeared from the service during the wait" });
  }

  /** The error at the time limit. A failed last poll is its cause: then the state of the cluster is not known. */
  timeout(expectation?: string): TimeoutError {
    const explanations = [...this.#details(), ...unhealthyReasons(this.operation.observed.status)];
    const last = [cut(this.#summary, maxSummaryLength), expectation].filter(Boolean).join("; ");
    return this.operation.timeout(last && `: ${last}`, { explanations, cause: this.#failure?.error });
  }

  #details(): string[] {
    const states = [...this.#counts].slice(-maxStates).map(([summary, count]) => {
      const state = cut(summary, maxSummaryLength);
      return count > 1 ? `${state} (${count} times)` : state;
    });
    const details: string[] = [];
    // A cluster that exists was accepted: that alone says nothing about a failure.
    if (this.#milestones.length > 1) details.push(`reached: ${this.#milestones.join(", ")}`);
    if (states.length > 1) details.push(`seen: ${states.join(", then ")}`);
    if (this.#failure) details.push(`the last poll that failed: ${this.#failure.text}`);
    return details;
  }
}
