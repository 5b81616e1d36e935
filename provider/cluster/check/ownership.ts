import { sameId } from "../../api/names";
import type { ClusterRecord } from "../../api/records";
import { configInputs } from "../../api/serviceForm";
import { isStopping, stateOf } from "../../api/states";
import { GpuClusterError, isRejectedKey, messageOf } from "../../base/errors";
import { cleanText, listOf, resourceNameOf } from "../../base/text";
import { hasUnknown } from "../../contract";
import { adoptionChanges, mismatches } from "../compare/adoption";
import { isWithinPaths } from "../compare/diff";
import { gpuTypeOf } from "../compare/drift";
import { runs, type Transition } from "../compare/transition";
import { textNames } from "../model/fields";
import type { CheckedInputs, ClusterState } from "../model/stateFields";
import { generatedName } from "../model/validate";
import { type Check, natureOf } from "../shared/facts";
import { memberOf } from "../shared/listCache";
import { checkConnection, isYoung } from "../shared/lookup";
import { Operation } from "../shared/operation";
import { describe, idOf, leftBehind, notAdopted, takenReason } from "../shared/takenName";

/** Which existing clusters belong to this resource: by name, by adoption, and after a change of the service or key. */

/** The URN of the resource with a name, by the name in lower case. */
export type Owners = Map<string, string>;

/** Claims the name and the adopted cluster for the resource. A name or a cluster that another resource has is a failure. */
export function claim(check: Check, owners: Owners, { name, adopt }: CheckedInputs, isOwn: boolean): void {
  const { urn, service } = check;
  if (!hasUnknown(name)) {
    // Host names are not case-sensitive.
    const key = name.toLowerCase();
    const owner = owners.get(key) ?? urn;
    owners.set(key, owner);
    if (owner !== urn)
      check.fail("name", `the resource ${owner} has the name "${name}" too; two clusters cannot have the same name`);
  }
  if (adopt === undefined || hasUnknown(adopt)) return;
  const adopter = service.owned.adopt(adopt, urn) ?? urn;
  if (adopter !== urn)
    check.fail("adopt", `the resource ${adopter} adopts ${adopt} too; two resources cannot manage the same cluster`);
  // The resource has had the cluster since an earlier run.
  else if (isOwn) service.owned.adopted(adopt);
}

/** Judges whether the name is free for a new cluster: a failure before anything is bought. */
export async function judgeName(check: Check, transition: Transition, { id, doubt }: Adoption): Promise<void> {
  const { kind, inputs, before, oldGoesFirst } = transition;
  const { name, __generatedName: isMade, __deleteBeforeReplace: isOldFirst } = inputs;
  // A generated name equals the old one only in the first check of a replacement: the second one makes another.
  const isFree = kind === "update" || oldGoesFirst || isMade === true;
  if (hasUnknown(name) || id !== undefined || (before?.name === name && isFree)) return;
  const holders = await holdersOf(check, name, "taken names");
  if (holders.length === 0) return;
  // The holder may be its own cluster, which is deleted first. If it is not, the creation finds the name taken, and fails.
  if (isOldFirst && !before) {
    const text = `"${name}" is the name of ${describe(holders)}, which must be deleted before the new cluster is created`;
    return check.warn(text);
  }
  const why = before?.name === name ? keptReason(holders) : newReason(check, inputs, holders, doubt);
  check.fail("name", `"${name}" ${why}`);
}

/** The existing clusters of a name, as far as the list shows them. A failed lookup is reported if `what` is given. */
export async function holdersOf(check: Check, name: string, what?: string): Promise<readonly ClusterRecord[]> {
  const fact = await check.facts.clusters();
  const list = what === undefined ? fact.value : check.need(what, fact);
  return list ? check.service.owned.holders(name, list) : [];
}

/** The reason if the program wants the new cluster first: two clusters cannot have one name. */
function keptReason(holders: readonly ClusterRecord[]): string {
  return (
    `is the name of ${describe(holders)}, which is replaced, and of the new cluster. The engine creates the new cluster ` +
    "first (by `replacementTrigger`, `replaceWith`, another `provider`, or `deleteBeforeReplace: false`), which fails while " +
    "the old one has the name: set the option `deleteBeforeReplace: true`, or use another `name`"
  );
}

/**
 * The reason why this resource cannot use a name that is new to it, as far as the check can know. Two stacks of the same names
 * generate the same names of clusters, unless gpucluster:resume gives each its own: without it, nobody can say whose it is.
 */
