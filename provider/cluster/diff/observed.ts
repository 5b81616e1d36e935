import { countHealthy, isStopped, type Observation, withHealth } from "../health/health";
import { inputFlags, textNames } from "../schema/fields";
import { secretsOfAll } from "../schema/secrets";
import { toPlainJson } from "../schema/state";
import type { CheckedInputs, ClusterState } from "../schema/stateFields";

/** The facts in a state beyond the inputs and one observation. */
export interface StateDetails {
  readonly settled: boolean;
  /** The mark of an operation that did not finish. */
  readonly unfinished?: ClusterState["__unfinished"];
  readonly sent?: ClusterState["__sent"];
  readonly seenBy: string;
  /** Paths of the inputs that a read of the cluster itself does not show. */
  readonly unverifiedInputs?: readonly string[];
  /** The state before: its values stay if this observation shows none. */
  readonly before?: Partial<ClusterState>;
}

/** The state of a cluster: the inputs and the observation. */
export function toState(inputs: CheckedInputs, { record, status }: Observation, facts: StateDetails): ClusterState {
  const { before = {}, settled, seenBy } = facts;
  const unverifiedInputs = facts.unverifiedInputs ?? before.unverifiedInputs;
  // The state of a stopped cluster has no replicas, whatever an earlier observation or the service shows.
  const isDown = isStopped(record ?? {}) || (settled && inputs.desiredStatus === "stopped");
  const known = isDown ? {} : before;
  const shown = isDown || !status ? undefined : withHealth(status, settled && !inputs.skipAwait);
  return toPlainJson({
    ...inputs,
    // The state of an operation that did not finish may hold values of the one before.
    __secrets: settled ? inputs.__secrets : secretsOfAll(inputs, before),
    ...chosenTexts(inputs, record, before),
    status: record?.status ?? status?.status ?? before.status,
    endpoint: record?.endpoint ?? before.endpoint,
    createdAt: record?.createdAt ?? before.createdAt,
    replicaStatuses: shown?.replicas ?? known.replicaStatuses ?? [],
    readyReplicas: shown ? countHealthy(shown, inputs.replicas) : (known.readyReplicas ?? 0),
    settled,
    ...(unverifiedInputs ? { unverifiedInputs: [...unverifiedInputs] } : {}),
    __seenBy: seenBy,
    __observed: before.__observed,
    __createdAt: before.__createdAt,
    __resumedAt: before.__resumedAt,
    __fixed: before.__fixed,
    __unfinished: facts.unfinished,
    __sent: facts.sent,
  });
}

/** The texts that the program leaves to the service, which has chosen them. */
function chosenTexts(inputs: CheckedInputs, record: Observation["record"], before: Partial<ClusterState>) {
  const open = textNames.filter((name) => inputs[name] === undefined && inputFlags[name].effect === "replace");
  return Object.fromEntries(open.map((name) => [name, record?.[name] ?? before[name]]));
}
