import { countHealthy, isStopped, type Observation, withHealth } from "../health/health";
import { secretPathsOf } from "../schema/secrets";
import { type CheckedInputs, type ClusterState, toPlainJson } from "../schema/state";

export interface StateDetails {
  readonly settled: boolean;
  readonly unfinished?: ClusterState["__unfinished"];
  readonly seenBy: string;
  readonly unverifiedInputs?: readonly string[];
  /** The state before, whose values stay if this observation has none. */
  readonly before?: Partial<ClusterState>;
}

export function toState(inputs: CheckedInputs, { record, status }: Observation, details: StateDetails): ClusterState {
  const { before = {}, settled, seenBy } = details;
  // The state of a stopped cluster has no replicas, even if an observation has some.
  const isDown = isStopped(record ?? {}) || (settled && inputs.desiredStatus === "stopped");
  const known = isDown ? {} : before;
  const observed = isDown || !status ? undefined : withHealth(status, settled && !inputs.skipAwait);
  return toPlainJson({
    ...inputs,
    // The state of an unfinished operation can hold values of the state before.
    __secrets: settled ? inputs.__secrets : secretPathsOf(inputs, before),
    status: record?.status ?? status?.status ?? before.status,
    endpoint: record?.endpoint ?? before.endpoint,
    createdAt: record?.createdAt ?? before.createdAt,
    replicaStatuses: observed?.replicas ?? known.replicaStatuses ?? [],
    readyReplicas: observed ? countHealthy(observed, inputs.replicas) : (known.readyReplicas ?? 0),
    settled,
    unverifiedInputs: details.unverifiedInputs ?? before.unverifiedInputs,
    __seenBy: seenBy,
    __observed: before.__observed,
    __createdAt: before.__createdAt,
    __resumedAt: before.__resumedAt,
    __fixed: before.__fixed,
    __unfinished: details.unfinished,
  });
}
