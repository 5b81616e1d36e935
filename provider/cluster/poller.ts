import type { Client } from "../api/client";
import { statusIn } from "../api/read/detail";
import { stateOf } from "../api/read/states";
import type { ClusterRecord, StatusRecord } from "../api/records";
import { cut } from "../api/text";
import { type Clock, duration } from "../clock";
import { ApiError, isUnauthorized, messageOf, RequestError, type TimeoutError } from "../errors";
import { type Observation, type PollHistory, unhealthyReasons, type Verdict } from "./conditions";
import { type ListCache, memberOf } from "./listCache";
import { findCluster, findStatus } from "./lookup";
import type { Operation } from "./operation";
import { pollIntervalMs, shortestIntervalMs } from "./pollInterval";

export interface PollOptions {
  /** Whose cluster, until when; it is shown every look, and told when what is seen changes. */
  readonly operation: Operation;
  readonly judge: (look: Observation, past: PollHistory) => Verdict;
  /** True once the service has agreed to delete the cluster: then one that no complete list shows any more is gone. */
  readonly isDeleted?: boolean;
}

/** How a wait ended, and what was seen on the way, one line each. */
export type FinalVerdict = Exclude<Verdict, { kind: "pending" | "confirm" }> & { readonly story: readonly string[] };

/** Between two looks of one cluster that has contradicted itself. */
const contradictionPauseMs = 2_000;
/** Who waits alone is looked at by itself, so that people see the replicas come up; many share the list. */
const fewWaiting = 1;
/** The replicas of a new cluster whose word says that it is not ready yet are looked at again after a tenth of the wait. */
const statusAge = { share: 0.1, mostMs: 5_000 };
/** A look at such a one, on average of a long wait. */
const requestsOfCreation = 1.25;
/** A key that is refused once may be a hiccup of the service; three times in a row it is not. */
const refusalsToEnd = 3;

/**
 * Looks at clusters until somebody's judge is satisfied. It loops and reports; it never judges. All waits look at the same
 * moments, so that one list serves them all.
 */
export class Poller {
  readonly #waits = new Map<WaitReport, PollOptions>();
  readonly #statuses = new WeakMap<Operation, { readonly status: StatusRecord | undefined; readonly atMs: number }>();
  #fastestMs: number | undefined;
  /** The next moment at which all of them look. */
  #tickMs = 0;

  constructor(
    readonly client: Client,
    readonly lists: ListCache,
    private readonly clock: Clock,
    private readonly heartbeatMs: number,
  ) {}

  /** Rejects with a TimeoutError at the deadline, with the signal's reason when it aborts, and when the key is refused. */
  async poll(options: PollOptions): Promise<FinalVerdict> {
    const journal = new WaitReport(this.clock, options.operation, this.heartbeatMs);
    this.#waits.set(journal, options);
    // Who has just begun need not wait for the pace of the others; what comes soon anyway is not reckoned out for each.
    if (this.#pauseMs() > shortestIntervalMs) this.#tickMs = Math.min(this.#tickMs, this.clock.now() + this.#paceMs());
    try {
      const verdict = await this.#loop(options, journal);
      const waitedMs = journal.waitedMs();
      if (verdict.kind === "ready" && options.operation.isCreation)
        this.#fastestMs = Math.min(waitedMs, this.#fastestMs ?? waitedMs);
      return verdict;
    } finally {
      this.#waits.delete(journal);
    }
  }

  /** Many share one list; who waits alone is looked at in detail. */
  get #isShared(): boolean {
    return this.#waits.size > fewWaiting;
  }

  /** Until the next moment at which all look. */
  #pauseMs(): number {
    const nowMs = this.clock.now();
    if (this.#tickMs <= nowMs) this.#tickMs = nowMs + this.#paceMs();
    return this.#tickMs - nowMs;
  }

