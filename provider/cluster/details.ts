import type { ClusterRecord } from "../api/records";
import { textNames } from "./drift";
import { createdNames } from "./fields";
import { pick } from "./state";
import type { CheckedInputs } from "./stateFields";

/** The outputs that are known before the cluster itself is read. */
type Known = Partial<Pick<ClusterRecord, (typeof outputs)[number]>>;

/** Fields of a record that become outputs, and differ from cluster to cluster. */
const outputs = ["status", "endpoint", "createdAt"] as const;
/** Requested fields that may differ between clusters of one kind. */
const asked = ["name", "replicas"] as const;

type ShownEnv = NonNullable<ClusterRecord["env"]>;
type Env = NonNullable<CheckedInputs["env"]>;

/** The record of a cluster, and its inputs. */
interface Sample {
  readonly inputs: CheckedInputs;
  readonly record: ClusterRecord;
}

/**
 * The form in which the service shows the inputs of new clusters. A list shows less of a cluster than the cluster
 * itself, but each single read takes a request. So the first cluster of each kind is read, and its form is used for all
 * of its kind.
 */
export class Details {
  /** By kind; `undefined` if that cluster proves nothing about others. */
  readonly #samples = new Map<string, Promise<Sample | undefined>>();

  /**
   * The record as the service shows it, or would show it. `find` reads the record, with the priority `reconcile` if
   * other operations wait for the result.
   */
  async read(
    inputs: CheckedInputs,
    known: Known,
    find: (urgency?: "reconcile") => Promise<ClusterRecord | undefined>,
  ): Promise<Partial<ClusterRecord> | undefined> {
    const kind = kindOf(inputs);
    const sample = this.#samples.get(kind);
    if (sample === undefined) {
      const found = find("reconcile");
      // Set before the first await, because many calls come at once. Only the call that reads gets the error.
      const taken = found.then((record) => toSample(inputs, record, known)).catch(() => undefined);
      this.#samples.set(kind, taken);
      return found;
    }
    const taken = await sample;
    return taken ? likeness(taken, inputs) : find();
  }
}

/**
 * The kind of a cluster: the service has no reason to show clusters of one kind in different forms. Their values of env
 * may differ, their names of variables may not.
 */
function kindOf(inputs: CheckedInputs): string {
  const { env = {}, desiredStatus, skipAwait } = inputs;
  return JSON.stringify([pick(inputs, kindNames), Object.keys(env).sort(), desiredStatus, skipAwait]);
}

const kindNames = createdNames.filter((name) => name !== "name" && name !== "replicas" && name !== "env");

/**
 * A record stands for others of its kind if each field that may differ was requested, or is known of every cluster
 * without a read. Pure.
 */
function toSample(inputs: CheckedInputs, record: ClusterRecord | undefined, known: Known): Sample | undefined {
  if (!record) return undefined;
  const isAsked = asked.every((field) => record[field] === undefined || record[field] === inputs[field]);
  // The service may choose another value for the next cluster.
  const isChosen = textNames.some((field) => record[field] !== undefined && inputs[field] === undefined);
  const isKnown = outputs.every((field) => record[field] === undefined || known[field] !== undefined);
  return isAsked && isKnown && !isChosen ? { inputs, record } : undefined;
}

/** The record that the service would show for another cluster of the same kind. Pure. */
function likeness({ inputs: first, record }: Sample, inputs: CheckedInputs): Partial<ClusterRecord> {
  const { id, status, endpoint, createdAt, env, ...shown } = record;
  const own = asked.filter((field) => shown[field] !== undefined).map((field) => [field, inputs[field]]);
  return { ...shown, ...Object.fromEntries(own), ...(env ? { env: likeEnv(env, first.env, inputs.env) } : {}) };
}

/**
 * A variable that is shown as requested would be shown so for other clusters too. Any other shown value is kept: its
 * exact text does not matter here.
 */
function likeEnv(shown: ShownEnv, first: Env = {}, own: Env = {}): ShownEnv {
  const isVerbatim = (name: string) => Object.hasOwn(first, name) && first[name] === shown[name];
  const values = Object.entries(shown).map(([name, value]) => [name, isVerbatim(name) ? own[name] : value]);
  return Object.fromEntries(values);
}
