import type { Client } from "../api/client";
import type { ClusterRecord, StatusRecord } from "../api/records";
import type { Clock } from "../clock";
import { ApiError, isNotFound, isUnauthorized, messageOf, RequestError, TimeoutError } from "../errors";
import type { ClusterLists } from "./lists";
import { type Look, type Past, unhealthyReasons, type Verdict } from "./readiness";

export interface WatchOptions {
  readonly id: string;
  readonly judge: (look: Look, past: Past) => Verdict;
  /** The point in time at which the wait ends, met or not. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Called when what is seen changes, and now and then while it does not. */
  readonly report: (summary: string) => void;
  /** Called with every look. */
  readonly onLook?: (look: Look) => void;
}

/** How a wait ended. */
export interface Outcome {
  readonly verdict: Exclude<Verdict, { kind: "pending" | "confirm" }>;
  readonly look: Look;
}

const shortestPauseMs = 1_000;
const longestPauseMs = 10_000;
/** Looks at a tenth of the time waited so far: seldom enough for long waits, never late by more than that share. */
const pauseShare = 0.1;
const contradictionPauseMs = 2_000;
/** While so few wait, each is looked at in detail each time, so that people see the replicas come up. */
const fewWaiting = 3;
/** A key that is refused once may be a hiccup of the service; three times in a row it is not. */
const refusalsToEnd = 3;

/** Looks at clusters until somebody's judge is satisfied. It loops and reports; it never judges. */
export class Watcher {
  #waiting = 0;

  constructor(
    private readonly client: Client,
    private readonly lists: ClusterLists,
    private readonly clock: Clock,
    private readonly heartbeatMs: number,
  ) {}

  /** Rejects with a TimeoutError at the deadline, with the signal's reason when it aborts, and when the key is refused. */
  async watch(options: WatchOptions): Promise<Outcome> {
    this.#waiting += 1;
    try {
      return await this.#loop(options, new Journal(this.clock, options.report, this.heartbeatMs));
    } finally {
      this.#waiting -= 1;
    }
  }

  async #loop(options: WatchOptions, journal: Journal): Promise<Outcome> {
    let past: Past = { seen: false, misses: 0, healthyLooks: 0, contradicted: false, waitedMs: 0 };
    for (let refusals = 0; ; ) {
      await this.#pause(options, past);
      past = { ...past, waitedMs: journal.waitedMs() };
      try {
        const { look, verdict, next } = await this.#lookOnce(options, past);
        refusals = 0;
        past = next;
        options.onLook?.(look);
        if (verdict.kind !== "pending" && verdict.kind !== "confirm") return { verdict, look };
        journal.saw(verdict.summary, look);
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        refusals = isUnauthorized(error) ? refusals + 1 : 0;
        if (refusals >= refusalsToEnd) throw error;
        journal.saw(`cannot look: ${messageOf(error)}`);
      }
      if (this.clock.now() >= options.deadlineMs) throw journal.timeout();
    }
  }

  /** The pause before a look; the last one ends at the deadline. */
  async #pause({ deadlineMs, signal }: WatchOptions, { waitedMs, contradicted }: Past): Promise<void> {
    const shortestMs = contradicted ? contradictionPauseMs : shortestPauseMs;
    const pauseMs = Math.min(longestPauseMs, Math.max(shortestMs, waitedMs * pauseShare));
    await this.clock.sleep(Math.max(0, Math.min(pauseMs, deadlineMs - this.clock.now())), signal);
  }

  async #lookOnce(options: WatchOptions, past: Past): Promise<{ look: Look; verdict: Verdict; next: Past }> {
    const record = await this.#find(options, past.waitedMs);
    const seen = { ...past, seen: past.seen || record !== undefined, misses: record ? 0 : past.misses + 1 };
    let look: Look = { record };
    let verdict = options.judge(look, seen);
    if (record && (verdict.kind === "confirm" || (verdict.kind === "pending" && this.#waiting <= fewWaiting))) {
      look = { record, status: await this.#status(options) };
      verdict = options.judge(look, seen);
    }
    const { healthy = false, contradiction = false } = verdict.kind === "pending" ? verdict : {};
    const next = {
      ...seen,
      healthyLooks: healthy ? past.healthyLooks + 1 : 0,
      contradicted: past.contradicted || contradiction,
    };
    return { look, verdict, next };
  }

  /** From the shared list, if that is younger than this wait; what the list does not hold is asked for by its id. */
  async #find(options: WatchOptions, waitedMs: number): Promise<ClusterRecord | undefined> {
    const request = this.#request(options);
    if (this.#waiting <= fewWaiting) return await absentIfNotFound(this.client.getCluster(options.id, request));
    try {
      const { clusters } = await this.lists.recent(Math.min(shortestPauseMs, waitedMs), request);
      const listed = clusters.find(({ id }) => id === options.id);
      if (listed) return listed;
    } catch (error) {
      // A key may be allowed to read its clusters but not to list them.
      if (!(error instanceof ApiError && error.status === 403)) throw error;
    }
    return await absentIfNotFound(this.client.getCluster(options.id, request));
  }

  async #status(options: WatchOptions): Promise<StatusRecord> {
    // A cluster that is listed but has no status yet has no replicas yet.
    return (
      (await absentIfNotFound(this.client.getClusterStatus(options.id, this.#request(options)))) ?? { replicas: [] }
    );
  }

  /** One attempt each: the next look is the retry. */
  #request({ signal, deadlineMs }: WatchOptions) {
    return { attempts: 1, signal, patienceMs: Math.max(0, deadlineMs - this.clock.now()) };
  }
}

async function absentIfNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** What one wait has seen so far: reports changes, and tells the story when the time is up. */
class Journal {
  readonly #startMs: number;
  readonly #counts = new Map<string, number>();
  #reported: string | undefined;
  #reportedAtMs = 0;
  #lastLook: Look | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly report: (summary: string) => void,
    private readonly heartbeatMs: number,
  ) {
    this.#startMs = clock.now();
  }

  waitedMs(): number {
    return this.clock.now() - this.#startMs;
  }

  saw(summary: string, look?: Look): void {
    this.#lastLook = look ?? this.#lastLook;
    this.#counts.set(summary, (this.#counts.get(summary) ?? 0) + 1);
    const nowMs = this.clock.now();
    if (summary === this.#reported && nowMs - this.#reportedAtMs < this.heartbeatMs) return;
    const elapsed = summary === this.#reported ? ` (for ${duration(this.waitedMs())})` : "";
    this.report(summary + elapsed);
    this.#reported = summary;
    this.#reportedAtMs = nowMs;
  }

  timeout(): TimeoutError {
    const story = [...this.#counts]
      .slice(-6)
      .map(([summary, count]) => (count > 1 ? `${summary} (${count} times)` : summary));
    const reasons = unhealthyReasons(this.#lastLook?.status);
    const seen = story.length > 0 ? `; seen: ${story.join(", then ")}` : "";
    return new TimeoutError([`timed out after ${duration(this.waitedMs())}${seen}`, ...reasons].join("; "));
  }
}

/** `95 s`, `12 min`: for people. */
export function duration(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
