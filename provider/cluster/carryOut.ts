import { NotInPlaceError } from "../errors";
import { applyChange, type Change, type Sent } from "./change";
import { unverified, withCount } from "./drift";
import { find } from "./lookup";
import type { Operation } from "./operation";
import { keep, partialState, reached } from "./partialState";
import { replicasNow } from "./replicas";
import type { Service } from "./service";
import { toPlainJson, toState } from "./state";
import type { CheckedInputs, ClusterState } from "./stateFields";

/** A change, its progress, and the inputs for the state. */
export interface Attempt {
  readonly change: Change;
  readonly sent: Sent;
  readonly inputs: CheckedInputs;
}

/** Makes a change and returns the state at its end. A failure keeps the id and the partial state. */
export function carryOut(
  service: Service,
  operation: Operation,
  { change, sent, inputs }: Attempt,
  what: string,
): Promise<ClusterState> {
  const { state } = change;
  return keep(
    service,
    operation,
    what,
    (error) => {
      if (operation.isUpdate && error instanceof NotInPlaceError && !sent.isMoved) return undefined;
      const soFar = partialState(change, sent);
      return { ...soFar, running: asApplied(soFar.running, change, inputs) };
    },
    async () => {
      await applyChange(service, operation, change, sent);
      const { seenBy } = service;
      if (sent.isPostponed) {
        const names = [...(state.__sent ?? []), ...(sent.isStored ? [] : Object.keys(state.env ?? {}))];
        const left = { unfinished: "rollout" as const, sent: [...new Set(names)] };
        const facts = { settled: true, ...left, seenBy, before: state };
        const shown = await find(service, operation);
        const unverifiedInputs = shown && unverified(inputs, shown, state.__echo);
        return toState(inputs, operation.observed, { ...facts, unverifiedInputs });
      }
      const own = withObserved(inputs, change, operation);
      // Without a roll-out, the env that the service shows may contain earlier drift: it is not learned as the observed form.
      const isLearned = change.needsRollout || state.__unfinished !== undefined || state.__echo === undefined;
      if (isLearned)
        return toPlainJson({ ...(await reached(service, operation, change.inputs, state)), ...ownOf(own) });
      return toState(own, operation.observed, { settled: true, seenBy, before: state });
    },
  );
}

/** The inputs with the number of replicas within their range that was observed last. */
function withObserved(inputs: CheckedInputs, change: Change, { observed }: Operation): CheckedInputs {
  const isOpen = inputs.__replicaRange !== undefined && inputs.desiredStatus !== "stopped";
  return isOpen ? withCount(inputs, replicasNow(change.inputs, observed.record?.replicas)) : inputs;
}

/** The inputs that a change may send with other values than the program has: it keeps what others have changed. */
const kept = ["replicas", "container", "env"] as const;

/** Puts the program's values in place of those that a change has kept from others: that drift is for a refresh to show. */
function asApplied(running: CheckedInputs, { inputs: sent }: Change, inputs: CheckedInputs): CheckedInputs {
  const names = kept.filter((name) => running[name] === sent[name]);
  return { ...running, ...Object.fromEntries(names.map((name) => [name, inputs[name]])) };
}

/** The same inputs with the values of the program, for the state. */
function ownOf(inputs: CheckedInputs): Partial<ClusterState> {
  const names = ([...kept, "hourlyCost"] as const).filter((name) => inputs[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, inputs[name]]));
}
