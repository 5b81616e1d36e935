import { createHash } from "node:crypto";
import { longestMadeLabel } from "../../api/endpoints";
import type { ClusterRecord } from "../../api/records";
import { hasUnknown } from "../../core";
import { cleanText } from "../../text";
import { describe, takenReason } from "../createOnce";
import type { CheckedInputs } from "../fields";
import type { OneCheck } from "./oneCheck";
import type { Transition } from "./plan";

/** Checks names: each belongs to one resource and one cluster. */
export class NameCheck {
  /**
   * The URN of the resource with a name, by service and name: two organizations may each have a cluster of one name.
   */
  readonly #owners = new Map<string, string>();

  async judge(check: OneCheck, transition: Transition, isAdopted: boolean): Promise<void> {
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
    if (isAdopted || (before?.name === name && isFree)) return;
    const holders = (await check.inquiry.holders(name)) ?? [];
    if (holders.length > 0) await this.#refuse(check, transition, holders);
  }

  /** Fails before anything is bought, unless the old cluster may be gone by the time of the creation. */
  async #refuse(check: OneCheck, { before, inputs }: Transition, holders: readonly ClusterRecord[]): Promise<void> {
    const { name, __deleteBeforeReplace: isOldFirst } = inputs;
    const reason = `"${name}" ${before?.name === name ? keptReason(holders) : await newReason(check, inputs, holders)}`;
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
  const id = holders.length === 1 ? holders[0]?.id : "<its id>";
  const how = `\`pulumi import gpucluster:index:Cluster ${resourceNameOf(urn)} ${id}\``;
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
): Promise<string> {
  // A naming pattern of the stack may also generate the name of another resource.
  if (!__generatedName || check.naming) {
    const forced = "If `--replace` or `pulumi state taint` replaces it, set the option `deleteBeforeReplace: true`";
    return `${takenReason(holders)}. ${forced}. ${importText(check.urn, holders, await check.inquiry.clusters())}`;
  }
  const id = holders.length === 1 ? holders[0]?.id : "<its id>";
  return (
    `is already the name of ${describe(holders)}. Only this resource generates that name, so this is its own cluster. After an ` +
    `interrupted run, set \`adopt: "${id}"\`. If you replace it by \`--replace\`, \`--target-replace\` or ` +
    "`pulumi state taint`, the provider does not get the old name: run `pulumi up` without them and with a new `name`, or " +
    "set the option `deleteBeforeReplace: true` (TypeScript and JavaScript)"
  );
}

/**
 * The generated name of a cluster: the resource's name and 7 hex digits. The digits come from the URN and from the name
 * of the cluster that this one replaces. So they are the same in preview, in update and in a second run after a crash.
 * They never equal those of the replaced cluster, which may still exist.
 */
export function generatedName(urn: string, predecessor = ""): string {
  const hash = createHash("sha256").update(`${urn}\n${predecessor}`).digest("hex").slice(0, 7);
  return `${labelOf(urn)}-${hash}`;
}

/** The resource's own name; empty if the engine has not sent the URN. */
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
