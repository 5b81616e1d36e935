import type { ClusterRecord } from "../../api/decode/records";
import { isSameWord, isStopping, stateOf } from "../../api/decode/states";
import { type RedeployBody, type StartAction, startActions } from "../../api/endpoints";
import { ApiError, briefOf, ClusterFailedError, type Outcome, RequestError, TimeoutError } from "../../base/errors";
import { isDown, isIdle, stoppedCondition } from "../health/health";
import type { CheckedInputs } from "../schema/state";
import { find, findStatus } from "../service/lookup";
import type { Operation } from "../service/operation";
import { holdMs } from "../wait/poller";
import { type Service, waitUntilVisible } from "../wait/wait";
import { type Attempt, isTrueWithin, sendWrite } from "./sendWrite";

export async function stop(
  service: Service,
  operation: Operation,
  { skipAwait }: Pick<CheckedInputs, "skipAwait">,
  attempt?: Attempt,
): Promise<void> {
  const isDone = (record: ClusterRecord | undefined) => record !== undefined && isDown(record, operation.before);
  const { record } = operation.observed;
  if (!isDone(record)) {
    operation.status("stopping");
    const send = () => service.client.stopCluster(operation.id, operation.request());
    await sendWrite(service, operation, { kind: "stop", send, isDone, attempt });
  }
  if (skipAwait) return waitUntilVisible(service, operation);
  await waitUntilStopped(service, operation, record?.status);
  operation.status("stopped");
}

function waitUntilStopped(service: Service, operation: Operation, wordBefore: string | undefined): Promise<unknown> {
  const before = { word: wordBefore, state: operation.before };
  return service.poller.wait({ operation, judge: (found) => stoppedCondition(found, before) });
}

interface StartOptions {
  readonly replicas: number;
  /** In the order in which they are tried. */
  readonly actions?: readonly StartAction[];
  readonly redeployBody?: RedeployBody | undefined;
  readonly attempt?: Attempt;
}

/**
 * Starts a stopped cluster. The service has no endpoint for that, so several actions are tried in order. The next one follows a
 * refused one at once, and an accepted one if the cluster stays stopped for `holdMs`, as in every wait.
 */
export async function start(
  service: Service,
  operation: Operation,
  { replicas, actions = startActions, redeployBody, attempt }: StartOptions,
): Promise<StartAction> {
  const { client } = service;
  const { id } = operation;
  const statusBefore = operation.observed.record?.status;
  if (isStopping(statusBefore)) await waitUntilStopped(service, operation, statusBefore);
  const stoppedStatus = operation.observed.record?.status;
  const calls: Record<StartAction, () => Promise<ClusterRecord | undefined>> = {
    restart: () => client.restartCluster(id, operation.request()),
    redeploy: () => client.redeployCluster(id, operation.request(), redeployBody),
    scale: () => client.scaleCluster(id, replicas, operation.request()),
  };
  const tried: string[] = [];
  for (const action of actions) {
    operation.status(`starting, by ${action}`);
    const isDone = () => isStarted(service, operation, stoppedStatus);
    let refusal: string | undefined;
    try {
      await sendWrite(service, operation, { kind: "start", send: calls[action], isDone, attempt });
    } catch (error) {
      refusal = refusalOrThrow(error);
    }
    if (await isTrueWithin(operation, refusal === undefined ? holdMs : 0, isDone)) return action;
    tried.push(`${action}: ${refusal ?? "accepted, but the cluster stays stopped"}`);
    if (operation.leftMs() === 0) throw new TimeoutError("timed out", { explanations: tried });
  }
  throw new ClusterFailedError("it does not start", { explanations: tried });
}

/** The reason why an action did not start the cluster. @throws The error if another action cannot help. */
function refusalOrThrow(error: unknown): string {
  // After a failed read, the cluster may have started: another action could roll out the replicas once more.
  const isWrite = error instanceof RequestError && error.method !== "GET";
  if (isWrite && (isRefusedRequest(error) || error.maybeApplied)) return briefOf(error);
  throw error;
}

/** Whether the cluster is no longer stopped: by its status word or, if that is unknown and unchanged, by its replicas. */
async function isStarted(service: Service, operation: Operation, stoppedStatus: string | undefined): Promise<boolean> {
  const record = await find(service, operation);
  if (!record) return false;
  const state = stateOf(record.status);
  if (state !== "unknown") return state !== "stopped" && !isStopping(record.status);
  if (record.status !== undefined && !isSameWord(record.status, stoppedStatus)) return true;
  const status = await findStatus(service.client, operation);
  return status !== undefined && !status.isMissing && !isIdle(status);
}

const refusals: ReadonlySet<Outcome> = new Set(["refused", "no-capacity", "busy"]);

/** Whether the service refuses this request, and not the key. */
export function isRefusedRequest(error: unknown): error is ApiError {
  return error instanceof ApiError && refusals.has(error.outcome) && error.status !== 401 && error.status !== 403;
}
