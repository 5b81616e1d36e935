import { sameId } from "../../api/decode/names";
import type { ClusterRecord } from "../../api/decode/records";
import { isStopping, stateOf } from "../../api/decode/states";
import { cleanText, listOf } from "../../base/text";
import { hasUnknown } from "../../contract";
import { adoptionChanges, mismatches } from "../diff/adoption";
import {
  describe,
  findResumable,
  isResumableName,
  notResumed,
  reasonNotToResume,
  takenReason,
} from "../operations/takenName";
import { textNames } from "../schema/fields";
import type { CheckedInputs } from "../schema/stateFields";
import { type Finding, failure, gapOf, info, warning } from "./findings";
import type { Situation } from "./run";
import { runs } from "./summary";

/** Which name and which existing cluster a resource may have. */

/** Claims the name and the adopted cluster for the resource. What another resource of the program has is a failure. */
export function claim({ run, urn, service, inputs, isCreation }: Situation): Finding[] {
  const { name, adopt } = inputs;
  const owner = hasUnknown(name) ? urn : run.claimName(name, urn);
  const adopter = adopt === undefined || hasUnknown(adopt) ? urn : service.owned.adopt(adopt, urn);
  // The resource has had the cluster since an earlier run.
  if (adopt !== undefined && adopter === urn && !isCreation) service.owned.adopted(adopt);
  const taken = `the resource ${owner} has the name "${name}" too; two clusters cannot have the same name`;
  const adopted = `the resource ${adopter} adopts ${adopt} too; two resources cannot manage the same cluster`;
  return [...(owner === urn ? [] : [failure("name", taken)]), ...(adopter === urn ? [] : [failure("adopt", adopted)])];
}

/** An existing cluster for a creation, and what was found on the way. */
export interface Existing {
  readonly findings: readonly Finding[];
  readonly record?: ClusterRecord | undefined;
}

/** Finds the cluster that the program adopts. */
export async function findAdopted({ reads, inputs, before }: Situation): Promise<Existing> {
  const { adopt: id } = inputs;
  if (id === undefined || hasUnknown(id)) return { findings: [] };
  const isReplaced = before?.adopt !== undefined && sameId(before.adopt, id);
  const replaced = `names the cluster that is replaced (${id}): remove it, because the replacement is a new cluster`;
  if (isReplaced) return { findings: [failure("adopt", replaced)] };
  const answer = await reads.cluster(id);
  const missing = `${id} is not a cluster that this API key can see; getClusters() lists them`;
  if (answer.value === "none") return { findings: [failure("adopt", missing)] };
  return { findings: gapOf(`the cluster ${id}`, answer), record: answer.value };
}

/** Judges whether the name is free: a failure before anything is bought. With `resume`, its holder may be the resource's own. */
export async function judgeName({
  urn,
  service,
  settings,
  reads,
  inputs,
  before,
  isCreation,
}: Situation): Promise<Existing> {
  const { name, adopt, __generatedName: isGenerated, __deleteBeforeReplace: deletesFirst } = inputs;
  // Only the engine knows the order of a replacement. If it creates the cluster first, the creation finds the name taken.
  const isOwn = before?.name === name && !(isCreation && deletesFirst === false && !isGenerated);
  if (hasUnknown(name) || adopt !== undefined || isOwn) return { findings: [] };
  const answer = await reads.clusters();
  const { value: list } = answer;
  if (!list) return { findings: gapOf("taken names", answer) };
  const holders = service.owned.holders(name, list);
  const [holder] = holders;
  if (!holder) return { findings: [] };
  const mayResume = isCreation && isResumableName(inputs, urn, { salt: settings.resume, predecessor: before?.name });
  const expected = { inputs: comparableWith(inputs, holder), urn, owned: service.owned, nowMs: service.clock.now() };
  const listed = mayResume ? findResumable({ holders, complete: list.complete }, expected) : undefined;
  // A list may not show everything: the creation compares the cluster itself, and so does the preview.
  const detail = listed && "record" in listed ? await reads.cluster(listed.record.id) : {};
  const record = detail.value === "none" ? holder : { ...holder, ...detail.value };
  const reason = listed && ("reason" in listed ? listed.reason : reasonNotToResume(record, expected));
  if (listed && reason === undefined) return { findings: gapOf(`the cluster ${holder.id}`, detail), record };
  // The holder may be the resource's own cluster, which is deleted first. If it is not, the creation fails.
  const deleted = `"${name}" is the name of ${describe(holders)}, which must be deleted before the new cluster is created`;
  if (deletesFirst && !before) return { findings: [warning(deleted)] };
  const why = reason === undefined ? "" : `. ${notResumed(reason)}`;
  return { findings: [failure("name", `"${name}" ${takenReason(holders)}${why}`)] };
}

/** Judges whether this resource can adopt the cluster, and says what the adoption changes. */
export function judgeAdoption({ inputs, adopted: record }: Situation): Finding[] {
  if (!record) return [];
  const wrong = mismatches(comparableWith(inputs, record), record);
  const name = record.name === undefined ? "" : ` ("${cleanText(record.name, 100)}")`;
  // A check cannot tell an interrupted creation from a replacement of which the engine does not give the old name.
  const how = inputs.__deleteBeforeReplace
    ? ", unless a replacement deletes it first"
    : " (`--replace` and `pulumi state taint` do not replace it)";
  const why = inputs.adopt === undefined ? `, which an interrupted run has created${how}` : "";
  return [
    ...wrong.map(({ property, reason }) => failure(property, reason)),
    info(`adopts ${record.id}${name}${why}: ${changesText(inputs, record)}`),
  ];
}

/** The inputs, with the cluster's own values for those that are not known yet: these count as equal. */
function comparableWith(inputs: CheckedInputs, record: ClusterRecord): CheckedInputs {
  const open = textNames.filter((field) => hasUnknown(inputs[field]));
  return { ...inputs, ...Object.fromEntries(open.map((field) => [field, record[field] ?? ""])) };
}

function changesText(inputs: CheckedInputs, record: ClusterRecord): string {
  const power = isPowerChange(inputs, record) ? ["desiredStatus"] : [];
  const changed = [...new Set([...power, ...adoptionChanges(inputs, record)])].map((path) => cleanText(path, 100));
  if (changed.length === 0) return "nothing is changed";
  const isEnvSent = changed.some((path) => path.startsWith("env."));
  const others = isEnvSent ? "; variables that the program does not set may be removed" : "";
  return `${listOf(changed)} will be changed to match the program${others}`;
}

/** Whether the adoption starts or stops the cluster, as far as the status word shows. */
function isPowerChange(inputs: CheckedInputs, { status }: ClusterRecord): boolean {
  const state = stateOf(status);
  if (hasUnknown(inputs.desiredStatus) || state === "unknown" || isStopping(status)) return false;
  return runs(inputs) === (state === "stopped");
}
