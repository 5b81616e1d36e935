import { ClusterFailedError } from "../errors";
import { goalOf, judgeReady, judgeShown, type Observation, type PollHistory, type Verdict } from "./conditions";
import type { CheckedInputs } from "./fields";
import type { Operation } from "./operation";
import { afterRollout, type Rollout } from "./rollout";
import type { Service } from "./service";

/** Waits until a judge is satisfied; what was seen last is in `operation.seen`, also when this fails. */
export async function waitUntil(
  service: Service,
  operation: Operation,
  judge: (look: Observation, past: PollHistory) => Verdict,
): Promise<void> {
  const verdict = await service.poller.poll({ operation, judge });
  const { kind, story } = verdict;
  if (kind === "gone") {
    throw new ClusterFailedError("it disappeared from the service while it was waited for", { facts: story });
  }
  if (kind === "failed") throw new ClusterFailedError(verdict.summary, { facts: [...story, ...verdict.reasons] });
}

/**
 * For who does not wait. Reads may lag behind a creation: what the service does not show yet could be taken for gone later,
 * and nobody would have seen in which form it shows the inputs.
 */
export async function waitUntilShown(service: Service, operation: Operation): Promise<void> {
  if (!operation.observed.record) await waitUntil(service, operation, judgeShown);
  operation.status("accepted; not waited for");
}

/** Waits until the cluster is as healthy as the inputs ask for, and after a roll-out with renewed replicas. */
export async function waitUntilReady(
  service: Service,
  operation: Operation,
  inputs: CheckedInputs,
  rollout?: Rollout,
): Promise<void> {
  if (inputs.skipAwait) return waitUntilShown(service, operation);
  const goal = goalOf(inputs);
  const isReady = (look: Observation, past: PollHistory) => judgeReady(look, past, goal);
  await waitUntil(service, operation, rollout ? afterRollout(isReady, rollout, goal, service.clock) : isReady);
  // The word alone, or a number, shows no replica that is renewed; nor does one that was not there before.
  const { replicas = [], isCounted } = rollout?.before ?? {};
  if (replicas.length > 0 && !isCounted && rollout?.seen === false) operation.warn("no replica was seen to restart");
  operation.status(goal.healthCheck === "list" ? "running" : `${goal.enough}/${goal.replicas} replicas healthy`);
}