  #paceMs(): number {
    const ages = [...this.#waits.keys()].map((journal) => journal.waitedMs());
    const waits = [...this.#waits.values()];
    const unconfirmed = waits.filter(({ operation, isDeleted }) => operation.readsStatus && !isDeleted);
    const alone = waits.every(({ operation }) => operation.isCreation) ? requestsOfCreation : 2;
    return pollIntervalMs({
      youngestMs: Math.min(...ages),
      oldestMs: Math.max(...ages),
      fastestMs: this.#fastestMs,
      requests: this.#isShared ? 1 : alone,
      confirmations: unconfirmed.length,
      areDeletions: this.#isShared && waits.every(({ isDeleted = false }) => isDeleted),
      budget: this.client.budget.view(),
    });
  }

  async #loop(options: PollOptions, journal: WaitReport): Promise<FinalVerdict> {
    const { operation } = options;
    let past: PollHistory = { seen: false, misses: 0, healthyLooks: 0, contradicted: false, waitedMs: 0 };
    for (let refusals = 0; ; ) {
      const pause = Math.max(this.#pauseMs(), past.contradicted ? contradictionPauseMs : 0);
      await operation.pause(pause);
      past = { ...past, waitedMs: journal.waitedMs() };
      try {
        const { look, verdict, next } = await this.#lookOnce(options, past);
        refusals = 0;
        past = next;
        operation.observe(look);
        if (verdict.kind !== "pending" && verdict.kind !== "confirm") return { ...verdict, story: journal.story() };
        journal.saw(verdict.summary, look);
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        refusals = isUnauthorized(error) ? refusals + 1 : 0;
        if (refusals >= refusalsToEnd) throw error;
        journal.failed(messageOf(error));
      }
      if (operation.leftMs() === 0) throw journal.timeout();
    }
  }

  /** A list may lag behind: an end that it tells, and no `/status` with it, has to show in the cluster itself. */
  async #lookOnce(options: PollOptions, past: PollHistory): Promise<LookResult> {
    const isShared = this.#isShared;
    const result = await this.#lookAt(options, past, isShared ? "shared" : "alone");
    const { kind } = result.verdict;
    // What is new was never ready before.
    const isOld = kind === "ready" && !result.look.status && !options.operation.isCreation;
    const isToldByList = isShared && (kind === "failed" || isOld);
    return isToldByList ? this.#lookAt(options, past, "confirm") : result;
  }

  async #lookAt(options: PollOptions, past: PollHistory, way: Way): Promise<LookResult> {
    const { operation, judge } = options;
    const record = await this.#find(options, past, way);
    operation.observe({ ...operation.observed, record });
    const seen = {
      ...past,
      seen: past.seen || record !== undefined,
      misses: record ? 0 : past.misses + 1,
      steady: steadyIn(record, past),
    };
    if (record && past.misses > 0) this.client.form.showsLate = true;
    // As the operation has seen it: without values of env in it.
    const cleared = operation.observed.record;
    let look: Observation = { record: cleared };
    let verdict = judge(look, seen);
    if (record && (verdict.kind === "confirm" || (verdict.kind === "pending" && way !== "shared"))) {
      look = { record: cleared, status: await this.#statusOf(options, seen, verdict, record) };
      verdict = judge(look, seen);
    }
    const { healthy = false, contradiction = false } = verdict.kind === "pending" ? verdict : {};
    const next = {
      ...seen,
      healthyLooks: healthy ? past.healthyLooks + 1 : 0,
      contradicted: past.contradicted || contradiction,
    };
    return { look, verdict, next };
  }

