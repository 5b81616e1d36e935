import type { ClusterRecord } from "../../api/records";
import { hasUnknown } from "../../core";
import { describe, takenReason } from "../claim";
import type { CheckedInputs } from "../fields";
import type { OneCheck } from "./oneCheck";
import type { Transition } from "./transition";

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
    // An adopted cluster has its name already; of an old one that goes first the name is free by then.
    if (isAdopted || (before?.name === name && (transition.kind === "update" || transition.oldGoesFirst))) return;
    const holders = (await check.inquiry.holders(name)) ?? [];
    if (holders.length > 0) this.#refuse(check, transition, holders);
  }

  /** Fails closed before anything is bought, unless the old cluster may well be gone by the time of the creation. */
  #refuse(check: OneCheck, { before, inputs }: Transition, holders: readonly ClusterRecord[]): void {
    const { name, __deleteBeforeReplace: isOldFirst } = inputs;
    const reason = `"${name}" ${before?.name === name ? keptReason(holders) : newReason(check, inputs, holders)}`;
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

/** The engine replaces the cluster of its own accord, and does not know that two clusters cannot have one name. */
function keptReason(holders: readonly ClusterRecord[]): string {
  return (
    `is the name of ${describe(holders)}, which is replaced, and of the new cluster. The engine creates the new cluster ` +
    "first (by `replacementTrigger`, `replaceWith`, another `provider`, or `deleteBeforeReplace: false`), which fails while " +
    "the old one has the name: set the option `deleteBeforeReplace: true`, or give another `name`"
  );
}

/** Why a name cannot be used that is new to this resource, by all that a check is told. */
function newReason(
  { naming }: OneCheck,
  { __generatedName }: CheckedInputs,
  holders: readonly ClusterRecord[],
): string {
  // A pattern of the stack's may make the name of another resource, too.
  if (!__generatedName || naming) {
    const forced = "If `--replace` or `pulumi state taint` replaces it, set the option `deleteBeforeReplace: true`";
    return `${takenReason(holders)}. ${forced}`;
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