function newReason(
  { urn, ctx }: Check,
  { __generatedName: isMade }: CheckedInputs,
  holders: readonly ClusterRecord[],
  doubt: string | undefined,
): string {
  // A naming pattern of the stack may also generate the name of another resource.
  if (!isMade || ctx.naming) {
    const how = `\`pulumi import gpucluster:index:Cluster ${resourceNameOf(urn)} ${idOf(holders)}\``;
    return `${takenReason(holders)}. The native provider can also import it: ${how}`;
  }
  const how = `set \`adopt: "${idOf(holders)}"\`, or to replace it (\`--replace\`, \`pulumi state taint\`), \`deleteBeforeReplace: true\``;
  if (doubt !== undefined)
    return (
      `is already the name of ${describe(holders)}, which an interrupted run of this stack has created. ${notAdopted(doubt)}. ` +
      `To keep it, ${how}; otherwise use a new \`name\``
    );
  return (
    `is already the name of ${describe(holders)}. It may be of an interrupted run, or of another stack of the same names: ` +
    `compare age and image. If it is yours, ${how}; otherwise use another \`name\`, or gpucluster:resume`
  );
}

/** The cluster to adopt. */
export interface Adoption {
  /** Absent if no cluster is adopted. */
  readonly id?: string;
  /** Absent if the lookup failed. */
  readonly record?: ClusterRecord;
  /** True if no person names the cluster: it is adopted, because an interrupted run has created it. */
  readonly isLeft?: true;
  /** Why the cluster of the name is not adopted. */
  readonly doubt?: string;
}

/** Finds the cluster to adopt: the one that the program names, or with `resume` the one that an interrupted run has created. */
export async function findAdoption(
  check: Check,
  transition: Transition,
  types: readonly string[],
  mayResume: boolean,
): Promise<Adoption> {
  if (mayResume) return findLeft(check, transition, types);
  const { kind, before, inputs } = transition;
  const { adopt: id } = inputs;
  const isHeld = before?.adopt !== undefined && id !== undefined && sameId(before.adopt, id);
  if (id === undefined || hasUnknown(id) || kind === "update" || isHeld) return {};
  const found = check.need(`the cluster ${id}`, await check.facts.cluster(id));
  if (found !== "none") return found ? { id, record: found } : { id };
  check.fail("adopt", `${id} is not a cluster that this API key can see; getClusters() lists them`);
  return { id };
}

/** Finds the cluster that an interrupted run has created for the resource. */
async function findLeft(check: Check, { inputs, before }: Transition, types: readonly string[]): Promise<Adoption> {
  const { service, urn } = check;
  const list = check.need("taken names", await check.facts.clusters());
  if (!list) return {};
  const holders = service.owned.holders(inputs.name, list);
  const [holder] = holders;
  if (holder) {
    const about = { inputs: comparable(inputs, holder), types, urn, owned: service.owned, nowMs: service.clock.now() };
    const left = leftBehind({ holders, complete: list.complete }, about);
    return "doubt" in left ? left : { id: left.record.id, record: left.record, isLeft: true };
  }
  // A run without the setting has made another name.
  const name = generatedName(urn, before?.name);
  const strange = service.owned.holders(name, list).filter(({ id }) => !service.owned.isManaged(id, urn));
  if (strange.length > 0)
    check.warn(
      `${describe(strange)} has the name that this resource has without gpucluster:resume, "${name}". If an interrupted ` +
        `run has created it, set \`adopt: "${idOf(strange)}"\` before \`pulumi up\`, which creates another cluster`,
    );
  return {};
}

/** Judges whether this resource can adopt the cluster. Returns what is said if nothing else stands against it. */
export async function judgeAdoption(
  check: Check,
  { inputs }: Transition,
  { id, record, isLeft }: Adoption,
): Promise<string | undefined> {
  if (id === undefined || !record) return undefined;
  const isConfigured = adoptionChanges(inputs, record).some((path) => isWithinPaths(path, configInputs));
  const fixed = isConfigured ? check.need("updates in place", await check.facts.fixed()) : undefined;
  const wrong = mismatches(comparable(inputs, record), record, fixed);
  check.failures.push(...wrong);
  // A check cannot tell an interrupted creation from a replacement of which the engine does not give the old name.
  const how = inputs.__deleteBeforeReplace
    ? ", unless a replacement deletes it first"
    : " (`--replace` and `pulumi state taint` do not replace it)";
  const why = isLeft ? `, which an interrupted run has created${how}` : "";
  return `adopts ${id}${factsOf(record)}${why}: ${changesText(inputs, record)}`;
}

