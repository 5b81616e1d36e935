import { isLeaving, stateOf } from "../api/read/states";
import type { ClusterRecord } from "../api/records";
import type { Clock } from "../clock";
import { RequestError } from "../errors";
import { findCluster, type Shelf } from "./find";
import type { Operation } from "./operation";

/** The parts of the service that a change needs. */
export interface Target extends Shelf {
  readonly clock: Clock;
}

const firstPauseMs = 1_000;
const longestPauseMs = 15_000;
/** How often a cluster that is not changing is asked again: its "busy" may be another word for "no". */
const settledAttempts = 5;

/**
 * Sends a change again for as long as the service says "not now" (409, 423, 425), which means that nothing was done: until
 * the operation's deadline while the cluster is changing, a few times while it is not.
 * @param isDone Whether what a look shows is what the change was for; then it is not sent again.
 */
export async function whenFree<T>(
  target: Target,
  operation: Operation,
  send: () => Promise<T>,
  isDone: (record: ClusterRecord) => boolean,
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof RequestError && error.outcome === "busy")) throw error;
      const record = await findCluster(target, operation.id, operation.request());
      if (record && isDone(record)) return undefined;
      if (!record || isLeaving(record.status)) throw error;
      const mayWait = canChange(record) || attempt < settledAttempts;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
      if (!mayWait || target.clock.now() + pauseMs > operation.deadlineMs) throw error;
      operation.status(`waiting, for the service is busy with it: ${record.status ?? "no state"}`);
      await target.clock.sleep(pauseMs, operation.signal);
    }
  }
}

/** A word that is not known may be one for a change. */
function canChange({ status }: ClusterRecord): boolean {
  return ["pending", "unknown"].includes(stateOf(status));
}
