import type { ClusterRecord } from "../../api/decode/records";
import { isStopping, stateOf } from "../../api/decode/states";
import { cleanText, listOf } from "../../base/text";
import { mismatches } from "../diff/adoption";
import { identifiersIn, sameImage, sameText, withTypeAmong } from "../diff/drift";
import { allowedTypes } from "../schema/gpuTypes";
import type { CheckedInputs } from "../schema/stateFields";
import { generatedName } from "../schema/validate";
import type { OwnedIds } from "../service/owners";
import type { TakenName } from "./takenName";

/** What an interrupted run of this stack would have created. */
export interface Expected {
  readonly inputs: CheckedInputs;
  readonly urn: string;
  readonly owned: OwnedIds;
  readonly nowMs: number;
}

/** Whether only this resource of this stack makes the name: then a cluster of the name may be resumed. */
export function isResumableName(
  { name, adopt, __generatedName }: CheckedInputs,
  urn: string,
  { salt, predecessor }: { readonly salt: string | undefined; readonly predecessor: string | undefined },
): boolean {
  if (salt === undefined || adopt !== undefined || !__generatedName) return false;
  return name === generatedName(urn, predecessor, salt);
}

/** The one cluster of a name that an interrupted run has certainly created, or the reason why there is none. */
export function findResumable(
  { holders: [record, other], complete }: TakenName,
  expected: Expected,
): { readonly record: ClusterRecord } | { readonly reason: string } {
  if (!record || other) return { reason: "several clusters have the name" };
  if (!complete) return { reason: "the list of clusters is not complete" };
  const reason = reasonNotToResume(record, expected);
  return reason === undefined ? { record } : { reason };
}

/**
 * A run that continues an interrupted one comes within two days, even that of a pipeline that runs once a day. An older cluster
 * was hardly left by this stack. Beside two days, a difference of the two clocks does not matter.
 */
const maxAgeMs = 48 * 60 * 60_000;

/** Why a cluster is not certainly the one that an interrupted run has created; `undefined` if it is. */
export function reasonNotToResume(record: ClusterRecord, { inputs, urn, owned, nowMs }: Expected): string | undefined {
  const { id, name, status = "in no state", createdAt = "", container } = record;
  if (name !== undefined && !sameText(name, inputs.name)) return `it is "${cleanText(name, 100)}"`;
  if (owned.isManaged(id, urn)) return "the stack manages it already";
  if (!["running", "pending", "failed"].includes(stateOf(status)) || isStopping(status))
    return `it is ${cleanText(status, 100)}`;
  const types = identifiersIn(record);
  if (types.length === 0) return "the service does not show its GPU type";
  const paths = mismatches(withTypeAmong(inputs, allowedTypes(inputs), types), record).map(({ property }) => property);
  if (container !== undefined && !sameImage(inputs.container, container)) paths.push("container");
  if (paths.length > 0) return `it has another ${listOf(paths.map((path) => `\`${path}\``))}`;
  const ageMs = nowMs - Date.parse(createdAt);
  if (Number.isNaN(ageMs)) return "the service does not show its age";
  return Math.abs(ageMs) > maxAgeMs ? "it is more than two days old" : undefined;
}

/** The clause that explains why `gpucluster:resume` has no effect. */
export function notResumed(reason: string): string {
  return `gpucluster:resume does not adopt it, because ${reason}`;
}
