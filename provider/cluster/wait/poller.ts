import type { Client } from "../../api/client";
import type { ClusterRecord, StatusRecord } from "../../api/records";
import { stateOf, statusIn } from "../../api/states";
import { type Clock, duration } from "../../base/clock";
import { ApiError, isUnauthorized, RequestError, type TimeoutError } from "../../base/errors";
import { cut } from "../../base/text";
import { type Observation, unhealthyReasons, type Verdict } from "../compare/health";
import { type ListCache, memberOf } from "../shared/listCache";
import { findCluster, findStatus, noReplicas } from "../shared/lookup";
import type { Operation } from "../shared/operation";
import type { End, FinalVerdict, PollOptions, Polls, Report } from "../shared/service";
import { pollPauseMs, sameTickMs, shortestIntervalMs } from "./pollInterval";

/** The polls of a wait so far. */
interface PollHistory {
  /** Whether any poll has found the cluster. */
  readonly seen: boolean;
  /** Consecutive polls that did not find it. */
  readonly misses: number;
  /** The consecutive polls that said the same as the last one, and when the first of them was. */
  readonly same: { readonly said: string; readonly polls: number; readonly sinceMs: number };
  /** Whether a poll showed a contradiction: a running cluster whose replicas are not healthy. */
  readonly contradicted: boolean;
  readonly waitedMs: number;
}

/** A new cluster is gone only after this time and this many polls: reads of the service may lag behind its writes. */
const missing = { creationMs: 30_000, creationPolls: 5, polls: 3 };

/** The pause between two polls of a cluster that showed a contradiction. */
const contradictionPauseMs = 2_000;
/** A single wait reads its cluster by id, so that users see the replicas come up; more waits share the list. */
const mostDetailed = 1;
/** While a new cluster is pending, its `/status` is read again at this age, as a share of the time waited: for progress only. */
const statusAgeShare = 0.2;
/** Requests of one poll of a pending new cluster, on average of a long wait. */
const requestsOfCreation = 1.25;
/** A service may reject a valid key once by mistake, but not three times in a row. */
const refusalsToEnd = 3;

/**
 * Polls clusters until the judge of each wait is satisfied. The poller loops and reports; it never judges. All waits
 * poll at the same ticks, so that one list serves all of them.
 */
export class Poller implements Polls {
  readonly #waits = new Map<WaitReport, PollOptions>();
  readonly #statuses = new WeakMap<Operation, { readonly status: StatusRecord; readonly atMs: number }>();
  #fastestMs: number | undefined;
  #dueMs: number | undefined;
  /** The next moment at which all waits poll. */
  #tickMs = 0;

  constructor(
    readonly client: Client,
    readonly lists: ListCache,
    private readonly clock: Clock,
    private readonly heartbeatMs: number,
  ) {}

  /**
   * Rejects with a TimeoutError at the deadline, with the signal's reason if it aborts, or with the service's error if
   * it rejects the key repeatedly.
   */
  async poll(options: PollOptions): Promise<FinalVerdict> {
    const report = this.report(options.operation);
    this.#waits.set(report, options);
    // A new wait polls soon: it does not wait for the interval of older waits. If the next tick is near anyway, the
    // interval is not computed for each new wait.
    if (this.#untilTickMs() > shortestIntervalMs)
      this.#tickMs = Math.min(this.#tickMs, this.clock.now() + this.#pauseAfterMs(0));
    try {
      const verdict = await this.#loop(options, report);
      const waitedMs = report.waitedMs();
      if (verdict.kind === "ready" && options.operation.isCreation)
        this.#fastestMs = Math.min(waitedMs, this.#fastestMs ?? waitedMs);
      return verdict;
    } finally {
      this.#waits.delete(report);
    }
  }

  report(operation: Operation): WaitReport {
    return new WaitReport(this.clock, operation, this.heartbeatMs);
  }

  /** Several waits share one list; a single wait reads its cluster by id. */
  get #isShared(): boolean {
    return this.#waits.size > mostDetailed;
  }

