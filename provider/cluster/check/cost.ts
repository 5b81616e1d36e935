import { isDeepStrictEqual } from "node:util";
import type { ClusterRecord } from "../../api/records";
import { stateOf } from "../../api/states";
import { isRejectedKey, messageOf } from "../../base/errors";
import { resourceNameOf } from "../../base/text";
import type { Settings } from "../../config/settings";
import { type CheckFailure, hasUnknown, type Properties, UNKNOWN } from "../../contract";
import { gpuTypeOf } from "../compare/drift";
import { runs, type Transition } from "../compare/transition";
import { gpusPerReplica, tierOf } from "../model/extraFields";
import { costOfReplica, money, roundCost } from "../model/money";
import type { CheckedInputs } from "../model/stateFields";
import type { Check, Fact, Price } from "../shared/facts";

/** The cost of a cluster for one hour, as far as it is known. */
export interface Cost {
  readonly amount?: number;
  readonly currency?: string;
  /** The parts of the cost: `2 x h100 at 2.99 USD`. */
  readonly parts: string;
}

type Priced = Pick<CheckedInputs, "gpuType" | "replicas" | "desiredStatus" | "hourlyCost" | "extraFields">;

/** The cost of all replicas, each with all of its GPUs. Pure. */
export function costAt(price: Price | undefined, inputs: Priced): Cost {
  const { gpuType, replicas, extraFields } = inputs;
  if (!price) return { parts: `${replicas} x ${gpuType} at an unknown price` };
  const gpus = gpusPerReplica(extraFields);
  return {
    ...price,
    amount: roundCost(price.amount * replicas * gpus),
    parts: `${replicas} x ${gpus > 1 ? `${gpus} ` : ""}${gpuType} at ${money(price.amount, price.currency)}`,
  };
}

/** The cost that needs no price: of a stopped cluster, and of an unchanged one whose price was known. Pure. */
export function knownCost(inputs: Priced, before: Priced | undefined): Cost | undefined {
  if (isOpen(inputs)) return { parts: "a value that is not known yet" };
  if (!runs(inputs)) return { amount: 0, parts: "stopped" };
  const isAsBefore = before && isSamePrice(before, inputs) && before.replicas === inputs.replicas;
  const each = isAsBefore ? costOfReplica(before) : undefined;
  if (each === undefined) return undefined;
  const price = { amount: roundCost(each / gpusPerReplica(inputs.extraFields)) };
  return { ...costAt(price, inputs), amount: before?.hourlyCost };
}

/** Whether an input that the cost depends on is not known yet. */
function isOpen({ gpuType, replicas, desiredStatus, extraFields }: Priced): boolean {
  return hasUnknown([gpuType, replicas, desiredStatus, gpusPerReplica(extraFields), tierOf(extraFields)]);
}

/** Whether a replica costs the same: by its type, its number of GPUs and its tier. */
function isSamePrice(before: Priced, inputs: Priced): boolean {
  const [old, next] = [before, inputs].map(({ gpuType, extraFields }) => [
    gpuType,
    gpusPerReplica(extraFields),
    tierOf(extraFields),
  ]);
  return isDeepStrictEqual(old, next);
}

/** Whether a cluster certainly costs no more after a change, whatever the price is. Pure. */
function costsNoMore({ before, inputs }: Transition): boolean {
  if (!runs(inputs)) return true;
  return before !== undefined && runs(before) && isSamePrice(before, inputs) && inputs.replicas <= before.replicas;
}

/** Whether the change has an effect on the cost. */
function isCostChanged({ kind, effects }: Transition): boolean {
  return kind !== "update" || effects.has("scale") || effects.has("power");
}

/** The name of the limit that concerns a cluster, if there is one. */
export function limitOf({ maxHourlyCost }: Properties | CheckedInputs, settings: Settings): string | undefined {
  if (maxHourlyCost !== undefined) return "`maxHourlyCost`";
  return settings.maxHourlyCost === undefined ? undefined : "gpucluster:maxHourlyCost";
}

