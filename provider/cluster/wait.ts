import { ClusterFailedError } from "../errors";
import { goalOf, judgeReady, judgeShown, type Observation, type PollHistory, type Verdict } from "./conditions";
import type { CheckedInputs } from "./fields";
import type { Operation } from "./operation";
import { afterRollout, type Rollout } from "./rollout";
import type { Service } from "./service";

/** Waits until the judge is satisfied. `operation.observed` holds the last observation, also if the wait fails. */
export async function waitUntil(
  service: Service,
  operation: Operation,
  judge: (observation: Observation, past: PollHistory) => Verdict,
): Promise<void> {
  const verdict = await service.poller.poll({ operation, judge });
  const { kind, story } = verdict;
  if (kind === "gone") {
    throw new ClusterFailedError("it disappeared from the service during the wait", { facts: story });
  }
  if (kind === "failed") throw new ClusterFailedError(verdict.summary, { facts: [...story, ...verdict.reasons] });
}

/**
 * For `skipAwait`: waits only until the service shows the cluster. Reads may lag behind a creation. Without this wait,
 * a later read could take the cluster for gone, and the observed form of the inputs would be unknown.
 */
export async function waitUntilShown(service: Service, operation: Operation): Promise<void> {
  if (!operation.observed.record) await waitUntil(service, operation, judgeShown);
  operation.status("accepted; the provider does not wait");
}

/** Waits until the cluster is as healthy as the inputs request; after a roll-out, with renewed replicas. */
export async function waitUntilReady(
  service: Service,
  operation: Operation,
  inputs: CheckedInputs,
  rollout?: Rollout,
): Promise<void> {
  if (inputs.skipAwait) return waitUntilShown(service, operation);
  const goal = goalOf(inputs);
  const isReady = (observation: Observation, past: PollHistory) => judgeReady(observation, past, goal);
  await waitUntil(service, operation, rollout ? afterRollout(isReady, rollout, goal, service.clock) : isReady);
  // Only replicas that were listed before the roll-out can show a restart; a status word or a count cannot.
  const { replicas = [], isCounted } = rollout?.before ?? {};
  if (replicas.length > 0 && !isCounted && rollout?.seen === false)
    operation.warn("no poll showed a replica that restarts");
  operation.status(goal.healthCheck === "list" ? "running" : `${goal.enough}/${goal.replicas} replicas healthy`);
}
