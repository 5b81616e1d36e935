import type { ClusterRecord } from "../../api/records";
import { type Learned, learnForm, unverified } from "../compare/drift";
import { createdNames, textNames } from "../model/fields";
import { pick } from "../model/state";
import type { CheckedInputs, ClusterState } from "../model/stateFields";

/** The form in which the service shows the inputs of a new cluster, and the inputs that it does not show. */
interface Form extends Learned {
  readonly unverifiedInputs: readonly string[];
}

export function formOf(inputs: CheckedInputs, record: ClusterRecord, before: Partial<ClusterState>): Form {
  const learned = learnForm(inputs, record, before);
  return { ...learned, unverifiedInputs: unverified(inputs, record, learned.echo) };
}

/**
 * The forms of new clusters. A list shows less of a cluster than the cluster itself, but each single read takes a request. So
 * the first cluster of each kind is read, and its form is used for all of its kind.
 */
export class Forms {
  /** By kind; `undefined` if that cluster proves nothing about others. */
  readonly #byKind = new Map<string, Promise<Form | undefined>>();

  /** The form of a cluster, or `undefined` if the cluster itself has to be read. `read` reads the first one of its kind. */
  async of(inputs: CheckedInputs, known: Partial<ClusterRecord>, read: () => Promise<ClusterRecord | undefined>) {
    const kind = kindOf(inputs);
    const first = this.#byKind.get(kind);
    if (first !== undefined) return { form: await first };
    const record = read();
    // Set before the first await, because many calls come at once. Only the call that reads gets the error.
    const form = record.then((own) => (own && stands(own, inputs, known) ? formOf(inputs, own, {}) : undefined));
    this.#byKind.set(
      kind,
      form.catch(() => undefined),
    );
    return { record: await record };
  }
}

/** The kind of a cluster: the service has no reason to show clusters of one kind in different forms. */
function kindOf(inputs: CheckedInputs): string {
  const { env = {}, desiredStatus, skipAwait } = inputs;
  const shared = createdNames.filter((name) => name !== "name" && name !== "replicas" && name !== "env");
  return JSON.stringify([pick(inputs, shared), Object.keys(env).sort(), desiredStatus, skipAwait]);
}

/** Whether a record stands for others: what may differ was requested, or is known of every cluster without a read. Pure. */
function stands(record: ClusterRecord, inputs: CheckedInputs, known: Partial<ClusterRecord>): boolean {
  const isAsked = (["name", "replicas"] as const).every((field) => (record[field] ?? inputs[field]) === inputs[field]);
  const isKnown = (["status", "endpoint", "createdAt"] as const).every((field) => !record[field] || known[field]);
  // The service may choose another value for the next cluster.
  return isAsked && isKnown && !textNames.some((field) => record[field] !== undefined && inputs[field] === undefined);
}
