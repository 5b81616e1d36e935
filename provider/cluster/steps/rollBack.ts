import { isDeepStrictEqual } from "node:util";
import type { ClusterRecord } from "../../api/decode/records";
import { isDeleting, stateOf } from "../../api/decode/states";
import { configInputs } from "../../api/endpoints";
import { briefOf, ClusterFailedError, InterruptedError, RequestError, TimeoutError } from "../../base/errors";
import { listOf } from "../../base/text";
import { InitError } from "../../contract";
import { configurationBefore, type Update, updateTo } from "../diff/diff";
import { isDown, isStopped } from "../health/health";
import { costOfReplica, roundCost } from "../schema/gpus";
import { type CheckedInputs, type ClusterState, pick, secretPathsOf } from "../schema/state";
import { find } from "../service/lookup";
import type { Operation } from "../service/operation";
import type { Dependencies } from "../wait/wait";
import { changeCluster } from "./change";
import { type Failure, runSteps } from "./progress";

const configuration = [...configInputs, "readinessProbe"] as const;

/**
 * Restores the old configuration if the new one did not get healthy, by an update from the failed configuration to the old one.
 * The number of replicas changes only after a rollout is healthy, so it is that of before. Nothing is remembered: the next
 * `pulumi up` tries again.
 * @returns The error to end with: the failure itself if nothing is rolled back.
 */
export async function rollBack(
  deps: Dependencies,
  operation: Operation,
  failedUpdate: Update,
  { failure, progress }: Failure,
): Promise<Error> {
  const { inputs, state, effects } = failedUpdate;
  if (operation.kind !== "update" || inputs.onFailedUpdate !== "rollBack" || inputs.skipAwait) return failure;
  // Only the wait for a new configuration shows that it is bad. After an interrupt, nothing more is sent.
  if (!effects.has("rollout") || !progress.rollout || failure.cause instanceof InterruptedError) return failure;
  const obstacle = obstacleTo(failedUpdate, failure);
  if (obstacle) {
    operation.warn(`it is not rolled back, because ${obstacle}`);
    return failure;
  }
  const again = operation.renewed();
  let record: ClusterRecord | undefined;
  try {
    record = await find(deps, again);
  } catch (error) {
    operation.warn(`it is not rolled back, because it could not be read: ${briefOf(error)}`);
  }
  if (!record || isDeleting(record.status) || isStopped(record)) return failure;
  // A refused rollback observes no replicas.
  again.observe({ ...operation.observed, ...again.observed });
  // From the failed configuration to the one that ran before, with its cost for the current number of replicas.
  const current = progress.inputs;
  const __secrets = secretPathsOf(current, state);
  const { settled, __unfinished, ...failed } = { ...state, ...pick(current, configuration), __secrets };
  const cost = costOfReplica(state);
  const hourlyCost = cost === undefined ? undefined : roundCost(cost * current.replicas);
  const before = { ...configurationBefore(failedUpdate), ...pick(state, ["readinessProbe"]) };
  const update = updateTo({ ...current, ...before, hourlyCost, __secrets }, failed, record);
  const names = namesOf(inputs, state);
  operation.info(`it did not get healthy with ${names.tried}: ${names.old} is rolled out again`);
  const what = `was not rolled back to ${names.old} completely`;
  const result = await runSteps({ deps, operation: again, update }, changeCluster, what);
  const errorWith = (end: ClusterState, next: string) =>
    operation.initError(failure.cause, end, `did not get healthy with ${names.tried}`, next);
  if ("failure" in result) {
    const { failure: second, left } = result;
    if (!(second instanceof InitError && left)) {
      operation.warn(`it is not rolled back, because ${second.message}`);
      return failure;
    }
    const { id, state, reasons, cause } = second;
    const first = errorWith(left, `The rollback to ${names.old} failed too`);
    return new InitError(id, state, [...first.reasons, ...reasons], { cause });
  }
  const { readyReplicas, replicas } = result.state;
  const next = `Rolled back: ${readyReplicas}/${replicas} replicas healthy with ${names.old}. The next \`pulumi up\` tries again`;
  return errorWith(result.state, next);
}

function obstacleTo({ state, record }: Update, { cause }: Error): string | undefined {
  // Only a healthy service shows that the configuration is at fault.
  const isUnread = !(cause instanceof ClusterFailedError || cause instanceof TimeoutError);
  if (isUnread || cause.cause instanceof RequestError) return "the cluster could not be read";
  if (state.settled !== true || state.__unfinished !== undefined) return "it was not ready before";
  if (isDown(record, state) || stateOf(record.status) === "failed") return "it did not run before";
  // A service may not show the image of a cluster that was imported.
  return state.container === undefined ? "its old `container` is not known" : undefined;
}

/** The names of the two configurations in messages: their images, or the names of the other inputs. */
function namesOf(inputs: CheckedInputs, state: ClusterState): { readonly tried: string; readonly old: string } {
  const { container: tried = "" } = inputs;
  const { container: old = "" } = state;
  if (tried !== old) return { tried, old };
  const others = configuration.filter((name) => !isDeepStrictEqual(inputs[name] ?? {}, state[name] ?? {}));
  const names = listOf(others.map((name) => `\`${name}\``));
  return { tried: `the new ${names}`, old: `the old ${names}` };
}
