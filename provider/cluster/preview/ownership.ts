import { sameId } from "../../api/names";
import type { ClusterRecord } from "../../api/records";
import { isStopping, stateOf } from "../../api/states";
import { type CheckFailure, type Ctx, hasUnknown, type Properties } from "../../core";
import { GpuClusterError, isRejectedKey } from "../../errors";
import { cleanText, listOf, resourceNameOf } from "../../text";
import { adoptionChanges, mismatches, withName } from "../adoption";
import { diffCluster } from "../diff";
import { gpuTypeOf, textNames } from "../drift";
import { isYoung, refuseOtherConnection } from "../lookup";
import { Operation } from "../operation";
import type { CheckedInputs, ClusterState } from "../stateFields";
import { describe, idOf, leftBehind, notAdopted, takenReason } from "../takenName";
import { type Gap, type Inquiry, Lookups, natureOf } from "./facts";
import { preferences } from "./gpuType";
import type { OneCheck } from "./oneCheck";
import { isAmong, isUnknownAt, runs, type Transition } from "./plan";
import { generatedName } from "./validate";

/** Which existing clusters belong to this resource: by name, by adoption, and after a change of the service or key. */

/** Checks names: each belongs to one resource and one cluster. */
export class NameCheck {
  /**
   * The URN of the resource with a name, by service and name: two organizations may each have a cluster of one name.
   */
  readonly #owners = new Map<string, string>();

  async judge(check: OneCheck, transition: Transition, { id, doubt }: Adoption): Promise<void> {
    const { inputs, before } = transition;
    const { name } = inputs;
    if (hasUnknown(name)) return;
    const owner = this.#ownerOf(`${check.service?.seenBy} ${name.toLowerCase()}`, check.urn);
    if (owner !== check.urn) {
      check.fail("name", `the resource ${owner} has the name "${name}" too; two clusters cannot have the same name`);
    }
    // An adopted cluster has its name already. If the old cluster is deleted first, its name is free by then. A
    // generated name equals the old one only in the first check of a replacement: the second check generates another.
    const isFree = transition.kind === "update" || transition.oldGoesFirst || inputs.__generatedName === true;
    if (id !== undefined || (before?.name === name && isFree)) return;
    const holders = (await check.inquiry.holders(name)) ?? [];
    if (holders.length > 0) await this.#refuse(check, transition, holders, doubt);
  }

  /** Fails before anything is bought, unless the old cluster may be gone by the time of the creation. */
  async #refuse(
    check: OneCheck,
    { before, inputs }: Transition,
    holders: readonly ClusterRecord[],
    doubt: string | undefined,
  ): Promise<void> {
    const { name, __deleteBeforeReplace: isOldFirst } = inputs;
    const why = before?.name === name ? keptReason(holders) : await newReason(check, inputs, holders, doubt);
    const reason = `"${name}" ${why}`;
    // The holder may be its own cluster, which is deleted first. If it is not, the creation finds the name taken, and
    // fails.
    if (isOldFirst && !before)
      check.warn(
        `"${name}" is the name of ${describe(holders)}, which must be deleted before the new cluster is created`,
      );
    else if (before?.name === name && isOldFirst === undefined) check.warn(reason);
    else check.fail("name", reason);
  }

  /** Host names are not case-sensitive, so the key is in lower case. */
  #ownerOf(key: string, urn: string): string {
    const owner = this.#owners.get(key) ?? urn;
    this.#owners.set(key, owner);
    return owner;
  }
}

const longestList = 20;

/**
 * How to import an existing cluster. One failure ends a preview, so the text also lists the clusters that later
 * failures would name.
 */
function importText(urn: string, holders: readonly ClusterRecord[], all: readonly ClusterRecord[]): string {
  const others = all.filter(({ id }) => !holders.some((holder) => holder.id === id));
  const shown = others.slice(0, longestList).map(({ id, name = "" }) => cleanText(`${name} ${id}`.trim(), 150));
  const more = others.length > shown.length ? `, and ${others.length - shown.length} more` : "";
  const how = `\`pulumi import gpucluster:index:Cluster ${resourceNameOf(urn)} ${idOf(holders)}\``;
  const rest = shown.length > 0 ? `. Other clusters of the organization: ${shown.join(", ")}${more}` : "";
  return `A program with the native provider can also import it: ${how}${rest}`;
}

/**
 * The reason if the engine replaces the cluster by an option: it does not know that two clusters cannot have one name.
 */
function keptReason(holders: readonly ClusterRecord[]): string {
  return (
    `is the name of ${describe(holders)}, which is replaced, and of the new cluster. The engine creates the new cluster ` +
    "first (by `replacementTrigger`, `replaceWith`, another `provider`, or `deleteBeforeReplace: false`), which fails while " +
    "the old one has the name: set the option `deleteBeforeReplace: true`, or use another `name`"
  );
}

