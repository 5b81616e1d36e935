import type { Settings } from "../../config";
import { hasUnknown, type Properties, UNKNOWN } from "../../core";
import { tierOf } from "../extraFields";
import type { CheckedInputs } from "../fields";
import { costOfReplica } from "../money";
import { type Cost, Costs, costAt, isOpen, knownCost, overOwnLimit } from "./cost";
import type { Inquiry } from "./inquiry";
import type { OneCheck } from "./oneCheck";
import type { Transition } from "./transition";

/** What clusters cost, and the limits of that. */
export class CostCheck {
  readonly #costs = new Costs();
  /** Resources with a limit whose price could not be looked up in time. */
  readonly #unchecked = new Set<string>();

  /** Answers what is known of the cost, for the inputs. */
  async judge(check: OneCheck, transition: Transition): Promise<Properties> {
    const { inputs } = transition;
    const cost = await this.#costOf(check, transition);
    this.#costs.set(check.urn, cost);
    const isUnchecked = check.inquiry.lacks("prices") && isLimited(inputs, check.settings);
    if (isUnchecked) this.#unchecked.add(check.urn);
    else this.#unchecked.delete(check.urn);
    const over = overOwnLimit(cost, inputs.maxHourlyCost);
    if (over) check.fail("maxHourlyCost", over);
    // Where prices could not be looked up, that is what is said.
    if (!check.inquiry.lacks("prices")) this.#reportUnknown(check, inputs, cost);
    const { maxHourlyCost: limit } = check.settings;
    const overAll = limit !== undefined && cost.amount ? this.#costs.overLimit(limit) : undefined;
    if (overAll) check.fail("", overAll);
    if (isOpen(inputs)) return { hourlyCost: UNKNOWN };
    // A price that is not known is not gone: what was known before stays, if it tells a price.
    const { before } = transition;
    const amount = cost.amount ?? (before && costOfReplica(before) !== undefined ? before.hourlyCost : undefined);
    return amount === undefined ? {} : { hourlyCost: amount };
  }

  /**
   * Holds the limits for an operation whose price could not be looked up when it was checked, or that takes another GPU type.
   * @returns What it costs, as far as that is known, and why it may not be carried out, if so.
   */
  async judgeLate(
    urn: string,
    inquiry: Inquiry,
    inputs: CheckedInputs,
    settings: Settings,
    isOther: boolean,
  ): Promise<{ readonly amount?: number; readonly problem?: string }> {
    if (!this.#unchecked.has(urn) && !isOther) return { amount: inputs.hourlyCost };
    const price = await inquiry.price(inputs.gpuType, { tier: tierOf(inputs.extraFields) });
    const [gap] = inquiry.gaps;
    if (gap && isLimited(inputs, settings)) return { problem: `\`maxHourlyCost\` cannot be checked: ${gap.text}` };
    this.#unchecked.delete(urn);
    const cost = knownCost(inputs, undefined) ?? costAt(price, inputs);
    this.#costs.set(urn, cost);
    const { amount } = cost;
    const over = overOwnLimit(cost, inputs.maxHourlyCost);
    if (over) return { amount, problem: `\`maxHourlyCost\` ${over}` };
    const { maxHourlyCost: limit } = settings;
    return { amount, problem: limit !== undefined && amount ? this.#costs.overLimit(limit) : undefined };
  }

  async #costOf(check: OneCheck, { kind, before, inputs, effects }: Transition): Promise<Cost> {
    const known = knownCost(inputs, before);
    if (known) return known;
    const isChanged = kind !== "update" || effects.has("scale") || effects.has("power");
    const quietly = !isChanged && !isLimited(inputs, check.settings);
    const price = await check.inquiry.price(inputs.gpuType, { quietly, tier: tierOf(inputs.extraFields) });
    if (!price && check.service && !quietly && !check.inquiry.lacks("prices")) {
      const text = `the service names no price of "${inputs.gpuType}", so \`hourlyCost\` is left out`;
      check.inform(`${text}; so it is wherever else a price is not known`, "no price");
    }
    return costAt(price, inputs);
  }

  /** A limit that does not hold for what has no price must not pass in silence. */
  #reportUnknown(check: OneCheck, { maxHourlyCost }: CheckedInputs, { amount }: Cost): void {
    if (amount === undefined && maxHourlyCost !== undefined && !hasUnknown(maxHourlyCost)) {
      check.warn("`maxHourlyCost` cannot be checked: what the cluster costs is not known");
    }
    const [first] = check.settings.maxHourlyCost === undefined ? [] : this.#costs.uncounted();
    if (first === undefined) return;
    const text = `gpucluster:maxHourlyCost leaves out "${first}" and what else has no known price in one currency`;
    check.warn(text, "uncounted");
  }
}

function isLimited({ maxHourlyCost }: CheckedInputs, settings: Settings): boolean {
  return maxHourlyCost !== undefined || settings.maxHourlyCost !== undefined;
}
