import type { ClusterRecord } from "../../api/decode/records";
import type { ObservedDifferences } from "../diff/drift";
import { createdNames, textNames } from "../schema/fields";
import { type CheckedInputs, pick } from "../schema/state";

/** How the service shows the inputs of a new cluster, and which inputs it does not show. */
export interface LearnedInputs extends ObservedDifferences {
  readonly unverifiedInputs: readonly string[];
  /** Whether the service shows other clusters with the same inputs in the same way. */
  readonly isTypical?: boolean;
}

/**
 * What is learned from one new cluster serves all with the same inputs: a list shows less than a read by id, but reading each
 * cluster by id takes as many requests as creating it.
 */
export class LearnedByKind {
  readonly #firsts = new Map<string, Promise<LearnedInputs | undefined>>();

  /** @param read Reads this cluster by its id. Called for the first cluster of its kind, or if that one is not typical. */
  async of(inputs: CheckedInputs, read: () => Promise<LearnedInputs>): Promise<LearnedInputs> {
    const kind = kindOf(inputs);
    const first = this.#firsts.get(kind);
    if (first === undefined) {
      const learned = read();
      this.#firsts.set(
        kind,
        learned.catch(() => undefined),
      );
      return learned;
    }
    const learned = await first;
    return learned?.isTypical ? learned : read();
  }
}

/** The inputs except those in which the clusters of a fleet differ: name, number of replicas, and the values of env. */
function kindOf(inputs: CheckedInputs): string {
  const { env = {}, desiredStatus, skipAwait } = inputs;
  const compared = createdNames.filter((name) => name !== "name" && name !== "replicas" && name !== "env");
  return JSON.stringify([pick(inputs, compared), Object.keys(env).sort(), desiredStatus, skipAwait]);
}

/** Whether a record shows nothing that the service chose for this one cluster, beyond what is `known` without a read. */
export function isTypical(record: ClusterRecord, inputs: CheckedInputs, known: Partial<ClusterRecord>): boolean {
  const { name = inputs.name, replicas = inputs.replicas } = record;
  if (name !== inputs.name || replicas !== inputs.replicas) return false;
  const isKnown = (["status", "endpoint", "createdAt"] as const).every((output) => !record[output] || known[output]);
  return isKnown && textNames.every((input) => record[input] === undefined || inputs[input] !== undefined);
}