/** Judges the cost of a cluster and its limits. Returns the cost for the inputs, as far as it is known. */
export async function judgeCost(
  check: Check,
  ledger: Ledger,
  transition: Transition,
  adopted?: ClusterRecord,
): Promise<Properties> {
  const { inputs, before } = transition;
  const known = knownCost(inputs, before);
  const price: Fact<Price> = known ? {} : await check.facts.price(inputs.gpuType, tierOf(inputs.extraFields));
  const cost = known ?? costAt(price.value, inputs);
  const isLimited = limitOf(inputs, check.settings) !== undefined;
  ledger.set(check.urn, cost, isLimited && !known ? await presentCost(check, transition, adopted) : cost.amount);
  const isPriced = known !== undefined || price.value !== undefined || reportNoPrice(check, transition, price.error);
  if (isPriced) {
    ledger.judge(check, inputs);
    reportUncounted(check, ledger, inputs, cost);
  }
  if (isOpen(inputs)) return { hourlyCost: UNKNOWN };
  // An unknown price does not remove the known cost: the old cost stays if it shows a price.
  const amount = cost.amount ?? (before && costOfReplica(before) !== undefined ? before.hourlyCost : undefined);
  return amount === undefined ? {} : { hourlyCost: amount };
}

/** What the cluster costs now, at the present prices of the service: the price may have risen since its creation. */
async function presentCost({ facts }: Check, { before, inputs }: Transition, adopted: ClusterRecord | undefined) {
  const { replicas = 0, status } = adopted ?? {};
  const now = adopted ? { ...inputs, gpuType: gpuTypeOf(adopted) ?? inputs.gpuType, replicas } : before;
  if (!now || (adopted ? stateOf(status) === "stopped" : !runs(now))) return 0;
  const { value } = await facts.price(now.gpuType, tierOf(now.extraFields));
  return costAt(value, now).amount ?? now.hourlyCost;
}

/**
 * Reports that a price is not known. A price that cannot be looked up fails a limit, unless the change certainly adds no cost:
 * then it returns false.
 */
function reportNoPrice(check: Check, transition: Transition, error: unknown): boolean {
  const { inputs } = transition;
  const limit = limitOf(inputs, check.settings);
  if (limit === undefined && !isCostChanged(transition)) return true;
  const isOpenLimit = limit !== undefined && !costsNoMore(transition) && !isRejectedKey(error);
  if (error !== undefined && isOpenLimit) {
    check.fail("", `${limit} cannot be checked: ${messageOf(error)}`);
    return false;
  }
  check.need("prices", { error });
  if (error !== undefined) return true;
  const text = `the service shows no price for "${inputs.gpuType}"`;
  check.inform(
    `${text}, so \`hourlyCost\` is left out. The same applies to other clusters without a price`,
    "no price",
  );
  return true;
}

/** A limit that cannot be checked, because the service shows no price, must not pass silently. */
function reportUncounted(check: Check, ledger: Ledger, { maxHourlyCost }: CheckedInputs, cost: Cost): void {
  if (cost.amount === undefined && maxHourlyCost !== undefined && !hasUnknown(maxHourlyCost))
    check.warn("`maxHourlyCost` cannot be checked: the cost of the cluster is not known");
  const [first] = check.settings.maxHourlyCost === undefined ? [] : ledger.uncounted();
  if (first === undefined) return;
  const text = `gpucluster:maxHourlyCost does not count "${first}" and other clusters without a known price in the same currency`;
  check.warn(text, "uncounted");
}

/** A cluster of the run. */
interface Item extends Cost {
  readonly label: string;
  /** What it costs now; undefined if that is not known. */
  readonly before?: number;
}

/** The costs of all clusters of a run, with the limits: one entry for each resource, which its next check overwrites. */
export class Ledger {
  readonly #items = new Map<string, Item>();

