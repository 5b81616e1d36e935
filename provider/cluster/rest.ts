import type { ClusterRecord, StatusRecord } from "../api/records";
import { isSameWord, stateOf } from "../api/states";
import { messageOf, TimeoutError } from "../errors";
import {
  isHealthyFor,
  isIdle,
  isStopped,
  judgeShown,
  type Observation,
  restOf,
  steadyWord,
  type Verdict,
} from "./conditions";
import { findStatus, noReplicas } from "./lookup";
import { defaultTimeoutsMs, type Operation } from "./operation";
import { isAllowed } from "./replicas";
import type { Service } from "./service";

/** Whether a cluster is at rest, even if its status word is unknown. */

/**
 * How long an unknown word and replicas that do not run have to stay the same, before they mean that the cluster has
 * stopped or failed. A cluster that moves to another machine shows the same: its replicas need up to `steadyWord` to
 * terminate, and about as long to start again.
 */
const steadyRest = { ms: 2 * steadyWord.ms, polls: 5 };

/**
 * Whether the cluster is stopped, by its status word. If the word is unknown, a cluster that was stopped before is still
 * stopped while no replica runs; if no replicas can be observed, while its word is the same.
 */
export async function isDown(
  { client }: Service,
  operation: Operation,
  record: ClusterRecord | undefined,
): Promise<boolean> {
  if (!record || isStopped(record)) return record !== undefined;
  if (!operation.wasStopped || stateOf(record.status) !== "unknown") return false;
  const status = await findStatus(client, operation);
  if (status && !status.isMissing) return isIdle(status);
  return record.status === undefined || isSameWord(record.status, operation.before.status);
}

/**
 * Finds out whether a cluster of an unknown status word has stopped or failed, if no stop is known. All polls of
 * `steadyRest` have to show the same; the first other one ends the wait.
 */
export async function findRest(
  service: Service,
  operation: Operation,
  record: ClusterRecord,
): Promise<"stopped" | "failed" | undefined> {
  if (!isInDoubt(operation, record)) return undefined;
  const status = (await findStatus(service.client, operation)) ?? noReplicas(service.client);
  const first = judgeRest(service, operation, record, status);
  // In less time, polls prove nothing.
  if (!first || operation.leftMs() < steadyRest.ms) return undefined;
  const verdict = await watch(service, operation, { record, status });
  if (verdict.kind !== "ready") return undefined;
  if (first === "stopped") operation.foundAtRest();
  return first;
}

/** Polls until the cluster has shown the same for `steadyRest` (`ready`), or shows anything else. */
async function watch(service: Service, operation: Operation, first: Required<Pick<Observation, "record" | "status">>) {
  const summary = `${first.record.status ?? "no state"}, no replica runs`;
  const isSame = ({ record, status }: Observation) =>
    isSameWord(record?.status, first.record.status) &&
    record?.replicas === first.record.replicas &&
    (!status || shapeOf(status) === shapeOf(first.status));
  const judge: Parameters<Service["poller"]["poll"]>[0]["judge"] = (observation, past): Verdict => {
    if (!observation.record) return judgeShown(observation, past);
    if (!isSame(observation)) return { kind: "failed", summary: "it has changed", reasons: [] };
    if (!observation.status) return { kind: "confirm", summary };
    return isHealthyFor(steadyRest, past) ? { kind: "ready" } : { kind: "pending", summary, healthy: true };
  };
  try {
    return await service.poller.poll({ operation, judge });
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    throw operation.error(`was not changed: ${messageOf(error)}`, error);
  }
}

function shapeOf({ status, replicas, overall }: StatusRecord): string {
  return JSON.stringify([status, overall, replicas.map(({ id, status: word, healthy }) => [id, word, healthy])]);
}

/** Whether a poll shows that a cluster of an unknown status word were at rest, which only `findRest` finds out. */
export function mayBeAtRest(service: Service, operation: Operation, { record, status }: Observation): boolean {
  if (!record || !isInDoubt(operation, record)) return false;
  return judgeRest(service, operation, record, status ?? noReplicas(service.client)) !== undefined;
}

function isInDoubt({ wasStopped, readsStatus }: Operation, { status }: ClusterRecord): boolean {
  return stateOf(status) === "unknown" && !wasStopped && readsStatus;
}

/**
 * A cluster without replicas may be starting, or may be scaled to zero. It counts as stopped only if it has been up before,
 * or is older than a creation may take.
 */
function judgeRest(
  { clock }: Service,
  { before, extraFields }: Operation,
  { createdAt = "", replicas }: ClusterRecord,
  status: StatusRecord,
) {
  // Scaled to zero by the service or by somebody: that is drift of the number of replicas.
  if (replicas === 0) return undefined;
  const { __echo, __unfinished, skipAwait } = before;
  const hasBeenUp = __echo !== undefined && __unfinished === undefined && skipAwait !== true;
  const isOld = clock.now() - Date.parse(createdAt) > defaultTimeoutsMs.create && __unfinished !== "redeployed";
  const mayScaleToZero = isAllowed({ extraFields }, 0);
  return restOf(status, (hasBeenUp || isOld) && !mayScaleToZero);
}
