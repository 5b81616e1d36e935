import type { ClusterRecord } from "../../api/decode/records";
import { type Learned, learnObserved, unverified } from "../diff/drift";
import { createdNames, textNames } from "../schema/fields";
import { pick } from "../schema/state";
import type { CheckedInputs, ClusterState } from "../schema/stateFields";

/** The form in which the service shows the inputs of a new cluster, and the inputs that it does not show. */
export interface LearnedInputs extends Learned {
  readonly unverifiedInputs: readonly string[];
  /** Whether clusters with the same inputs are shown in the same form. */
  readonly isTypical?: boolean;
}

export function learnedOf(inputs: CheckedInputs, record: ClusterRecord, before: Partial<ClusterState>): LearnedInputs {
  return { ...learnObserved(inputs, record, before), unverifiedInputs: unverified(inputs, record) };
}

/**
 * The forms of new clusters, each for all clusters with the same inputs: a list shows less of a cluster than the cluster
 * itself, but to read each one by its id would take as many requests as to create them.
 */
export class LearnedByKind {
  readonly #firsts = new Map<string, Promise<LearnedInputs | undefined>>();

  /** @param read Reads this cluster by its id. It is called for the first cluster of its kind, and if that one is not typical. */
  async of(inputs: CheckedInputs, read: () => Promise<LearnedInputs>): Promise<LearnedInputs> {
    const kind = kindOf(inputs);
    const first = this.#firsts.get(kind);
    if (first !== undefined) {
      const form = await first;
      return form?.isTypical ? form : read();
    }
    const own = read();
    this.#firsts.set(
      kind,
      own.catch(() => undefined),
    );
    return own;
  }
}

/** The inputs without those in which clusters of a fleet differ: name, number of replicas, and the values of env. */
function kindOf(inputs: CheckedInputs): string {
  const { env = {}, desiredStatus, skipAwait } = inputs;
  const shared = createdNames.filter((name) => name !== "name" && name !== "replicas" && name !== "env");
  return JSON.stringify([pick(inputs, shared), Object.keys(env).sort(), desiredStatus, skipAwait]);
}

/** Whether a record shows nothing that the service has chosen for this one cluster, beyond what is `known` without a read. */
export function isTypical(record: ClusterRecord, inputs: CheckedInputs, known: Partial<ClusterRecord>): boolean {
  const isAsRequested = (["name", "replicas"] as const).every(
    (name) => (record[name] ?? inputs[name]) === inputs[name],
  );
  const isKnown = (["status", "endpoint", "createdAt"] as const).every((name) => !record[name] || known[name]);
  return (
    isAsRequested && isKnown && !textNames.some((name) => record[name] !== undefined && inputs[name] === undefined)
  );
}
