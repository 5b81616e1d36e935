import { isDeepStrictEqual } from "node:util";
import type { ClusterList, ClusterRecord } from "../../api/records";
import type { Settings } from "../../config";
import { hasUnknown, type Properties, UNKNOWN } from "../../core";
import { GpuClusterError } from "../../errors";
import { gpusPerReplica, tierOf } from "../extraFields";
import { costOfReplica, money, roundCost } from "../money";
import type { CheckedInputs } from "../stateFields";
import { type Cost, Costs, type Listed, mostOf, type Place } from "./costSum";
import { costOfListed } from "./elsewhere";
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
  /** The costs of the clusters of a list: many checks compare with the same list. */
  readonly #listed = new WeakMap<ClusterList, Promise<Listed[]>>();

  /** Judges the cost. Returns it as far as it is known, for the inputs. */
  async judge(check: OneCheck, transition: Transition, adopted?: ClusterRecord): Promise<Properties> {
    const { inputs } = transition;
    const cost = await this.#costOf(check, transition);
    this.#costs.set(check.urn, cost, await placeOf(check, transition, adopted));
    const isUnchecked = check.inquiry.lacks("prices") && hasLimit(inputs, check.settings);
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
    await this.#judgeOrganization(check);
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
    const isUnchecked = this.#unchecked.has(urn);
    if (!isUnchecked && !isOther) return { amount: inputs.hourlyCost };
    const price = await inquiry.price(inputs.gpuType, { tier: tierOf(inputs.extraFields) });
    const [gap] = inquiry.gaps;
    if (gap && isLimited(inputs, settings)) return { problem: `\`maxHourlyCost\` cannot be checked: ${gap.text}` };
    this.#unchecked.delete(urn);
    const cost = knownCost(inputs, undefined) ?? costAt(price, inputs);
    this.#costs.set(urn, cost);
    const { amount } = cost;
    if (amount === undefined && hasLimit(inputs, settings))
      return {
        unpriced: `${limitName(inputs, settings)} cannot be checked: the service shows no price for "${inputs.gpuType}"`,
      };
    const over = overOwnLimit(cost, inputs.maxHourlyCost);
    if (over) return { amount, problem: `\`maxHourlyCost\` ${over}` };
    const { maxHourlyCost: limit } = settings;
    const overAll = limit !== undefined && amount ? this.#costs.overLimit(limit) : undefined;
    const list = isUnchecked && this.#costs.rises(urn) ? await inquiry.clusters() : undefined;
    return { amount, problem: overAll ?? (await this.overOrganization(urn, inquiry, settings, list)) };
  }

  /**
   * The text if a cluster will cost more than now, and then all clusters of a list together cost more than the limit of
   * the organization allows.
   */
  async overOrganization(
    urn: string,
    inquiry: Inquiry,
    { maxHourlyCostOfOrganization: limit }: Settings,
    list: ClusterList | undefined,
  ): Promise<string | undefined> {
    if (limit === undefined || !list || !this.#costs.rises(urn)) return undefined;
    return this.#costs.overOrganization(limit, urn, await this.#costsIn(inquiry, list));
  }

  /** Compares with the limit of the organization, and reports what cannot be counted. */
  async #judgeOrganization(check: OneCheck): Promise<void> {
    const { urn, inquiry, settings } = check;
    const list = this.#costs.rises(urn) ? await inquiry.clusters(organizationCost) : undefined;
    if (!list) return;
    const over = await this.overOrganization(urn, inquiry, settings, list);
    if (over) check.fail("", over);
    if (!list.complete) inquiry.leaveOpen(organizationCost, "the list of clusters is not complete");
    const [first, ...more] = this.#costs.uncountedIn(urn, await this.#costsIn(inquiry, list));
    const which = more.length > 0 ? `${first} and ${more.length} more` : first;
    const text = `no cost in the same currency is known for ${which}, which is not counted`;
    if (first !== undefined) inquiry.leaveOpen(organizationCost, text);
  }

  #costsIn(inquiry: Inquiry, list: ClusterList): Promise<Listed[]> {
    const known = this.#listed.get(list);
    const costOf = async (record: ClusterRecord) => ({ ...(await costOfListed(inquiry, record)), record });
    const costs = known ?? Promise.all(list.clusters.map(costOf));
    this.#listed.set(list, costs);
    return costs;
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
      if (isCostChanged(transition) && check.settings.maxHourlyCostOfOrganization !== undefined)
        check.inquiry.leaveOpen(organizationCost, `the service shows no price for "${inputs.gpuType}"`);
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

/** What a gap names. */
const organizationCost = "the cost of the organization";

/** Whether the change has an effect on the cost, as far as it is known without a price. */
function isCostChanged({ kind, effects }: Transition): boolean {
  return kind !== "update" || effects.has("scale") || effects.has("power");
}

function hasLimit(inputs: CheckedInputs, settings: Settings): boolean {
  return isLimited(inputs, settings) || settings.maxHourlyCostOfOrganization !== undefined;
}

function limitName(inputs: CheckedInputs, settings: Settings): string {
  return isLimited(inputs, settings) ? "`maxHourlyCost`" : "gpucluster:maxHourlyCostOfOrganization";
}

function isLimited({ maxHourlyCost }: CheckedInputs, settings: Settings): boolean {
  return maxHourlyCost !== undefined || settings.maxHourlyCost !== undefined;
}

type Priced = Pick<
  CheckedInputs,
  "gpuType" | "replicas" | "__replicaRange" | "desiredStatus" | "hourlyCost" | "extraFields"
>;

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

async function placeOf(check: OneCheck, transition: Transition, adopted: ClusterRecord | undefined): Promise<Place> {
  const { before, inputs } = transition;
  const isAsBefore = knownCost(inputs, before) && isDeepStrictEqual(inputs.__replicaRange, before?.__replicaRange);
  const isConcerned = check.settings.maxHourlyCostOfOrganization !== undefined && !isAsBefore;
  return {
    service: check.service,
    marks: [inputs.name, before?.name, inputs.adopt].filter((mark) => mark !== undefined),
    before: isConcerned ? await costBefore(check, before, adopted) : undefined,
  };
}

/** The present cost of a cluster, at the present price: a price that has risen makes no scale-down dearer. */
async function costBefore(
  { inquiry }: OneCheck,
  before: CheckedInputs | undefined,
  adopted: ClusterRecord | undefined,
) {
  if (adopted) return (await costOfListed(inquiry, adopted)).amount ?? 0;
  if (!before || !runs(before)) return 0;
  const price = await inquiry.price(before.gpuType, { quietly: true, tier: tierOf(before.extraFields) });
  return mostOf(costAt(price, before)) ?? before.hourlyCost ?? 0;
}