/** The reason why this resource cannot use a name that is new to it, as far as the check can know. */
async function newReason(
  check: OneCheck,
  { __generatedName }: CheckedInputs,
  holders: readonly ClusterRecord[],
  doubt: string | undefined,
): Promise<string> {
  // A naming pattern of the stack may also generate the name of another resource.
  if (!__generatedName || check.naming) {
    const forced = "If `--replace` or `pulumi state taint` replaces it, set the option `deleteBeforeReplace: true`";
    const { clusters = [] } = (await check.inquiry.clusters()) ?? {};
    return `${takenReason(holders)}. ${forced}. ${importText(check.urn, holders, clusters)}`;
  }
  const resume = doubt === undefined ? "gpucluster:resume avoids this next time" : notAdopted(doubt);
  return (
    `is already the name of ${describe(holders)}. Only this resource generates that name, so this is its own cluster. After an ` +
    `interrupted run, set \`adopt: "${idOf(holders)}"\`; \`pulumi refresh\` does not help, and ${resume}. If ` +
    "you replace it by `--replace`, `--target-replace` or `pulumi state taint`, the provider does not get the old name: " +
    "run `pulumi up` without them and with a new `name`, or set the option `deleteBeforeReplace: true` (TypeScript and JavaScript)"
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

/** Looks up the cluster to adopt, if any. */
export async function findAdopted(check: OneCheck, id: string | undefined): Promise<Adoption> {
  const found = id === undefined ? undefined : await check.inquiry.cluster(id);
  if (found === "none") {
    check.fail("adopt", `${id} is not a cluster that this API key can see; getClusters() lists them`);
    return { id };
  }
  return { id, record: found };
}

/** Looks up the cluster that an interrupted run has created for the resource. */
export async function findLeft(check: OneCheck, { inputs, before }: Transition): Promise<Adoption> {
  const { service, urn } = check;
  const taken = await check.inquiry.taken(inputs.name);
  const [holder] = taken?.holders ?? [];
  if (!service || !taken) return {};
  if (!holder) {
    await warnOfUnsalted(check, generatedName(urn, before?.name));
    return {};
  }
  const types = preferences(inputs);
  const asked = types?.[0] === undefined ? inputs : { ...inputs, gpuType: types[0], __gpuTypes: types };
  const about = { inputs: comparable(asked, holder), urn, owned: service.owned, nowMs: service.clock.now() };
  const left = leftBehind(taken, about);
  return "doubt" in left ? left : { id: left.record.id, record: left.record, isLeft: true };
}

/** Warns of a cluster that a run without the setting may have left, because the new name does not find it. */
async function warnOfUnsalted(check: OneCheck, name: string): Promise<void> {
  const holders = (await check.inquiry.holders(name, { quietly: true })) ?? [];
  const strange = holders.filter(({ id }) => !check.service?.owned.isManaged(id, check.urn));
  if (strange.length === 0) return;
  check.warn(
    `${describe(strange)} has the name that this resource has without gpucluster:resume, "${name}". If an interrupted ` +
      `run has created it, set \`adopt: "${idOf(strange)}"\` before \`pulumi up\`, which creates another cluster`,
  );
}

/** The inputs with the name of the adopted cluster, if the program gives none. */
export function withFoundName(inputs: CheckedInputs, { record, isLeft }: Adoption): CheckedInputs {
  return record && !isLeft ? withName(inputs, record) : inputs;
}

/** Checks that this resource can adopt the cluster, and reports the changes that this makes. */
export function judgeAdoption(check: OneCheck, { inputs }: Transition, { id, record, isLeft }: Adoption): void {
  const { adopt, __deleteBeforeReplace } = inputs;
  if (adopt !== undefined && !hasUnknown(adopt)) {
    const adopter = check.service?.owned.adopt(adopt, check.urn) ?? check.urn;
    if (adopter !== check.urn) {
      check.fail("adopt", `the resource ${adopter} adopts ${adopt} too; two resources cannot manage the same cluster`);
    } else if (id === undefined) {
      // The resource has had the cluster since an earlier run.
      check.service?.owned.adopted(adopt);
    }
  }
  if (id === undefined || !record) return;
  const wrong = mismatches(comparable(inputs, record), record);
  check.failures.push(...wrong);
  if (wrong.length > 0) return;
  const why = isLeft ? leftText(__deleteBeforeReplace) : "";
  check.inform(`adopts ${id}${factsOf(record)}${why}: ${changesText(inputs, record)}`);
}

/** A check cannot tell an interrupted creation from a replacement of which the engine does not give the old name. */
function leftText(isOldFirst: boolean | undefined): string {
  return isOldFirst
    ? ", which an interrupted run has created, unless a replacement deletes it first"
    : ", which an interrupted run has created (`--replace` and `pulumi state taint` do not replace it)";
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
  const paths = adoptionChanges(inputs, record).filter((path) => !isUnknownAt(inputs, path));
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

/** Changes that cannot be made in one step. Pure: the inputs alone show them. */
export function refusalsOf({ kind, before, inputs, oldGoesFirst, keeps }: Transition): CheckFailure[] {
  const { adopt, name } = inputs;
  const old = before?.adopt;
  const failures: CheckFailure[] = [];
  const isGiven = adopt !== undefined && !hasUnknown(adopt);
  if (isGiven && old !== undefined && keeps && !sameId(old, adopt)) {
    failures.push({
      property: "adopt",
      reason: `is used at creation only, and this resource manages ${old}: remove it, or set it to ${old}`,
    });
  }
  if (isGiven && old !== undefined && kind === "replace" && sameId(old, adopt)) {
    failures.push({
      property: "adopt",
      reason: `names the cluster that is replaced (${old}): remove it, because the replacement is a new cluster`,
    });
  }
  if (kind === "replace" && oldGoesFirst && before?.deletionPolicy === "stop") {
    failures.push({
      property: "name",
      reason:
        `"${name}" stays in use: the replaced cluster is stopped and not deleted ` +
        '(`deletionPolicy: "stop"`): use another name, or set `deletionPolicy: "delete"` and run `pulumi up` first',
    });
  }
  return failures;
}

/** The id of the cluster that is adopted instead of creating one. */
export function adoptedId({ kind, before, inputs: { adopt } }: Transition): string | undefined {
  if (adopt === undefined || hasUnknown(adopt) || kind === "update") return undefined;
  return before?.adopt !== undefined && sameId(before.adopt, adopt) ? undefined : adopt;
}

/** Whether a difference replaces the cluster: the old cluster then stays with its service until its deletion there. */
export function isReplaced(state: Properties, news: Properties, named: readonly string[] | undefined): boolean {
  return Object.entries(diffCluster(state, news).changes).some(
    ([path, { replace }]) => replace || isAmong(named, path),
  );
}

/** So many answers about a pair of keys hold for all clusters that the one saw last, and the other is asked for. */
const enough = 2;

/** What is known of a pair of keys. */
interface Pair {
  /** Ids of clusters that both keys see. */
  readonly known: Set<string>;
  /** Lookups that failed, by the id of the cluster. */
  readonly failures: Map<string, Gap>;
  /** The end of the recognition before: one cluster after the other is asked for, because its answer may be enough. */
  turn: Promise<unknown>;
}

/**
 * The recognition of clusters that another service or key saw last. It has lookups of its own, so that it takes no time
 * from the checks.
 */
export class Recognition {
  readonly lookups: Lookups;
  readonly #pairs = new Map<string, Pair>();

  /** @param checks The lookups of the checks. */
  constructor(checks: Lookups) {
    this.lookups = new Lookups({ attempts: 1 }, checks);
  }

  /**
   * Refuses a connection whose service or key does not know the cluster, if another one saw the cluster last. Without a
   * change in the program, nothing else would report that. An exchanged key of the same organization causes no message.
   * @throws GpuClusterError also if the key is rejected or, under `strictPreview`, if the check is not possible.
   */
  async refuseUnknown(check: OneCheck, ctx: Ctx, id: string, state: ClusterState): Promise<void> {
    const { service, settings } = check;
    if (!service || state.__seenBy === undefined || state.__seenBy === service.seenBy || hasUnknown(id)) return;
    const pair = this.#pairOf(`${state.__seenBy} ${service.seenBy}`);
    const turn = pair.turn.then(() => knows(check.inquiry, id, pair));
    pair.turn = turn.catch(() => undefined);
    const answer = await turn;
    if (answer === true) return;
    const operation = new Operation(ctx, service, "read", { id, inputs: state });
    if (answer === false && !isYoung(state, service.clock.now())) refuseOtherConnection(service, operation, state);
    const [why, nature] = answer === false ? [youngText, "young"] : [answer.text, natureOf(answer.error)];
    const text = `was last seen with another service or API key, and could not be checked with this one: ${why}`;
    // A rejected key would also be rejected for every request of the update.
    if (answer !== false && isRejectedKey(answer.error)) throw new GpuClusterError(`${operation.title} ${text}`);
    if (settings.strictPreview)
      throw new GpuClusterError(`${operation.title} ${text} (an error because of gpucluster:strictPreview). ${wayOut}`);
    check.warnOfFirst(
      `${id} ${text}. ${wayOut}. Further warnings of this kind are hidden in this run`,
      `unseen ${nature}`,
    );
  }

  #pairOf(key: string): Pair {
    const pair = this.#pairs.get(key) ?? { known: new Set(), failures: new Map(), turn: Promise.resolve() };
    this.#pairs.set(key, pair);
    return pair;
  }
}

const youngText = "it was created a moment ago, and the service does not show it yet";
/** The state then names the present key. */
const wayOut = "Run `pulumi refresh` with a key that can see the cluster";

/**
 * Whether the service knows a cluster, or why that is not known. The run's one list of clusters shows it, else the cluster
 * is read by its id, as long as the answers about others are not enough.
 */
async function knows(inquiry: Inquiry, id: string, { known, failures }: Pair): Promise<boolean | Gap> {
  const isListed = await inquiry.lists(id);
  if (isListed === undefined && known.size >= enough) return true;
  const failure = [...failures.values()][enough - 1];
  if (!isListed && failure) return failure;
  const found = isListed || (await inquiry.cluster(id));
  if (found === "none") return false;
  const gap = found === undefined ? inquiry.gaps.at(-1) : undefined;
  if (gap) failures.set(id, gap);
  else known.add(id);
  return gap ?? true;
}