  /** Milliseconds until the next moment at which all waits poll. */
  #untilTickMs(): number {
    const nowMs = this.clock.now();
    if (this.#tickMs <= nowMs) this.#tickMs = nowMs + this.#pauseAfterMs(nowMs - this.#tickMs);
    return this.#tickMs - nowMs;
  }

  #pauseAfterMs(sinceMs: number): number {
    const waits = [...this.#waits.values()];
    const unconfirmed = waits.filter(({ isDeleted }) => !isDeleted);
    const alone = waits.every(({ operation }) => operation.isCreation) ? requestsOfCreation : 2;
    return pollPauseMs({
      sinceMs,
      agesMs: [...this.#waits.keys()].map((report) => report.waitedMs()),
      fastestMs: this.#fastestMs,
      dueMs: this.#dueMs,
      requests: this.#isShared ? 1 : alone,
      confirmations: unconfirmed.length,
      areDeletions: this.#isShared && waits.every(({ isDeleted = false }) => isDeleted),
      budget: this.client.budget.view(),
    });
  }

  async #loop(options: PollOptions, report: WaitReport): Promise<FinalVerdict> {
    const { operation } = options;
    const same = { said: "", polls: 0, sinceMs: 0 };
    let past: PollHistory = { seen: false, misses: 0, same, contradicted: false, waitedMs: 0 };
    for (let refusals = 0; ; ) {
      const pause = Math.max(this.#untilTickMs(), past.contradicted ? contradictionPauseMs : 0);
      await operation.pause(pause);
      past = { ...past, waitedMs: report.waitedMs() };
      try {
        const { observation, verdict } = await this.#pollOnce(options, past);
        refusals = 0;
        past = after(past, verdict);
        operation.observe(observation);
        const end = endOf(options, verdict, past);
        if (end) return { ...end, story: report.lines() };
        report.observed(verdict?.summary ?? "the service does not show it yet", observation);
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        refusals = isUnauthorized(error) ? refusals + 1 : 0;
        if (refusals >= refusalsToEnd) throw error;
        report.failed(error);
      }
      if (operation.leftMs() === 0) throw report.timeout();
    }
  }

  /**
   * The shared list may lag behind. A failure, or a ready cluster without `/status`, is confirmed by a read of the
   * cluster itself.
   */
  async #pollOnce(options: PollOptions, past: PollHistory): Promise<PollResult> {
    const isShared = this.#isShared;
    const result = await this.#pollBy(options, past, isShared ? "shared" : "alone");
    const kind = result.verdict?.kind;
    // A stale list cannot show a new cluster as ready: it was never ready before.
    const mayBeStale = kind === "ready" && !result.observation.status && !options.operation.isCreation;
    const needsConfirmation = isShared && (kind === "failed" || mayBeStale);
    return needsConfirmation ? this.#pollBy(options, past, "confirm") : result;
  }

  async #pollBy(options: PollOptions, past: PollHistory, way: Way): Promise<PollResult> {
    const { operation, judge } = options;
    const shown = await this.#find(options, past, way);
    operation.observe({ ...operation.observed, record: shown });
    // The operation's copy, which contains no values of env.
    const { record } = operation.observed;
    if (!shown || !record) return { observation: {}, verdict: undefined };
    if (past.misses > 0) this.client.form.readsLag = true;
    const verdict = judge({ record });
    // At once: the others compute the pause before their next poll while this one reads `/status`.
    if (operation.isCreation && (verdict.kind === "ready" || verdict.kind === "confirm"))
      this.#dueMs = Math.min(past.waitedMs, this.#dueMs ?? past.waitedMs);
    const readsStatus = verdict.kind === "confirm" || (verdict.kind === "pending" && way !== "shared");
    if (!readsStatus) return { observation: { record }, verdict };
    const found = { record, status: await this.#statusOf(options, past, verdict, shown) };
    return { observation: found, verdict: judge(found) };
  }

