import type { ClusterRecord } from "../api/records";
import type { CheckedInputs } from "./fields";

/** What is known of a cluster before its details are looked at. */
type Known = Partial<Pick<ClusterRecord, (typeof outputs)[number]>>;

/** Words of a record that become outputs, and differ from cluster to cluster. */
const outputs = ["status", "endpoint", "createdAt"] as const;
/** Words that were asked for, and may differ from cluster to cluster of a kind. */
const asked = ["name", "replicas"] as const;

type ShownEnv = NonNullable<ClusterRecord["env"]>;
type Env = NonNullable<CheckedInputs["env"]>;

/** A cluster that was looked at, and what was asked for. */
interface Sample {
  readonly inputs: CheckedInputs;
  readonly record: ClusterRecord;
}

/**
 * In which form the service shows the inputs of new clusters. A list shows less of a cluster than the cluster itself, but to
 * read each takes a request each; so the first of a kind is read, and tells it for all of its kind.
 */
export class Details {
  /** By kind; `undefined` where that one tells nothing about others. */
  readonly #samples = new Map<string, Promise<Sample | undefined>>();

  /** The record as the service shows it, or would show it. `find` asks for it, urgently where others wait for the answer. */
  async look(
    inputs: CheckedInputs,
    known: Known,
    find: (urgency?: "reconcile") => Promise<ClusterRecord | undefined>,
  ): Promise<Partial<ClusterRecord> | undefined> {
    const kind = kindOf(inputs);
    const sample = this.#samples.get(kind);
    if (sample === undefined) {
      const found = find("reconcile");
      // Set before anything is waited for: many come at the same moment. The one who looks has the error.
      const taken = found.then((record) => toSample(inputs, record, known)).catch(() => undefined);
      this.#samples.set(kind, taken);
      return found;
    }
    const taken = await sample;
    return taken ? likeness(taken, inputs) : find();
  }
}

/** Clusters that the service has no reason to show in different forms: their values of env may differ, not the names. */
function kindOf({ gpuType, container, env = {}, extraFields, desiredStatus, skipAwait }: CheckedInputs): string {
  return JSON.stringify([gpuType, container, Object.keys(env).sort(), extraFields, desiredStatus, skipAwait]);
}

/** A cluster tells about others if all that is its own was asked for, or is known of each without a look. Pure. */
function toSample(inputs: CheckedInputs, record: ClusterRecord | undefined, known: Known): Sample | undefined {
  if (!record) return undefined;
  const isAsked = asked.every((word) => record[word] === undefined || record[word] === inputs[word]);
  const isKnown = outputs.every((word) => record[word] === undefined || known[word] !== undefined);
  return isAsked && isKnown ? { inputs, record } : undefined;
}

/** What the service would show of the inputs of another cluster of the same kind. Pure. */
function likeness({ inputs: first, record }: Sample, inputs: CheckedInputs): Partial<ClusterRecord> {
  const { id, status, endpoint, createdAt, env, ...shown } = record;
  const own = asked.filter((word) => shown[word] !== undefined).map((word) => [word, inputs[word]]);
  return { ...shown, ...Object.fromEntries(own), ...(env ? { env: likeEnv(env, first.env, inputs.env) } : {}) };
}

/** A variable that is shown as it was asked for would be so for others; what is made of a value is no matter here. */
function likeEnv(shown: ShownEnv, first: Env = {}, own: Env = {}): ShownEnv {
  const isVerbatim = (name: string) => Object.hasOwn(first, name) && first[name] === shown[name];
  const values = Object.entries(shown).map(([name, value]) => [name, isVerbatim(name) ? own[name] : value]);
  return Object.fromEntries(values);
}
