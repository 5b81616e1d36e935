import { isDeepStrictEqual } from "node:util";
import type { Settings } from "../../config";
import { hasUnknown, type Properties, UNKNOWN } from "../../core";
import { GpuClusterError } from "../../errors";
import { resourceNameOf } from "../../text";
import { gpusPerReplica, tierOf } from "../extraFields";
import type { ReplicaRange } from "../fields";
import { costOfReplica, money, roundCost } from "../money";
import type { CheckedInputs } from "../stateFields";
import type { Inquiry, Price } from "./facts";
import type { OneCheck } from "./oneCheck";
import { runs, type Transition } from "./plan";

/** The limit of the cost cannot be checked, because the GPU type has no known price. */
export class UnpricedError extends GpuClusterError {}

/** The cost of a cluster just before an operation. */
interface LateCost {
  readonly amount?: number;
  /** The reason if the operation may not run. */
  readonly problem?: string;
  /** The text if a limit cannot be checked, because the service names no price. */
  readonly unpriced?: string;
}

/** Checks the cost of clusters, and its limits. */
export class CostCheck {
  readonly #costs = new Costs();
  /** Resources with a limit whose price could not be looked up in time. */
  readonly #unchecked = new Set<string>();

  /** Judges the cost. Returns it as far as it is known, for the inputs. */
  async judge(check: OneCheck, transition: Transition): Promise<Properties> {
    const { inputs } = transition;
    const cost = await this.#costOf(check, transition);
    this.#costs.set(check.urn, cost);
    const isUnchecked = check.inquiry.lacks("prices") && isLimited(inputs, check.settings);
    if (isUnchecked) this.#unchecked.add(check.urn);
    else this.#unchecked.delete(check.urn);
    const over = overOwnLimit(cost, inputs.maxHourlyCost);
    if (over) check.fail("maxHourlyCost", over);
    else if (cost.range && isCostChanged(transition)) check.inform(`costs ${amountText(cost)} per hour: ${cost.parts}`);
    // If the lookup of prices failed, the gap is reported instead.
    if (!check.inquiry.lacks("prices")) this.#reportUnknown(check, inputs, cost);
    const { maxHourlyCost: limit } = check.settings;
    const overAll = limit !== undefined && cost.amount ? this.#costs.overLimit(limit) : undefined;
    if (overAll) check.fail("", overAll);
    if (isOpen(inputs)) return { hourlyCost: UNKNOWN };
    // An unknown price does not remove the known cost: the old cost stays if it shows a price.
    const { before } = transition;
    const amount = cost.amount ?? (before && costOfReplica(before) !== undefined ? before.hourlyCost : undefined);
    return amount === undefined ? {} : { hourlyCost: amount };
  }

  /**
   * Enforces the limits for an operation whose price could not be looked up by its check, or that takes another GPU
   * type.
   */
  async judgeLate(
    urn: string,
    inquiry: Inquiry,
    inputs: CheckedInputs,
    settings: Settings,
    isOther: boolean,
  ): Promise<LateCost> {
    if (!this.#unchecked.has(urn) && !isOther) return { amount: inputs.hourlyCost };
    const price = await inquiry.price(inputs.gpuType, { tier: tierOf(inputs.extraFields) });
    const [gap] = inquiry.gaps;
    if (gap && isLimited(inputs, settings)) return { problem: `\`maxHourlyCost\` cannot be checked: ${gap.text}` };
    this.#unchecked.delete(urn);
    const cost = knownCost(inputs, undefined) ?? costAt(price, inputs);
    this.#costs.set(urn, cost);
    const { amount } = cost;
    if (amount === undefined && isLimited(inputs, settings))
      return { unpriced: `\`maxHourlyCost\` cannot be checked: the service shows no price for "${inputs.gpuType}"` };
    const over = overOwnLimit(cost, inputs.maxHourlyCost);
    if (over) return { amount, problem: `\`maxHourlyCost\` ${over}` };
    const { maxHourlyCost: limit } = settings;
    return { amount, problem: limit !== undefined && amount ? this.#costs.overLimit(limit) : undefined };
  }

  async #costOf(check: OneCheck, transition: Transition): Promise<Cost> {
    const { before, inputs } = transition;
    const known = knownCost(inputs, before);
    if (known) return known;
    const quietly = !isCostChanged(transition) && !isLimited(inputs, check.settings);
    const price = await check.inquiry.price(inputs.gpuType, { quietly, tier: tierOf(inputs.extraFields) });
    if (!price && check.service && !quietly && !check.inquiry.lacks("prices")) {
      const text = `the service shows no price for "${inputs.gpuType}", so \`hourlyCost\` is left out`;
      check.inform(`${text}. The same applies to other clusters without a price`, "no price");
    }
    return costAt(price, inputs);
  }

  /** Reports a limit that cannot be checked because a price is not known: that must not pass silently. */
  #reportUnknown(check: OneCheck, { maxHourlyCost }: CheckedInputs, { amount }: Cost): void {
    if (amount === undefined && maxHourlyCost !== undefined && !hasUnknown(maxHourlyCost)) {
      check.warn("`maxHourlyCost` cannot be checked: the cost of the cluster is not known");
    }
    const [first] = check.settings.maxHourlyCost === undefined ? [] : this.#costs.uncounted();
    if (first === undefined) return;
    const text = `gpucluster:maxHourlyCost does not count "${first}" and other clusters without a known price in the same currency`;
    check.warn(text, "uncounted");
  }
}

/** Whether the change has an effect on the cost, as far as it is known without a price. */
function isCostChanged({ kind, effects }: Transition): boolean {
  return kind !== "update" || effects.has("scale") || effects.has("power");
}

function isLimited({ maxHourlyCost }: CheckedInputs, settings: Settings): boolean {
  return maxHourlyCost !== undefined || settings.maxHourlyCost !== undefined;
}

