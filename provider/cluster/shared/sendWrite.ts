import { busyCode, type ClusterRecord } from "../../api/records";
import { isLeaving, stateOf } from "../../api/states";
import { ApiError, messageOf, RequestError } from "../../base/errors";
import { findCluster, type LookupSources } from "./lookup";
import type { Operation } from "./operation";

/**
 * Decides whether a change is sent again after the service was read. `retryTable` (api/http/retry.ts) decides before:
 * - `lost`: the number of requests if an answer is lost and no read shows the effect; 0: nothing is read, because
 *   `retryTable` has sent the request again;
 * - `busy`: the number of requests if the service says "not now" without a reason that passes; counted anew after a lost
 *   answer.
 *
 * A creation is not in this table: its cluster has no id yet, so the list of clusters decides (createOnce.ts).
 */
export const writeTable = {
  update: { lost: 3, busy: 5 },
  scale: { lost: 3, busy: 5 },
  stop: { lost: 3, busy: 5 },
  /** A second request does no harm to a stopped cluster. If one action does not start it, another one is tried. */
  start: { lost: 2, busy: 1 },
  /** A second request would restart every replica again. */
  restart: { lost: 1, busy: 5 },
  delete: { lost: 0, busy: 5 },
} as const;

/** One change of a cluster. */
export interface Write<Answer> {
  /** Row of the table that decides how often the request is sent. */
  readonly kind: keyof typeof writeTable;
  readonly send: () => Promise<Answer>;
  /** Whether a read shows the effect, so that nothing more has to be sent; the record is absent if the cluster is gone. */
  readonly isDone: (record: ClusterRecord | undefined) => boolean | Promise<boolean>;
  /** After a lost answer: whether the change took effect, if more than one read of the record shows that. */
  readonly tookEffect?: () => Promise<boolean>;
}

const pausesMs = { first: 1_000, longest: 15_000 };

/**
 * Sends a change until the service has accepted it, or until a read shows its effect; as often as `writeTable` says.
 * Returns the answer, or the record that shows the effect.
 * - "Not now" (409, 423, 425) means that nothing was done. While the cluster is changing, or if the error code says so,
 *   the change is sent again until the deadline of the operation.
 * - After a lost answer, the change is sent again only if no read shows its effect.
 */
export async function sendWrite<Answer>(
  target: LookupSources,
  operation: Operation,
  { kind, send, isDone, tookEffect }: Write<Answer>,
): Promise<Answer | ClusterRecord | undefined> {
  const limit = writeTable[kind];
  const sent = { lost: 0, busy: 0 };
  const read = (urgency?: "reconcile") => findCluster(target, operation.id, { ...operation.lookup(), urgency });
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.outcome === "busy") {
        sent.busy += 1;
        const record = await read();
        if (await isDone(record)) return record;
        const isPassing = isBusy(error) || stateOf(record?.status) === "pending";
        if (!record || isLeaving(record.status) || (!isPassing && sent.busy >= limit.busy)) throw error;
        const what = `the service is busy with the cluster: ${record.status ?? "no state"}`;
        operation.status(`waiting: ${what}`);
        await operation.pause(Math.min(pausesMs.longest, pausesMs.first * 2 ** (sent.busy - 1)));
        if (operation.leftMs() > 0) continue;
        const last = await read().catch(() => record);
        if (await isDone(last)) return last;
        throw operation.timeout(`: ${what} (${messageOf(error)})`, { cause: error });
      }
      if (!error.maybeApplied || limit.lost === 0) throw error;
      sent.lost += 1;
      sent.busy = 0;
      if (tookEffect) {
        if (await tookEffect()) return undefined;
      } else {
        const record = await read("reconcile");
        if (await isDone(record)) return record;
      }
      if (sent.lost >= limit.lost || operation.leftMs() === 0) throw error;
    }
  }
}

/** Whether the code of a refusal says that the cluster is changing, whatever its status word is. */
function isBusy(error: RequestError): boolean {
  return error instanceof ApiError && busyCode.test(error.code ?? "");
}
