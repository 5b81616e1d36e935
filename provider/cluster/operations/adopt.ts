import type { ClusterRecord, Extent } from "../../api/decode/records";
import { isStopping, stateOf } from "../../api/decode/states";
import { CreateError, type ErrorDetails, NotInPlaceError } from "../../base/errors";
import { cleanText, listOf } from "../../base/text";
import { maxResumeAgeMs } from "../../base/times";
import { type CallContext, InitError, type Properties } from "../../contract";
import { adoptedState, findMismatches, updateTo, withName } from "../diff/diff";
import { identifiersIn, sameImage, sameText, withTypeOfRecord } from "../diff/drift";
import type { CheckedInputs } from "../schema/state";
import { find } from "../service/lookup";
import { Operation } from "../service/operation";
import type { Dependencies } from "../wait/wait";
import { applyUpdate, failedAdoption } from "./update";

export interface Created {
  readonly id: string;
  readonly state: Properties;
}

/**
 * Adopts a cluster. Fields that the service reports are compared and corrected; the others are assumed to match the inputs.
 * @param listed The record of a cluster that the program does not name: an interrupted run has created it.
 */
export async function adoptCluster(
  deps: Dependencies,
  ctx: CallContext,
  requested: CheckedInputs,
  id: string,
  listed?: ClusterRecord,
): Promise<Created> {
  const operation = new Operation(ctx, deps, "create", { id, inputs: requested });
  const record = await find(deps, operation);
  const desired = record ? withTypeOfRecord(requested, record) : requested;
  const refusals = record
    ? findMismatches(desired, record, deps.client.capabilities.fixed).map(
        ({ property, reason }) => `\`${property}\` ${reason}`,
      )
    : ["it is not a cluster that this API key can see; getClusters() lists them"];
  const adopter = deps.registry.claim("adopter", id, ctx.urn);
  if (adopter !== ctx.urn) refusals.push(`${adopter} already adopts it`);
  // The record shows more than the list.
  const doubt = record && listed && reasonNotToResume(deps, ctx.urn, requested, { ...listed, ...record });
  if (doubt !== undefined) refusals.push(doubt);
  if (!record || refusals.length > 0) throw operation.error(`was not adopted: ${refusals.join("; ")}`);
  deps.registry.set("isAdopted", id, true);
  const inputs = withName(desired, record);
  const resumedAt = listed && new Date(deps.clock.now()).toISOString();
  const state = { ...adoptedState(inputs, record), __resumedAt: resumedAt };
  operation.show("adopted");
  if (listed) operation.info("adopted, because an interrupted run has created it");
  try {
    return { id, state: await applyUpdate(deps, operation, updateTo(inputs, state, record), failedAdoption) };
  } catch (error) {
    if (!(error instanceof InitError && error.cause instanceof NotInPlaceError)) throw error;
    // In the state, the next `pulumi up` would replace it.
    deps.registry.set("isAdopted", id, false);
    throw operation.error(`was not adopted: ${error.cause.reason}; set it to what ${id} has`, error.cause);
  }
}

/** A name that existing clusters have: a creation is refused, or adopts what an interrupted run has created. */
interface TakenName {
  readonly holders: readonly ClusterRecord[];
  readonly extent: Extent;
}

export class TakenError extends CreateError {
  constructor(
    reason: string,
    override readonly details: ErrorDetails & { readonly taken: TakenName },
  ) {
    super(reason, details);
  }
}

/** The reason why a name cannot be used, and the next step. A preview shows the same reason. */
export function takenReason(holders: readonly ClusterRecord[]): string {
  const id = holders.length === 1 ? holders[0]?.id : "<its id>";
  return (
    `is already the name of ${describeClusters(holders)}. If it is yours, perhaps kept by \`retainOnDelete\` (compare age and ` +
    `image: stacks of one name make the same), set \`adopt: "${id}"\`; if you renamed its resource, \`aliases\`; ` +
    "to replace it (`--replace`), `deleteBeforeReplace: true`; if another resource has it, another `name`"
  );
}

const maxDescribed = 2;

/** `cl_1 (running, since 2026-11-21T10:00:00Z, team/server:1.0)`: enough to recognize the cluster. Of several, the image is left out. */
export function describeClusters(clusters: readonly ClusterRecord[]): string {
  const described = clusters.slice(0, maxDescribed).map(({ id, status, createdAt, container }) => {
    const image = clusters.length === 1 && container && cleanText(container, 60);
    const details = [status, createdAt && `since ${createdAt}`, image].filter(Boolean).join(", ");
    return details ? `${id} (${details})` : id;
  });
  if (clusters.length > maxDescribed) described.push(`${clusters.length - maxDescribed} more`);
  return described.join(", ");
}

/** The one cluster of a name that an interrupted run has certainly created, or the reason why there is none. */
export function findResumable(
  deps: Dependencies,
  urn: string,
  inputs: CheckedInputs,
  { holders, extent }: TakenName,
): { readonly record: ClusterRecord } | { readonly reason: string } {
  const record = holders[0];
  if (!record || holders.length > 1) return { reason: "several clusters have the name" };
  if (extent !== "whole") return { reason: "the list of clusters is not complete" };
  const reason = reasonNotToResume(deps, urn, inputs, record);
  return reason === undefined ? { record } : { reason };
}

/** Why a cluster is not certainly the one that an interrupted run has created; `undefined` if it is. */
export function reasonNotToResume(
  { registry, clock }: Dependencies,
  urn: string,
  inputs: CheckedInputs,
  record: ClusterRecord,
): string | undefined {
  const { id, name, status = "in no state", createdAt = "", container } = record;
  if (name !== undefined && !sameText(name, inputs.name)) return `it is "${cleanText(name, 100)}"`;
  if (registry.isManaged(id, urn)) return "the stack manages it already";
  if (!["running", "pending", "failed"].includes(stateOf(status)) || isStopping(status))
    return `it is ${cleanText(status, 100)}`;
  const types = identifiersIn(record);
  if (types.length === 0) return "the service does not show its GPU type";
  const paths = findMismatches(withTypeOfRecord(inputs, record), record).map(({ property }) => property);
  if (container !== undefined && !sameImage(inputs.container, container)) paths.push("container");
  if (paths.length > 0) return `it has another ${listOf(paths.map((path) => `\`${path}\``))}`;
  const ageMs = clock.now() - Date.parse(createdAt);
  if (Number.isNaN(ageMs)) return "the service does not show its age";
  return Math.abs(ageMs) > maxResumeAgeMs ? "it is more than two days old" : undefined;
}

export const notResumed = "gpucluster:resume does not adopt it, because";
