import { createHash } from "node:crypto";
import { longestMadeLabel } from "../../api/endpoints";
import type { ClusterRecord } from "../../api/records";
import { cleanText } from "../../api/text";
import { hasUnknown } from "../../core";
import { describe, takenReason } from "../createOnce";
import type { CheckedInputs } from "../fields";
import type { Transition } from "./plan";
import type { OneCheck } from "./run";

/** Names: each for one resource, and for one cluster. */
export class NameCheck {
  /** Which resource has a name with a service; two organizations may each have one of it. */
  readonly #owners = new Map<string, string>();

  async judge(check: OneCheck, transition: Transition, isAdopted: boolean): Promise<void> {
    const { inputs, before } = transition;
    const { name } = inputs;
    if (hasUnknown(name)) return;
    const owner = this.#ownerOf(`${check.service?.seenBy} ${name.toLowerCase()}`, check.urn);
    if (owner !== check.urn) {
      check.fail("name", `"${name}" is the name of the resource ${owner} too; two clusters cannot have the same`);
    }
    // An adopted cluster has its name already; of an old one that goes first the name is free by then. A generated name is the
    // old one only in the first check of a replacement: the second makes another.
    const isFree = transition.kind === "update" || transition.oldGoesFirst || inputs.__generatedName === true;
    if (isAdopted || (before?.name === name && isFree)) return;
    const holders = (await check.inquiry.holders(name)) ?? [];
    if (holders.length > 0) await this.#refuse(check, transition, holders);
  }

  /** Fails closed before anything is bought, unless the old cluster may well be gone by the time of the creation. */
  async #refuse(check: OneCheck, { before, inputs }: Transition, holders: readonly ClusterRecord[]): Promise<void> {
    const { name, __deleteBeforeReplace: isOldFirst } = inputs;
    const reason = `"${name}" ${before?.name === name ? keptReason(holders) : await newReason(check, inputs, holders)}`;
    // Maybe its own cluster, which is deleted first; if it is not, the creation finds the name taken, and fails.
    if (isOldFirst && !before)
      check.warn(`"${name}" is the name of ${describe(holders)}, which has to be deleted before the creation`);
    else if (before?.name === name && isOldFirst === undefined) check.warn(reason);
    else check.fail("name", reason);
  }

  /** The names of hosts know no case, so neither does the key. */
  #ownerOf(key: string, urn: string): string {
    const owner = this.#owners.get(key) ?? urn;
    this.#owners.set(key, owner);
    return owner;
  }
}

const longestList = 20;

/** How to import what exists. One failure ends a preview, so that it also names the clusters that the next ones would be about. */
function importText(urn: string, holders: readonly ClusterRecord[], all: readonly ClusterRecord[]): string {
  const others = all.filter(({ id }) => !holders.some((holder) => holder.id === id));
  const shown = others.slice(0, longestList).map(({ id, name = "" }) => cleanText(`${name} ${id}`.trim(), 150));
  const more = others.length > shown.length ? `, and ${others.length - shown.length} more` : "";
  const id = holders.length === 1 ? holders[0]?.id : "<the id of the one>";
  const how = `\`pulumi import gpucluster:index:Cluster ${resourceNameOf(urn)} ${id}\``;
  const rest = shown.length > 0 ? `. Other clusters of the organization: ${shown.join(", ")}${more}` : "";
  return `A program with the native provider can also import it: ${how}${rest}`;
}

/** The engine replaces the cluster of its own accord, and does not know that two clusters cannot have one name. */
function keptReason(holders: readonly ClusterRecord[]): string {
  return (
    `is the name of ${describe(holders)}, which is replaced, and of the new cluster. The engine creates the new cluster ` +
    "first (by `replacementTrigger`, `replaceWith`, another `provider`, or `deleteBeforeReplace: false`), which fails while " +
    "the old one has the name: set the option `deleteBeforeReplace: true`, or give another `name`"
  );
}

/** Why a name cannot be used that is new to this resource, by all that a check is told. */
async function newReason(
  check: OneCheck,
  { __generatedName }: CheckedInputs,
  holders: readonly ClusterRecord[],
): Promise<string> {
  // A pattern of the stack's may make the name of another resource, too.
  if (!__generatedName || check.naming) {
    const forced = "If `--replace` or `pulumi state taint` replaces it, set the option `deleteBeforeReplace: true`";
    return `${takenReason(holders)}. ${forced}. ${importText(check.urn, holders, await check.inquiry.clusters())}`;
  }
  const id = holders.length === 1 ? holders[0]?.id : "<the id of the one>";
  return (
    `is already the name of ${describe(holders)}. Only this resource generates that name, so this is its own cluster. Nothing ` +
    "is taken over or overwritten. If you replace it by `--replace`, `--target-replace` or `pulumi state taint`, the " +
    "provider is not told the old name: run `pulumi up` without them and with a new `name`, which creates the new cluster " +
    "first; or set the option `deleteBeforeReplace: true` (TypeScript and JavaScript). If an interrupted run left it, take " +
    `it up with \`adopt: "${id}"\``
  );
}

/**
 * The name of a cluster whose program gives none: the resource's name and 7 hex digits. The digits come from the URN and
 * from the name of the cluster that this one replaces, so they are the same in preview, in update and in a second run after
 * a crash, and never those of the predecessor, which may still be there.
 */
export function generatedName(urn: string, predecessor = ""): string {
  const hash = createHash("sha256").update(`${urn}\n${predecessor}`).digest("hex").slice(0, 7);
  return `${labelOf(urn)}-${hash}`;
}

/** The resource's own name; empty where the engine has not said the URN. */
export function resourceNameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** The resource's name as a DNS label. */
function labelOf(urn: string): string {
  const label = resourceNameOf(urn)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longestMadeLabel)
    .replace(/^-+|-+$/g, "");
  return label || "cluster";
}