/** The inputs, with the cluster's own values for those that are not known yet: these count as equal. */
function comparable(inputs: CheckedInputs, record: ClusterRecord): CheckedInputs {
  const open = textNames.filter((field) => hasUnknown(inputs[field]));
  return { ...inputs, ...Object.fromEntries(open.map((field) => [field, record[field] ?? ""])) };
}

function factsOf(record: ClusterRecord): string {
  const { name, replicas } = record;
  const gpu = gpuTypeOf(record);
  const size = replicas !== undefined && gpu ? `${replicas} x ${gpu}` : undefined;
  const facts = [name && `"${name}"`, size].filter(Boolean).join(", ");
  return facts ? ` (${cleanText(facts, 200)})` : "";
}

function changesText(inputs: CheckedInputs, record: ClusterRecord): string {
  const paths = adoptionChanges(inputs, record);
  const power = isPowerChange(inputs, record) ? ["desiredStatus"] : [];
  const changed = [...new Set([...power, ...paths])].map((path) => cleanText(path, 100));
  if (changed.length === 0) return "nothing is changed";
  const isEnvSent = paths.some((path) => path.startsWith("env"));
  const others = isEnvSent ? "variables that the program does not set may be removed" : "nothing else is changed";
  return `${listOf(changed)} will be changed to match the program; ${others}`;
}

/** Whether the adoption starts or stops the cluster, as far as the status word shows. */
function isPowerChange(inputs: CheckedInputs, { status }: ClusterRecord): boolean {
  const state = stateOf(status);
  if (hasUnknown(inputs.desiredStatus) || state === "unknown" || isStopping(status)) return false;
  return runs(inputs) === (state === "stopped");
}

/** Refuses changes that cannot be made in one step. The inputs alone show them. */
export function judgeRefusals(check: Check, { kind, before, inputs, keeps }: Transition): void {
  const { adopt } = inputs;
  const old = before?.adopt;
  if (adopt === undefined || hasUnknown(adopt) || old === undefined) return;
  if (keeps && !sameId(old, adopt))
    check.fail("adopt", `is used at creation only, and this resource manages ${old}: remove it, or set it to ${old}`);
  if (kind === "replace" && sameId(old, adopt))
    check.fail(
      "adopt",
      `names the cluster that is replaced (${old}): remove it, because the replacement is a new cluster`,
    );
}

/** The state then names the present key. */
const wayOut = "Run `pulumi refresh` with a key that can see the cluster";

/**
 * Refuses a service or key that does not know a cluster which another one saw last: without a change in the program, nothing
 * else would report that. Absence alone never refuses: a complete list and the cluster's own 404 have to agree.
 * @throws GpuClusterError also if the key is rejected or, under `strictPreview`, if the lookup fails.
 */
export async function refuseForeignKey(check: Check, id: string, state: ClusterState): Promise<void> {
  const { ctx, service, facts, settings } = check;
  const { __seenBy: other } = state;
  if (other === undefined || other === service.seenBy || hasUnknown(id)) return;
  const { value: list } = await facts.clusters();
  if (list && memberOf(list, id)) return;
  // A key belongs to one organization: without a whole list, one cluster that both keys see stands for the others.
  if (!list?.complete && facts.sameOrganization.has(other)) return;
  const { value: found, error } = await facts.cluster(id);
  if (found !== undefined && found !== "none") {
    facts.sameOrganization.add(other);
    return;
  }
  const operation = new Operation(ctx, service, "read", { id, inputs: state });
  if (found && !isYoung(state, service.clock.now())) checkConnection(service, operation, state);
  const why = found ? "it was created a moment ago, and the service does not show it yet" : messageOf(error);
  const text = `was last seen with another service or API key, and could not be checked with this one: ${why}`;
  // A rejected key would also be rejected for every request of the update.
  if (isRejectedKey(error)) throw new GpuClusterError(`${operation.title} ${text}`);
  if (settings.strictPreview)
    throw new GpuClusterError(`${operation.title} ${text} (an error because of gpucluster:strictPreview). ${wayOut}`);
  if (check.isFirst(`unseen ${found ? "young" : natureOf(error)}`))
    check.warn(`${id} ${text}. ${wayOut}. Further warnings of this kind are hidden in this run`);
}
