import { type ClusterRecord, sameId } from "../../api/decode/records";
import { cleanText, listOf } from "../../base/text";
import { hasUnknown } from "../../contract";
import { adoptionChanges, findMismatches } from "../diff/diff";
import {
  describeClusters,
  findResumable,
  isResumableName,
  notResumed,
  reasonNotToResume,
  type TakenName,
  takenReason,
} from "../operations/adopt";
import { textNames } from "../schema/fields";
import type { CheckedInputs } from "../schema/state";
import { type Finding, failure, gapOf, info, type Situation, warning } from "./findings";

/** Claims the name and the adopted cluster for the resource. It is a failure if another resource of the program has them. */
export function claim({ ctx: { urn }, deps, inputs, kind }: Situation): Finding[] {
  const { name, adopt } = inputs;
  if (kind !== "change") deps.registry.clearClusterOf(urn);
  const owner = hasUnknown(name) ? urn : deps.registry.claimName(name, urn);
  const adopter = adopt === undefined || hasUnknown(adopt) ? urn : deps.registry.claimCluster(adopt, urn);
  // The resource has had the cluster since an earlier run.
  if (adopt !== undefined && adopter === urn && kind === "change") deps.registry.adoptionSucceeded(adopt);
  const findings: Finding[] = [];
  const { problem } = deps.registry;
  if (adopt !== undefined && problem !== undefined) findings.push(warning(`${unshared}: ${problem}`, unshared));
  const taken = `the resource ${owner} has the name "${name}" too; two clusters cannot have the same name: set another`;
  if (owner !== urn) findings.push(failure("name", taken));
  const adopted = `the resource ${adopter} adopts ${adopt} too; two resources cannot manage the same cluster`;
  if (adopter !== urn) findings.push(failure("adopt", adopted));
  return findings;
}

const unshared =
  "the providers of this run cannot share what they know. If a resource of another provider has the cluster to adopt, keep it " +
  "in the program in this run, or remove it with `pulumi state delete`";

interface Existing {
  readonly findings: readonly Finding[];
  readonly record?: ClusterRecord | undefined;
}

export async function findAdopted({ reads, inputs, previous }: Situation): Promise<Existing> {
  const { adopt: id } = inputs;
  if (id === undefined || hasUnknown(id)) return { findings: [] };
  const replaced = `names the cluster that is replaced (${id}): remove it, because the replacement is a new cluster`;
  if (previous?.adopt !== undefined && sameId(previous.adopt, id)) return { findings: [failure("adopt", replaced)] };
  const answer = await reads.cluster(id);
  const missing = `${id} is not a cluster that this API key can see; getClusters() lists them`;
  if (answer.value === "none") return { findings: [failure("adopt", missing)] };
  return { findings: gapOf(`the cluster ${id}`, answer), record: answer.value };
}

/** A taken name is a failure before anything is bought. With `resume`, the resource may adopt its holder. */
export async function judgeName(situation: Situation): Promise<Existing> {
  const { ctx, kind, deps, settings, reads, inputs, previous } = situation;
  const { name, adopt, __deleteBeforeReplace: deletesFirst } = inputs;
  if (hasUnknown(name) || adopt !== undefined || canKeepName(situation)) return { findings: [] };
  const answer = await reads.clusters();
  const { value: list } = answer;
  if (!list) return { findings: gapOf("taken names", answer) };
  const holders = deps.registry.holders(name, list);
  if (holders.length === 0) return { findings: [] };
  let why = "";
  if (kind !== "change" && isResumableName(inputs, ctx.urn, { salt: settings.resume, predecessor: previous?.name })) {
    const complete = await reads.showsAll(list);
    const resumable = await findResumableInDetail(situation, { holders, complete });
    if (!("reason" in resumable)) return resumable;
    why = `. ${notResumed} ${resumable.reason}`;
  }
  // It can be a replacement that looks like a creation: then the engine deletes the holder first. Otherwise the creation fails.
  const deleted = `"${name}" is the name of ${describeClusters(holders)}, which must be deleted before the new cluster is created`;
  if (kind === "creation" && deletesFirst) return { findings: [warning(deleted)] };
  return { findings: [failure("name", `"${name}" ${takenReason(holders)}${why}`)] };
}

/**
 * Whether a change keeps the name of its cluster, or a replacement can take it over. Only the engine knows the order of a
 * replacement. If the program has it create the new cluster first, the creation finds the name taken. A pattern of
 * `pulumi:autonaming` without a random part generates the same name again, and the engine then deletes first in any case.
 */
function canKeepName({ kind, inputs, previous }: Situation): boolean {
  if (previous?.name !== inputs.name) return false;
  const { __generatedName: isGenerated, __deleteBeforeReplace: deletesFirst } = inputs;
  return kind === "change" || deletesFirst !== false || isGenerated === true;
}

/** The cluster that an interrupted run has created. A list may not show everything, so the cluster's own record decides. */
async function findResumableInDetail(
  { ctx, deps, reads, inputs }: Situation,
  taken: TakenName,
): Promise<Existing | { readonly reason: string }> {
  const [holder] = taken.holders;
  const comparable = holder ? comparableWith(inputs, holder) : inputs;
  const expected = { inputs: comparable, urn: ctx.urn, registry: deps.registry, nowMs: deps.clock.now() };
  const listed = findResumable(taken, expected);
  if ("reason" in listed) return listed;
  const detail = await reads.cluster(listed.record.id);
  const record = detail.value === "none" ? listed.record : { ...listed.record, ...detail.value };
  const reason = reasonNotToResume(record, expected);
  if (reason !== undefined) return { reason };
  return { findings: gapOf(`the cluster ${record.id}`, detail), record };
}

export function judgeAdoption({ inputs, adopted: record }: Situation): Finding[] {
  if (!record) return [];
  const failures = findMismatches(comparableWith(inputs, record), record);
  const name = record.name === undefined ? "" : ` ("${cleanText(record.name, 100)}")`;
  const how = inputs.__deleteBeforeReplace ? ", unless a replacement deletes it first" : "";
  const why = inputs.adopt === undefined ? `, which an interrupted run has created${how}` : "";
  const changed = adoptionChanges(inputs, record).map((path) => cleanText(path, 100));
  const hasOthers = Object.keys(record.env ?? {}).some((variable) => !Object.hasOwn(inputs.env ?? {}, variable));
  const untouched = hasOthers ? "; variables that the program does not set are kept" : "";
  const changes = `${listOf(changed)} will be changed to match the program${untouched}`;
  return [
    ...failures.map(({ property, reason }) => failure(property, reason)),
    info(`adopts ${record.id}${name}${why}: ${changed.length === 0 ? "nothing is changed" : changes}`),
  ];
}

/** The inputs with the values of the cluster for those that are not known yet, so that they count as equal. */
function comparableWith(inputs: CheckedInputs, record: ClusterRecord): CheckedInputs {
  const unknown = textNames.filter((field) => hasUnknown(inputs[field]));
  return { ...inputs, ...Object.fromEntries(unknown.map((field) => [field, record[field] ?? ""])) };
}