  async #statusOf(
    { operation }: PollOptions,
    past: PollHistory,
    { kind }: Verdict,
    record: ClusterRecord,
  ): Promise<StatusRecord> {
    // If the service has no `/status`, a record that was read by its id is the only source.
    const isAll = record.fields !== undefined && this.client.form.has("status") === false;
    const own = isAll ? statusIn(record) : undefined;
    if (own) return operation.clear(own);
    const nowMs = this.clock.now();
    const last = this.#statuses.get(operation);
    const maxAgeMs = past.waitedMs * statusAgeShare;
    if (last && kind === "pending" && operation.isCreation && nowMs - last.atMs < maxAgeMs) return last.status;
    const status = (await findStatus(this.client, operation, { attempts: 1 })) ?? noReplicas(this.client);
    this.#statuses.set(operation, { status, atMs: nowMs });
    return status;
  }

  /** Finds the record in the shared list, if that is younger than this wait; otherwise reads the cluster by its id. */
  async #find({ operation, isDeleted }: PollOptions, past: PollHistory, way: Way): Promise<ClusterRecord | undefined> {
    // The next poll is the retry.
    const listAgeMs = Math.min(sameTickMs, past.waitedMs);
    const limits = { ...operation.lookup(), attempts: 1, listAgeMs };
    const request = { ...limits, ...(way === "confirm" ? {} : { urgency: "poll" as const }) };
    if (way === "shared") {
      try {
        const list = await this.lists.recent(listAgeMs, request);
        const listed = memberOf(list, operation.id);
        if (listed || (list.complete && isDeleted)) return listed;
      } catch (error) {
        // A key may be allowed to read its clusters but not to list them.
        if (!(error instanceof ApiError && error.status === 403)) throw error;
      }
    }
    return await findCluster(this, operation.id, request);
  }
}

/** How a poll reads a cluster: from the shared list, by its id, or by its id to confirm a verdict of the list. */
type Way = "shared" | "alone" | "confirm";

/** The result of one poll; without a verdict if the service does not show the cluster. */
interface PollResult {
  readonly observation: Observation;
  readonly verdict: Verdict | undefined;
}

function after(past: PollHistory, verdict: Verdict | undefined): PollHistory {
  const said = JSON.stringify(verdict) ?? "";
  const { same, waitedMs } = past;
  return {
    ...past,
    seen: past.seen || verdict !== undefined,
    misses: verdict ? 0 : past.misses + 1,
    same: said === same.said ? { ...same, polls: same.polls + 1 } : { said, polls: 1, sinceMs: waitedMs },
    contradicted: past.contradicted || (verdict?.kind === "pending" && verdict.contradiction === true),
  };
}

/** The end of the wait, if this poll is the last one. Pure. */
function endOf(
  { isDeleted }: PollOptions,
  verdict: Verdict | undefined,
  { seen, misses, same, contradicted, waitedMs }: PollHistory,
): End | undefined {
  const sameMs = waitedMs - same.sinceMs;
  if (verdict?.kind === "failed") return verdict;
  if (verdict?.kind === "ready") {
    const { holdMs } = verdict;
    const polls = contradicted || holdMs !== undefined ? 2 : 1;
    return same.polls >= polls && sameMs >= (holdMs ?? 0) ? verdict : undefined;
  }
  if (verdict?.kind === "pending" && verdict.unknown !== undefined && sameMs >= stallMs)
    return { kind: "unclear", unknown: verdict.unknown };
  if (verdict) return undefined;
  const isLong = misses >= missing.creationPolls && waitedMs >= missing.creationMs;
  const isGone = isDeleted || (seen ? misses >= missing.polls : isLong);
  return isGone ? { kind: "gone" } : undefined;
}

