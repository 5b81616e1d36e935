import { stateOf } from "../../api/decode/states";
import { type Clock, duration } from "../../base/clock";
import { briefOf, ClusterFailedError, doctorAdvice, GpuClusterError, type TimeoutError } from "../../base/errors";
import { cut } from "../../base/text";
import type { Condition } from "../health/conditions";
import { type Observation, unhealthyReasons } from "../health/health";
import type { Operation } from "../service/operation";

/** Without a change for this long, a wait warns, or ends if nothing of what it sees is known. */
export const stallMs = 5 * 60_000;

const maxStates = 5;
const maxSummaryLength = 160;
const maxProblemLength = 210;

/** Reports what one wait sees: progress lines, one warning of a stall, and the errors with the states seen on the way. */
export class WaitReport {
  readonly #startMs: number;
  /** How often each summary was seen, in the order of their first appearance. */
  readonly #counts = new Map<string, number>();
  #summary = "";
  #seen = "";
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

  observed(summary: string, { record, status }: Observation): void {
    if (this.#failure) this.#failure = { text: this.#failure.text };
    this.#summary = summary;
    this.#counts.set(summary, (this.#counts.get(summary) ?? 0) + 1);
    const seen = [summary, ...unhealthyReasons(status)].join("\n");
    if (seen !== this.#seen) this.#changedAtMs = this.clock.now();
    this.#seen = seen;
    this.#show(summary);
    this.#warnOfStall(summary, stateOf(record?.status) === "pending");
  }

  /** A failed poll says nothing about the cluster. */
  failed(error: unknown): void {
    const text = cut(briefOf(error), maxProblemLength);
    this.#failure = { text, error };
    this.#show(`cannot poll: ${text}`);
    this.#warnOfStall(`cannot poll: ${text}`, false);
  }

  /** The error of a cluster that has failed, or that the service does not show any more. */
  ended({ summary, reasons = [] }: Pick<Condition, "summary" | "reasons">): ClusterFailedError {
    return new ClusterFailedError(summary, { facts: [...this.#facts(), ...reasons] });
  }

  /** The error if nothing that the service shows is known. It says nothing about the cluster: no update is rolled back for it. */
  unclear(unrecognized: string): GpuClusterError {
    const ways = "with `readinessProbe` its endpoint decides, with `skipAwait` nothing is waited for";
    const text = `the service shows ${unrecognized}, and nothing changes. ${doctorAdvice}; ${ways}`;
    return new GpuClusterError(text, { facts: this.#facts() });
  }

  /** The error at the time limit. Its cause is the error of the last poll: then the state of the cluster is not known. */
  timeout(wanted?: string): TimeoutError {
    const facts = [...this.#facts(), ...unhealthyReasons(this.operation.observed.status)];
    const last = [cut(this.#summary, maxSummaryLength), wanted].filter(Boolean).join("; ");
    return this.operation.timeout(last && `: ${last}`, { facts, cause: this.#failure?.error });
  }

  /** The observed states in order if there are several, and the last poll that failed. */
  #facts(): string[] {
    const states = [...this.#counts].slice(-maxStates).map(([summary, count]) => {
      const text = cut(summary, maxSummaryLength);
      return count > 1 ? `${text} (${count} times)` : text;
    });
    return [
      ...(states.length > 1 ? [`seen: ${states.join(", then ")}`] : []),
      ...(this.#failure ? [`the last poll that failed: ${this.#failure.text}`] : []),
    ];
  }

  /** Shows a text if it is new, or if the last one is as old as the heartbeat. */
  #show(text: string): void {
    const atMs = this.clock.now();
    if (text === this.#progress.text && atMs - this.#progress.atMs < this.heartbeatMs) return;
    this.operation.progress(text);
    this.#progress = { text, atMs };
  }

  /** Warns once. If the status word is a pending one, the warning waits for half of the time limit without a change. */
  #warnOfStall(summary: string, isPending: boolean): void {
    const { deadlineMs } = this.operation;
    const sinceMs = this.clock.now() - this.#changedAtMs;
    const limitMs = isPending ? Math.max(stallMs, (deadlineMs - this.#startMs) / 2) : stallMs;
    if (this.#hasWarned || sinceMs < limitMs) return;
    this.#hasWarned = true;
    this.operation.warn(
      `nothing has changed for ${duration(sinceMs)}: ${cut(summary, maxSummaryLength)}. The wait continues for ` +
        `${duration(this.operation.leftMs())}. Check the cluster in the service. To stop the wait, press Ctrl-C; the next ` +
        "`pulumi up` continues it",
    );
  }
}
