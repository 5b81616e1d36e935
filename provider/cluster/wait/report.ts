import { stateOf } from "../../api/decode/states";
import { type Clock, duration } from "../../base/clock";
import { briefOf, ClusterFailedError, doctorAdvice, GpuClusterError, type TimeoutError } from "../../base/errors";
import { cut } from "../../base/text";
import { stallMs } from "../../base/times";
import type { Condition } from "../health/health";
import { countHealthy, type Observation, unhealthyReasons } from "../health/health";
import type { Operation } from "../service/operation";

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
    this.#progressed(summary);
    this.#warnOfStall(summary, stateOf(record?.status) === "pending");
  }

  /** A failed poll says nothing about the cluster. */
  failed(error: unknown): void {
    const text = cut(briefOf(error), maxProblemLength);
    this.#failure = { text, error };
    this.#progressed(`cannot poll: ${text}`);
    this.#warnOfStall(`cannot poll: ${text}`, false);
  }

  ended({ summary, reasons = [] }: Pick<Condition, "summary" | "reasons">): ClusterFailedError {
    return new ClusterFailedError(summary, { explanations: [...this.#details(), ...reasons] });
  }

  disappeared(): ClusterFailedError {
    return this.ended({ summary: "it disappeared from the service during the wait" });
  }

  /** The error if nothing that the service shows is recognized. That is no verdict: it does not cause a rollback. */
  unclear(unrecognized: string): GpuClusterError {
    const ways = "`readinessProbe` lets its endpoint decide, `skipAwait` skips the wait";
    const message = `the service shows ${unrecognized}, and nothing changes. ${doctorAdvice}; ${ways}`;
    return new GpuClusterError(message, { explanations: this.#details() });
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

  #progressed(text: string): void {
    const atMs = this.clock.now();
    if (text === this.#progress.text && atMs - this.#progress.atMs < this.heartbeatMs) return;
    this.operation.progress(text);
    this.#progress = { text, atMs };
  }

  /** Warns once. While the cluster is pending, only after half of the time limit without change. */
  #warnOfStall(summary: string, isPending: boolean): void {
    const { deadlineMs } = this.operation;
    const unchangedMs = this.clock.now() - this.#changedAtMs;
    const limitMs = isPending ? Math.max(stallMs, (deadlineMs - this.#startMs) / 2) : stallMs;
    if (this.#hasWarned || unchangedMs < limitMs) return;
    this.#hasWarned = true;
    this.operation.warn(
      `nothing has changed for ${duration(unchangedMs)}: ${cut(summary, maxSummaryLength)}. The wait continues for ` +
        `${duration(this.operation.leftMs())}. Check the cluster in the service. To stop the wait, press Ctrl-C; the next ` +
        "`pulumi up` continues it",
    );
  }
}