/** The cost of a cluster for one hour, as far as it is known. */
export interface Cost {
  readonly amount?: number;
  /** The least and the greatest cost, if the inputs give a range of replicas: limits count the greatest. */
  readonly range?: ReplicaRange;
  readonly currency?: string;
  /** The parts of the cost: `2 x h100 at 2.99 USD`. */
  readonly parts: string;
}

type Priced = Pick<
  CheckedInputs,
  "gpuType" | "replicas" | "__replicaRange" | "desiredStatus" | "hourlyCost" | "extraFields"
>;

/** The cost that limits count. */
function mostOf({ amount, range }: Cost): number | undefined {
  return range?.max ?? amount;
}

/** The cost in messages: `5.98 USD`, `5.98 to 23.92 USD`. */
function amountText({ amount = 0, range, currency }: Cost): string {
  return range ? `${money(range.min)} to ${money(range.max, currency)}` : money(amount, currency);
}

/** Whether an input that the cost depends on is not known yet. */
export function isOpen({ gpuType, replicas, desiredStatus, extraFields }: Priced): boolean {
  return hasUnknown([gpuType, replicas, desiredStatus, ...pricing(extraFields)]);
}

/**
 * The cost that needs no lookup of a price: that of a stopped cluster, and that of an unchanged cluster whose price was
 * known. Pure.
 */
export function knownCost(inputs: Priced, before: Priced | undefined): Cost | undefined {
  const { gpuType, replicas } = inputs;
  if (isOpen(inputs)) return { parts: "a value that is not known yet" };
  if (!runs(inputs)) return { amount: 0, parts: "stopped" };
  const isAsBefore =
    before?.gpuType === gpuType &&
    before.replicas === replicas &&
    isDeepStrictEqual(pricing(before.extraFields), pricing(inputs.extraFields));
  const each = isAsBefore ? costOfReplica(before) : undefined;
  if (each === undefined) return undefined;
  const price = { amount: roundCost(each / gpusPerReplica(inputs.extraFields)) };
  return { ...costAt(price, inputs), amount: before?.hourlyCost };
}

/** The extra fields that the cost depends on: the number of GPUs of a replica, and the tier. */
function pricing(extras: CheckedInputs["extraFields"]): unknown[] {
  return [gpusPerReplica(extras), tierOf(extras)];
}

/** The cost of all replicas, each with all of its GPUs. */
export function costAt(price: Price | undefined, inputs: Priced): Cost {
  const { gpuType, replicas, __replicaRange: range, extraFields } = inputs;
  const count = range ? `${range.min} to ${range.max}` : replicas;
  if (!price) return { parts: `${count} x ${gpuType} at an unknown price` };
  const gpus = gpusPerReplica(extraFields);
  const amountOf = (number: number) => roundCost(price.amount * number * gpus);
  return {
    ...price,
    amount: amountOf(replicas),
    ...(range && { range: { min: amountOf(range.min), max: amountOf(range.max) } }),
    parts: `${count} x ${gpus > 1 ? `${gpus} ` : ""}${gpuType} at ${money(price.amount, price.currency)}`,
  };
}

/** The text if a cluster costs more than its own limit allows. */
export function overOwnLimit(cost: Cost, limit: number | undefined): string | undefined {
  const most = mostOf(cost);
  if (most === undefined || typeof limit !== "number" || most <= limit) return undefined;
  return `is ${money(limit)}, but the cluster would cost ${amountText(cost)} per hour: ${cost.parts}`;
}

/** The cost of the clusters of a run: one entry for each resource, which its next check overwrites. */
export class Costs {
  readonly #byUrn = new Map<string, Cost>();

  set(urn: string, cost: Cost): void {
    this.#byUrn.set(urn, cost);
  }

  /**
   * The names of the resources whose cost cannot be counted: it is not known, or in another currency than the first.
   */
  uncounted(): string[] {
    const { currency } = this;
    return [...this.#byUrn].filter(([, cost]) => !isCounted(cost, currency)).map(([urn]) => nameOf(urn));
  }

  /** The text if all clusters so far cost more than the limit of the stack allows. */
  overLimit(limit: number): string | undefined {
    const { currency } = this;
    const counted = [...this.#byUrn]
      .flatMap(([urn, cost]) => (isCounted(cost, currency) ? [{ urn, ...cost, amount: mostOf(cost) ?? 0 }] : []))
      .sort((a, b) => b.amount - a.amount);
    const sum = roundCost(counted.reduce((total, { amount }) => total + amount, 0));
    if (sum <= limit) return undefined;
    const largest = counted.filter(({ amount }) => amount > 0).slice(0, longestList);
    const parts = largest.map(({ urn, amount, parts: made }) => `${nameOf(urn)} ${money(amount)} (${made})`);
    const more = counted.filter(({ amount }) => amount > 0).length - largest.length;
    const unknown = this.uncounted().length;
    return [
      `gpucluster:maxHourlyCost is ${money(limit)}, but the clusters seen so far cost ${money(sum, currency)} per hour: `,
      parts.join(", "),
      more > 0 ? `, and ${more} more` : "",
      unknown > 0 ? `; not counted: ${unknown} whose cost is not known` : "",
    ].join("");
  }

  private get currency(): string | undefined {
    return [...this.#byUrn.values()].find((cost) => cost.currency !== undefined)?.currency;
  }
}

const longestList = 3;

/** Amounts in different currencies have no sum. An amount without a currency is taken for the same currency. */
function isCounted({ amount, currency }: Cost, base: string | undefined): boolean {
  return amount !== undefined && (currency === undefined || base === undefined || currency === base);
}

function nameOf(urn: string): string {
  return resourceNameOf(urn) || "this cluster";
}