  /** @param before What the cluster costs now. */
  set(urn: string, cost: Cost, before: number | undefined): void {
    this.#items.set(urn, { ...cost, label: resourceNameOf(urn) || "this cluster", before });
  }

  /** Changes the cost of a cluster whose type changes. */
  change(urn: string, cost: Cost): void {
    const item = this.#items.get(urn);
    if (item) this.set(urn, cost, item.before);
  }

  /** Judges the limits: fails the check, or warns of a limit that is exceeded without this run. */
  judge(check: Check, inputs: CheckedInputs): void {
    const failures = this.over(check.urn, inputs, check.settings);
    check.failures.push(...failures);
    const text = failures.length === 0 ? this.#overStack(check.settings) : undefined;
    if (text !== undefined) check.warn(`${text}. No change so far raises the cost`, "over the limit");
  }

  /**
   * The limits that the cluster exceeds, alone or with the others. It needs no request. A limit never blocks a change that lowers
   * the cost: that of the cluster, or of the clusters that this run has seen so far.
   */
  over(urn: string, { maxHourlyCost: own }: CheckedInputs, settings: Settings): CheckFailure[] {
    const item = this.#items.get(urn);
    if (!item?.amount) return [];
    const { amount, before = 0, currency, parts } = item;
    const failures: CheckFailure[] = [];
    if (typeof own === "number" && amount > own && amount >= before) {
      const cost = `${money(amount, currency)} per hour: ${parts}`;
      failures.push({ property: "maxHourlyCost", reason: `is ${money(own)}, but the cluster would cost ${cost}` });
    }
    const text = this.#overStack(settings);
    if (text !== undefined && this.#rises()) failures.push({ property: "", reason: text });
    return failures;
  }

  /** Whether the clusters that this run has seen so far cost more than before. */
  #rises(): boolean {
    const items = [...this.#items.values()];
    return sumOf(items).amount > sumOf(items.map((each) => ({ ...each, amount: each.before }))).amount;
  }

  /** The names of the resources whose cost cannot be counted: it is not known, or in another currency than the first. */
  uncounted(): string[] {
    return sumOf([...this.#items.values()]).uncounted;
  }

  /** The text if the clusters that this run has seen so far cost more than the limit of the stack. */
  #overStack({ maxHourlyCost: limit }: Settings): string | undefined {
    if (limit === undefined) return undefined;
    const { amount, currency, parts, uncounted } = sumOf([...this.#items.values()]);
    if (amount <= limit) return undefined;
    const missing = uncounted.length > 0 ? `; not counted: ${uncounted.length} whose cost is not known` : "";
    const cost = `${money(amount, currency)} per hour: ${parts}${missing}`;
    return `gpucluster:maxHourlyCost is ${money(limit)}, but the clusters seen so far cost ${cost}`;
  }
}

const longestList = 3;

/** The sum of costs in one currency, its largest parts, and the names of what it leaves out. Pure. */
function sumOf(items: readonly Item[]) {
  const currency = items.find((item) => item.currency !== undefined)?.currency;
  // Amounts in different currencies have no sum. An amount without a currency is taken for the same currency.
  const countedOf = (item: Item) =>
    item.currency === undefined || item.currency === currency ? item.amount : undefined;
  const counted = items.map((item) => ({ item, amount: countedOf(item) ?? 0 }));
  const parts = counted.filter(({ amount }) => amount > 0).sort((a, b) => b.amount - a.amount);
  const largest = parts
    .slice(0, longestList)
    .map(({ item, amount }) => `${item.label} ${money(amount)} (${item.parts})`);
  const more = parts.length > longestList ? [`and ${parts.length - longestList} more`] : [];
  return {
    amount: roundCost(parts.reduce((total, { amount }) => total + amount, 0)),
    currency,
    parts: [...largest, ...more].join(", "),
    uncounted: items.filter((item) => countedOf(item) === undefined).map(({ label }) => label),
  };
}
