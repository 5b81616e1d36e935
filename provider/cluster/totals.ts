import type { Clock } from "../clock";
import { countHealthy } from "./conditions";
import type { Operation } from "./operation";
import { replicasNow } from "./replicas";
import type { CheckedInputs } from "./stateFields";

/** The replicas that a wait needs. Of a range, the number is that of the service. */
type Asked = Pick<CheckedInputs, "replicas" | "__replicaRange">;

/** The total appears at most this often. */
const shortestPauseMs = 5_000;
/** Up to this many clusters, the total counts replicas; their numbers say little about more clusters. */
const fewClusters = 9;

/**
 * The total of all waits for healthy replicas of a run, on the row of the stack. Output that is not interactive keeps
 * each message as a line, so that a total is never an additional line: it replaces repetitions of unchanged progress.
 */
export class Totals {
  /** The last wait for each cluster, by its id: a roll-back waits for the same cluster again. */
  readonly #waits = new Map<string, { readonly operation: Operation; readonly asked: Asked; isReady: boolean }>();
  #inFlight = 0;
  /** Repetitions that were left out, less the totals that were shown. */
  #credit = 0;
  #shown: string | undefined;
  #shownAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Clock) {}

  /** Counts the cluster of an operation until the work ends; the work resolves once enough replicas are healthy. */
  async during<T>(operation: Operation, asked: Asked, work: () => Promise<T>): Promise<T> {
    const wait = { operation, asked, isReady: false };
    this.#waits.set(operation.id, wait);
    this.#inFlight += 1;
    try {
      const result = await work();
      wait.isReady = true;
      return result;
    } finally {
      this.#inFlight -= 1;
      this.#show(operation);
    }
  }

  /** Whether the total replaces a repetition of this operation: it is counted, and not the only one. */
  replaces(operation: Operation): boolean {
    if (!this.#waits.has(operation.id) || this.#waits.size < 2) return false;
    this.#credit += 1;
    this.#show(operation);
    return true;
  }

  /** The last repetition that was left out pays for the total at the end, which must not stay out of date. */
  #show(operation: Operation): void {
    const isLast = this.#inFlight === 0;
    const nowMs = this.clock.now();
    const isDue = isLast ? this.#shown !== undefined : nowMs - this.#shownAtMs >= shortestPauseMs;
    if (!isDue || this.#credit < (isLast ? 1 : 2)) return;
    const text = this.#text();
    if (text === this.#shown) return;
    operation.statusOfStack(text);
    this.#credit -= 1;
    this.#shown = text;
    this.#shownAtMs = nowMs;
  }

  /** `3/6 replicas healthy`; `37/80 clusters ready` for many clusters, or if replicas of one are not known. */
  #text(): string {
    const waits = [...this.#waits.values()].map(({ operation: { observed }, asked, isReady }) => {
      return { status: observed.status, replicas: replicasNow(asked, observed.record?.replicas), isReady };
    });
    const healthy = waits.map(({ status, replicas, isReady }) => {
      if (status) return countHealthy(status, replicas);
      return isReady ? replicas : undefined;
    });
    const known = healthy.filter((count) => count !== undefined);
    const ready = waits.filter(({ isReady }) => isReady).length;
    if (waits.length > fewClusters || known.length < waits.length) return `${ready}/${waits.length} clusters ready`;
    return `${sum(known)}/${sum(waits.map(({ replicas }) => replicas))} replicas healthy`;
  }
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