  async #statusOf(
    { operation }: PollOptions,
    past: PollHistory,
    { kind }: Verdict,
    record: ClusterRecord,
  ): Promise<StatusRecord | undefined> {
    // A record that was read by its id, of a service without `/status`, is all that there is.
    const isAll = record.fields !== undefined && this.client.form.has("status") === false;
    const own = isAll && operation.readsStatus ? statusIn(record) : undefined;
    if (own) return operation.clear(own);
    const nowMs = this.clock.now();
    const last = this.#statuses.get(operation);
    const maxAgeMs = Math.min(past.waitedMs * statusAge.share, statusAge.mostMs);
    if (last && kind === "pending" && operation.isCreation && nowMs - last.atMs < maxAgeMs) return last.status;
    // A cluster that is shown but has no status yet has no replicas yet.
    const isMissing = this.client.form.has("status") ? {} : { isMissing: true as const };
    const none = operation.readsStatus ? { replicas: [], ...isMissing } : undefined;
    const status = (await findStatus(this.client, operation, { attempts: 1 })) ?? none;
    this.#statuses.set(operation, { status, atMs: nowMs });
    return status;
  }

  /** From the shared list, if that is younger than this wait; what the list does not hold is asked for by its id. */
  async #find({ operation, isDeleted }: PollOptions, past: PollHistory, way: Way): Promise<ClusterRecord | undefined> {
    // The next look is the retry.
    const request = { ...operation.look(), attempts: 1, ...(way === "confirm" ? {} : { urgency: "look" as const }) };
    if (way === "shared") {
      try {
        const list = await this.lists.recent(Math.min(sameTickMs, past.waitedMs), request);
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

/** For how long its word has been the same. */
function steadyIn(record: ClusterRecord | undefined, { steady, waitedMs }: PollHistory): PollHistory["steady"] {
  const word = record?.status;
  if (steady && steady.word === word) return { ...steady, looks: steady.looks + 1 };
  return { word, sinceMs: waitedMs, looks: 1 };
}

/** How a cluster is looked at: in the list that all share, by itself, or by itself because the list has told its end. */
type Way = "shared" | "alone" | "confirm";

/** What one look has shown, and what it adds to those before. */
interface LookResult {
  readonly look: Observation;
  readonly verdict: Verdict;
  readonly next: PollHistory;
}

/** Looks of one moment do not all come at once. */
const sameTickMs = 500;

/** What one wait has seen so far: reports changes, and tells the story when it ends. */
class WaitReport {
  readonly #startMs: number;
  readonly #counts = new Map<string, number>();
  #reported: string | undefined;
  /** What was seen last, to see when that changes. */
  #shown = "";
  #changedAtMs: number;
  #isStallSaid = false;
  #reportedAtMs = 0;
  #lastLook: Observation | undefined;
  #problem: string | undefined;

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

  saw(summary: string, look: Observation): void {
    this.#lastLook = look;
    this.#counts.set(summary, (this.#counts.get(summary) ?? 0) + 1);
    this.#report(summary);
    const shown = [summary, ...unhealthyReasons(look.status)].join("\n");
    if (shown !== this.#shown) this.#changedAtMs = this.clock.now();
    this.#shown = shown;
    this.#warnOfStall(summary, stateOf(look.record?.status) === "pending");
  }

  /** A look that failed says nothing about the cluster. */
  failed(problem: string): void {
    this.#problem = problem;
    this.#report(`cannot look: ${problem}`);
    this.#warnOfStall(`cannot look: ${problem}`, false);
  }

  /** Once. A word that says that the cluster is on its way is believed for half of the time that there is. */
  #warnOfStall(summary: string, isOnItsWay: boolean): void {
    const { deadlineMs } = this.operation;
    const sinceMs = this.clock.now() - this.#changedAtMs;
    const limitMs = isOnItsWay ? Math.max(stallMs, (deadlineMs - this.#startMs) / 2) : stallMs;
    if (this.#isStallSaid || sinceMs < limitMs) return;
    this.#isStallSaid = true;
    const left = duration(Math.max(0, deadlineMs - this.clock.now()));
    this.operation.warn(
      `nothing has changed for ${duration(sinceMs)}: ${cut(summary, longestSummary)}. The wait goes on for ${left}. See what the ` +
        "service itself says of the cluster; an interrupt (Ctrl-C) ends the wait, and the next run goes on from there",
    );
  }

  timeout(): TimeoutError {
    return this.operation.timeout("", { facts: [...this.story(), ...unhealthyReasons(this.#lastLook?.status)] });
  }

  /** The states in their order, and the last thing that went wrong with looking. */
  story(): string[] {
    const states = [...this.#counts].slice(-mostStates).map(([summary, count]) => {
      const shown = cut(summary, longestSummary);
      return count > 1 ? `${shown} (${count} times)` : shown;
    });
    return [
      ...(states.length > 0 ? [`seen: ${states.join(", then ")}`] : []),
      ...(this.#problem ? [`the last look that failed: ${this.#problem}`] : []),
    ];
  }

  #report(summary: string): void {
    const nowMs = this.clock.now();
    if (summary === this.#reported && nowMs - this.#reportedAtMs < this.heartbeatMs) return;
    this.operation.progress(summary);
    this.#reported = summary;
    this.#reportedAtMs = nowMs;
  }
}

/** Longer than a cluster usually shows the same while something happens, and short enough to be of use. */
const stallMs = 5 * 60_000;
/** Of the states in the story of a wait. */
const mostStates = 5;
const longestSummary = 260;
