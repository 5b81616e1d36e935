import type { ClusterList, ClusterRecord } from "../../api/records";
import { isStopping, stateOf } from "../../api/states";
import { CreateError } from "../../base/errors";
import { cleanText, listOf } from "../../base/text";
import { mismatches } from "../compare/adoption";
import { identifiersIn, sameImage, sameText, withTypeAmong } from "../compare/drift";
import type { CheckedInputs } from "../model/stateFields";
import type { OwnedIds } from "./ownedIds";

/** The clusters that have a name. */
export interface TakenName {
  readonly holders: readonly ClusterRecord[];
  /** Whether the list of clusters shows all of them. */
  readonly complete: ClusterList["complete"];
}

/** The name is taken, so nothing was created. */
export class TakenError extends CreateError {
  constructor(
    name: string,
    readonly taken: TakenName,
    options?: ErrorOptions,
  ) {
    super(`the name "${name}" ${takenReason(taken.holders)}`, options);
  }
}

/** @throws TakenError if the list shows a cluster of the name. */
export function refuseTaken(owned: OwnedIds, name: string, list: ClusterList | undefined, cause?: Error): void {
  const holders = list ? owned.holders(name, list) : [];
  if (list && holders.length > 0) throw new TakenError(name, { holders, complete: list.complete }, { cause });
}

/** The reason why a name cannot be used, and the next step. A preview shows the same text. */
export function takenReason(holders: readonly ClusterRecord[]): string {
  return (
    `is already the name of ${describe(holders)}. To manage it, for example after an interrupted run, set ` +
    `\`adopt: "${idOf(holders)}"\`; if you renamed its resource, add \`aliases\`; to replace it, set ` +
    "`deleteBeforeReplace: true`; otherwise use another `name`"
  );
}

/** The id for an `adopt` line. */
export function idOf([holder, other]: readonly ClusterRecord[]): string {
  return holder && !other ? holder.id : "<its id>";
}

/** The most clusters that a text describes. */
const mostDescribed = 2;

/** `cl_1 (running, since 2026-11-21T10:00:00Z, team/server:1.0)`: enough for a person to recognize the cluster. */
export function describe(clusters: readonly ClusterRecord[]): string {
  const shown = clusters.slice(0, mostDescribed).map(({ id, status, createdAt, container }) => {
    const image = container && cleanText(container, 60);
    const details = [status, createdAt && `since ${createdAt}`, image].filter(Boolean).join(", ");
    return details ? `${id} (${details})` : id;
  });
  const more = clusters.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** A run that continues an interrupted one comes within two days: also that of a pipeline that runs once a day. */
const resumeLimitMs = 48 * 60 * 60_000;

/** The cluster that may be left by an interrupted run, and what this process knows. */
interface Candidate {
  readonly inputs: CheckedInputs;
  /** The GPU types that the program allows. */
  readonly types: readonly string[];
  readonly record: ClusterRecord;
  readonly urn: string;
  readonly owned: OwnedIds;
  readonly nowMs: number;
}

/** What forbids to adopt a cluster without a person. The first reason that holds is shown. */
const doubts: readonly ((candidate: Candidate) => string | undefined)[] = [
  ({ inputs: { name }, record }) =>
    record.name === undefined || sameText(record.name, name) ? undefined : `it is "${cleanText(record.name, 100)}"`,
  ({ record, owned, urn }) => (owned.isManaged(record.id, urn) ? "the stack manages it already" : undefined),
  ({ record: { status = "in no state" } }) =>
    ["running", "pending", "failed"].includes(stateOf(status)) && !isStopping(status)
      ? undefined
      : `it is ${cleanText(status, 100)}`,
  ({ record }) => (identifiersIn(record).length > 0 ? undefined : "the service does not show its GPU type"),
  ({ inputs, types, record }) => {
    const others = mismatches(withTypeAmong(inputs, types, identifiersIn(record)), record).map(
      ({ property }) => property,
    );
    const { container } = record;
    const isOther = container !== undefined && !sameImage(inputs.container, container);
    const paths = [...others, ...(isOther ? ["container"] : [])];
    return paths.length > 0 ? `it has another ${listOf(paths.map((path) => `\`${path}\``))}` : undefined;
  },
  ({ record: { createdAt = "" }, nowMs }) => {
    const ageMs = nowMs - Date.parse(createdAt);
    if (Number.isNaN(ageMs)) return "the service does not show its age";
    return Math.abs(ageMs) <= resumeLimitMs ? undefined : "it is more than two days old";
  },
];

/** Why a cluster is not certainly the one that an interrupted run has created; `undefined` if it is. Pure. */
export function doubtOf(candidate: Candidate): string | undefined {
  for (const doubt of doubts) {
    const why = doubt(candidate);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** The clause that explains why `gpucluster:resume` has no effect. */
export function notAdopted(doubt: string): string {
  return `gpucluster:resume does not adopt it, because ${doubt}`;
}

/** The same for all clusters of the name. */
export function leftBehind(
  { holders: [record, other], complete }: TakenName,
  about: Omit<Candidate, "record">,
): { readonly record: ClusterRecord } | { readonly doubt: string } {
  if (!record || other) return { doubt: "several clusters have the name" };
  const doubt = complete ? doubtOf({ ...about, record }) : "the list of clusters is not complete";
  return doubt === undefined ? { record } : { doubt };
}
