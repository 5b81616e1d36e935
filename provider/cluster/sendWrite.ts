import { busyCode, type ClusterRecord } from "../api/records";
import { isLeaving, stateOf } from "../api/states";
import type { Clock } from "../clock";
import { ApiError, messageOf, RequestError } from "../errors";
import { isIdle } from "./conditions";
import { findCluster, findStatus, type LookupSources } from "./lookup";
import type { Operation } from "./operation";

/** The parts of the service that a change needs. */
export interface Target extends LookupSources {
  readonly clock: Clock;
}

/**
 * Decides whether a change is sent again after the service was read. `retryTable` (api/retry.ts) decides
 * before:
 * - `lost`: the number of requests if an answer is lost and no read shows the effect; 0: nothing is read, because
 *   `retryTable` has sent the request again;
 * - `busy`: the number of requests if the service says "not now" and the cluster does not seem to be changing;
 *   counted anew after a lost answer.
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

/** The result of a change that a read showed. */
interface Done {
  readonly record?: ClusterRecord | undefined;
}

const firstPauseMs = 1_000;
const longestPauseMs = 15_000;

/**
 * Sends a change until the service has accepted it, or until a read shows its effect; as often as `writeTable` says.
 * Returns the answer, or the record that shows the effect.
 * - "Not now" (409, 423, 425) means that nothing was done. While the cluster is changing, or if the error code says so,
 *   the change is sent again until the deadline of the operation.
 * - After a lost answer, the change is sent again only if no read shows its effect.
 */
export async function sendWrite<Answer>(
  target: Target,
  operation: Operation,
  write: Write<Answer>,
): Promise<Answer | ClusterRecord | undefined> {
  const sent = { lost: 0, busy: 0 };
  for (;;) {
    try {
      return await write.send();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const result = error.outcome === "busy" ? "busy" : error.maybeApplied ? "lost" : undefined;
      if (!result) throw error;
      sent[result] += 1;
      if (result === "lost") sent.busy = 0;
      const after = result === "busy" ? afterBusy : afterLoss;
      const done = await after(target, operation, write, { error, sent: sent[result] });
      if (done) return done.record;
    }
  }
}

/** A failed request, and the number of requests of this result so far. */
interface Failure {
  readonly error: RequestError;
  readonly sent: number;
}

/** Pauses as long as the cluster is busy. Returns a result if nothing more has to be sent. */
async function afterBusy(
  target: Target,
  operation: Operation,
  { kind, isDone }: Pick<Write<unknown>, "kind" | "isDone">,
  { error, sent }: Failure,
): Promise<Done | undefined> {
  const record = await findCluster(target, operation.id, operation.lookup());
  if (await isDone(record)) return { record };
  if (!record || isLeaving(record.status)) throw error;
  const isSaid = error instanceof ApiError && busyCode.test(error.code ?? "");
  const mayWait = isSaid || sent < writeTable[kind].busy || (await isChanging(target, operation, record));
  if (!mayWait) throw error;
  operation.status(`waiting: ${busyWith(record)}`);
  await operation.pause(Math.min(longestPauseMs, firstPauseMs * 2 ** (sent - 1)));
  if (operation.leftMs() > 0) return undefined;
  const last = await lastLookup(target, operation, isDone);
  if (last) return last;
  throw operation.timeout(`: ${busyWith(record)} (${messageOf(error)})`, { cause: error });
}

/** The lookup at the deadline. A lookup that fails shows nothing. */
async function lastLookup(
  target: Target,
  operation: Operation,
  isDone: Write<unknown>["isDone"],
): Promise<Done | undefined> {
  try {
    const record = await findCluster(target, operation.id, operation.lookup());
    return (await isDone(record)) ? { record } : undefined;
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}

function busyWith({ status }: ClusterRecord): string {
  return `the service is busy with the cluster: ${status ?? "no state"}`;
}

/** Whether the cluster is changing. If its status word says that it runs, `/status` may still show that its replicas change. */
async function isChanging({ client }: Target, operation: Operation, record: ClusterRecord): Promise<boolean> {
  const state = stateOf(record.status);
  if (state === "pending") return true;
  if (state !== "running" && state !== "unknown") return false;
  if (!operation.readsStatus) return false;
  const status = await findStatus(client, operation);
  if (operation.wasStopped && isIdle(status ?? { replicas: [] })) return false;
  const replicas = status?.replicas ?? [];
  const isPart = replicas.length < (record.replicas ?? 1);
  return isPart || replicas.some(({ healthy }) => !healthy);
}

/** Reads the cluster after a lost answer. Returns a result if the change took effect. */
async function afterLoss(
  target: Target,
  operation: Operation,
  { kind, isDone, tookEffect }: Pick<Write<unknown>, "kind" | "isDone" | "tookEffect">,
  { error, sent }: Failure,
): Promise<Done | undefined> {
  const { lost } = writeTable[kind];
  if (lost === 0) throw error;
  if (tookEffect) {
    if (await tookEffect()) return {};
  } else {
    const record = await findCluster(target, operation.id, { ...operation.lookup(), urgency: "reconcile" });
    if (await isDone(record)) return { record };
  }
  if (sent >= lost || operation.leftMs() === 0) throw error;
  return undefined;
}
