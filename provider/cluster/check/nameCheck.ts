import { hasUnknown } from "../../core";
import { takenReason } from "../claim";
import type { OneCheck } from "./oneCheck";
import type { Transition } from "./transition";

/** Names: each for one resource, and for one cluster. */
export class NameCheck {
  /** Which resource has a name with a service; two organizations may each have one of it. */
  readonly #owners = new Map<string, string>();

  async judge(check: OneCheck, { inputs, before }: Transition, isAdopted: boolean): Promise<void> {
    const { name } = inputs;
    if (hasUnknown(name)) return;
    const owner = this.#ownerOf(`${check.service?.seenBy} ${name.toLowerCase()}`, check.urn);
    if (owner !== check.urn) {
      check.fail("name", `"${name}" is the name of the resource ${owner} too; two clusters cannot have the same`);
    }
    // The predecessor of a replacement goes first when it has the same name; an adopted cluster has its name already.
    if (isAdopted || before?.name === name) return;
    const holders = await check.inquiry.holders(name);
    // Fails closed before anything is bought.
    if (holders && holders.length > 0) check.fail("name", `"${name}" ${takenReason(holders)}`);
  }

  /** The names of hosts know no case, so neither does the key. */
  #ownerOf(key: string, urn: string): string {
    const owner = this.#owners.get(key) ?? urn;
    this.#owners.set(key, owner);
    return owner;
  }
}