/** The observations of one wait. Reports changes as progress, and lists the observed states at the end. */
class WaitReport implements Report {
  readonly #startMs: number;
  readonly #counts = new Map<string, number>();
  #reported: string | undefined;
  /** The summary of the last observation. */
  #last: string | undefined;
  /** The last observation as text, to detect changes. */
  #shown = "";
  #changedAtMs: number;
  #isStallSaid = false;
  #reportedAtMs = 0;
  #lastObservation: Observation | undefined;
  #problem: string | undefined;
  /** The error of the last poll, if that has failed. */
  #error: unknown;

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

  observed(summary: string, observation: Observation): void {
    this.#lastObservation = observation;
    this.#error = undefined;
    this.#last = summary;
    this.#counts.set(summary, (this.#counts.get(summary) ?? 0) + 1);
    this.show(summary);
    const shown = [summary, ...unhealthyReasons(observation.status)].join("\n");
    if (shown !== this.#shown) this.#changedAtMs = this.clock.now();
    this.#shown = shown;
    this.#warnOfStall(summary, stateOf(observation.record?.status) === "pending");
  }

  /** A failed poll says nothing about the cluster. */
  failed(error: unknown): void {
    const problem = cut(this.operation.brief(error), longestProblem);
    this.#error = error;
    this.#problem = problem;
    this.show(`cannot poll: ${problem}`);
    this.#warnOfStall(`cannot poll: ${problem}`, false);
  }

  /** Warns once. If the status word is a pending one, the warning waits for half of the time limit without a change. */
  #warnOfStall(summary: string, isPending: boolean): void {
    const { deadlineMs } = this.operation;
    const sinceMs = this.clock.now() - this.#changedAtMs;
    const limitMs = isPending ? Math.max(stallMs, (deadlineMs - this.#startMs) / 2) : stallMs;
    if (this.#isStallSaid || sinceMs < limitMs) return;
    this.#isStallSaid = true;
    const left = duration(Math.max(0, deadlineMs - this.clock.now()));
    this.operation.warn(
      `nothing has changed for ${duration(sinceMs)}: ${cut(summary, longestSummary)}. The wait continues for ${left}. ` +
        "Check the cluster in the service. To stop the wait, press Ctrl-C; the next `pulumi up` continues it",
    );
  }

  /** The error at the time limit. Its cause is the error of the last poll: then the state of the cluster is not known. */
  timeout(wanted?: string): TimeoutError {
    const facts = [...this.lines(), ...unhealthyReasons(this.#lastObservation?.status)];
    const last = [this.#last && cut(this.#last, longestSummary), wanted].filter(Boolean).join("; ");
    return this.operation.timeout(last && `: ${last}`, { facts, cause: this.#error });
  }

  /** The observed states in order if there are several, and the last problem of a poll. */
  lines(): string[] {
    const states = [...this.#counts].slice(-mostStates).map(([summary, count]) => {
      const shown = cut(summary, longestSummary);
      return count > 1 ? `${shown} (${count} times)` : shown;
    });
    return [
      ...(states.length > 1 ? [`seen: ${states.join(", then ")}`] : []),
      ...(this.#problem ? [`the last poll that failed: ${this.#problem}`] : []),
    ];
  }

  /** Reports a summary if it is new, or if the last report is as old as the heartbeat. */
  show(summary: string): void {
    const nowMs = this.clock.now();
    const isRepeated = summary === this.#reported;
    if (isRepeated && nowMs - this.#reportedAtMs < this.heartbeatMs) return;
    this.operation.progress(summary);
    this.#reported = summary;
    this.#reportedAtMs = nowMs;
  }
}

/** Longer than a working cluster usually shows the same state, and short enough that a warning still helps. */
const stallMs = 5 * 60_000;
/** The most states that the report of a wait lists. */
const mostStates = 5;
const longestSummary = 160;
const longestProblem = 210;
