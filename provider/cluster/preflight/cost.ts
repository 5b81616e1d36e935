import { isDeepStrictEqual } from "node:util";
import { isRejectedKey, messageOf } from "../../base/errors";
import { listOf, resourceNameOf } from "../../base/text";
import type { ResolvedSettings } from "../../config/settings";
import { hasUnknown, type Properties, UNKNOWN } from "../../contract";
import { costOfReplica, formatAmount, gpusPerReplica, roundCost, tierOf } from "../schema/gpus";
import type { CheckedInputs } from "../schema/state";
import type { Cost, PlannedCost } from "../service/registry";
import { type Finding, failure, gapOf, info, runs, type Situation, typesToTry, warning } from "./findings";
import type { Answer, Price } from "./reads";

type CostInputs = Pick<CheckedInputs, "gpuType" | "replicas" | "desiredStatus" | "hourlyCost" | "extraFields">;

export function costAt(price: Price | undefined, { gpuType, replicas, extraFields }: CostInputs): Cost {
  if (!price) return { parts: `${replicas} x ${gpuType} at an unknown price` };
  const gpus = gpusPerReplica(extraFields);
  return {
    ...price,
    amount: roundCost(price.amount * replicas * gpus),
    parts: `${replicas} x ${gpus > 1 ? `${gpus} ` : ""}${gpuType} at ${formatAmount(price.amount, price.currency)}`,
  };
}

/** The cost that needs no price: that of a stopped cluster, and of one whose cost does not change. */
function knownCost(inputs: CostInputs, previous: CostInputs | undefined): Cost | undefined {
  if (hasUnknownCost(inputs)) return { parts: "a value that is not known yet" };
  if (!runs(inputs)) return { amount: 0, parts: "stopped" };
  if (!previous || !isSameCost(inputs, previous)) return undefined;
  const costPerReplica = costOfReplica(previous);
  if (costPerReplica === undefined) return undefined;
  const price = { amount: roundCost(costPerReplica / gpusPerReplica(inputs.extraFields)) };
  return { ...costAt(price, inputs), amount: previous.hourlyCost };
}

function isSameCost(inputs: CostInputs, previous: CostInputs | undefined): boolean {
  if (!previous || runs(previous) !== runs(inputs)) return false;
  return isSamePrice(previous, inputs) && previous.replicas === inputs.replicas;
}

function hasUnknownCost({ gpuType, replicas, desiredStatus, extraFields }: CostInputs): boolean {
  return hasUnknown([gpuType, replicas, desiredStatus, gpusPerReplica(extraFields), tierOf(extraFields)]);
}

function isSamePrice(previous: CostInputs, inputs: CostInputs): boolean {
  const partsOf = ({ gpuType, extraFields }: CostInputs) => [gpuType, gpusPerReplica(extraFields), tierOf(extraFields)];
  return isDeepStrictEqual(partsOf(previous), partsOf(inputs));
}

const ofStack = { name: "gpucluster:maxHourlyCost", clusters: "the clusters" };
const ofProvider = { name: "`maxHourlyCost` of the provider", clusters: "its clusters" };

export function limitOf({ maxHourlyCost }: Properties | CheckedInputs, settings: ResolvedSettings): string | undefined {
  if (maxHourlyCost !== undefined) return "`maxHourlyCost`";
  if (settings.maxHourlyCost !== undefined) return ofStack.name;
  return settings.providerMaxHourlyCost === undefined ? undefined : ofProvider.name;
}

/** The limits count the dearest type that the creation can get; the inputs get the cost of the first. */
export async function judgeCost(situation: Situation) {
  const { reads, settings, inputs, previous } = situation;
  const limit = limitOf(inputs, settings);
  const types = typesToTry(situation);
  const tier = tierOf(inputs.extraFields);
  const known = knownCost(inputs, types.length > 1 ? undefined : previous);
  const prices = known ? [] : await Promise.all(types.map((type) => reads.price(type, tier)));
  const costs = known ? [known] : types.map((gpuType, index) => costAt(prices[index]?.value, { ...inputs, gpuType }));
  const dearest = costs.reduce((max, cost) => ((cost.amount ?? 0) > (max.amount ?? 0) ? cost : max));
  setCost(situation, dearest, costBefore(inputs, previous, costs[0]));
  // An unknown price does not remove a known cost, which stays if it shows a price.
  const keptCost = previous !== undefined && costOfReplica(previous) !== undefined ? previous.hourlyCost : undefined;
  const amount = hasUnknownCost(inputs) ? UNKNOWN : (costs[0]?.amount ?? keptCost);
  const hourlyCost: Properties = amount === undefined ? {} : { hourlyCost: amount };
  const failed = prices.find(({ error }) => error !== undefined);
  // A running cluster that certainly costs no more needs no price.
  const costsNoMore =
    previous && runs(previous) && isSamePrice(previous, inputs) && inputs.replicas <= previous.replicas;
  if (failed && limit !== undefined && !costsNoMore && !isRejectedKey(failed.error))
    return { hourlyCost, findings: [failure("", `${limit} cannot be checked: ${messageOf(failed.error)}`)] };
  const findings = judgeLimits(situation);
  if (limit !== undefined || !isSameCost(inputs, previous))
    findings.unshift(...(failed ? gapOf("prices", failed) : unpriced(types, prices, limit)));
  if (costs.length > 1) {
    const ordered = costs.map(({ parts, amount }) => (amount === undefined ? parts : `${parts} per hour`));
    findings.push(info(`the creation asks for ${ordered.join(", then for ")}`));
  }
  return { hourlyCost, findings };
}

/** The cost of a cluster that does not change counts towards the limit of the stack. */
export function judgeUnchangedCost(situation: Situation): Finding[] {
  const { inputs } = situation;
  const cost = knownCost(inputs, inputs) ?? costAt(undefined, inputs);
  setCost(situation, cost, cost.amount);
  return judgeLimits(situation);
}

function setCost({ ctx: { urn }, deps, run }: Situation, cost: Cost, before: number | undefined): void {
  const planned = { ...cost, label: resourceNameOf(urn) || "this cluster", before };
  deps.registry.setCost(urn, planned);
  run.costs.set(urn, planned);
}

/** What the cluster costs without the change: at the current price if its type stays, because the price may have risen. */
function costBefore(inputs: CheckedInputs, previous: CheckedInputs | undefined, cost: Cost | undefined) {
  if (!previous || !runs(previous)) return 0;
  const isComparable = runs(inputs) && inputs.replicas > 0 && isSamePrice(previous, inputs);
  if (cost?.amount === undefined || !isComparable) return previous.hourlyCost;
  return roundCost((cost.amount / inputs.replicas) * previous.replicas);
}

function unpriced(types: readonly string[], prices: readonly Answer<Price>[], limit: string | undefined): Finding[] {
  const names = listOf(prices.flatMap(({ value }, index) => (value === undefined ? `"${types[index]}"` : [])));
  if (names === "") return [];
  const text = `the service shows no price for ${names}`;
  if (limit === undefined) return [info(`${text}, so \`hourlyCost\` is left out`, text)];
  return [warning(`${text}, so ${limit} does not count it`, `${limit} ${text}`)];
}

/** A limit blocks only a change that raises the cost. */
function judgeLimits({ ctx: { urn }, deps, settings, run, inputs }: Situation): Finding[] {
  const { maxHourlyCost: limit } = inputs;
  const { amount = 0, before = 0, currency, parts } = deps.registry.costOf(urn) ?? { parts: "" };
  const totals = [
    ...judgeTotal(ofStack, settings.maxHourlyCost, deps.registry.costs(), amount),
    ...judgeTotal(ofProvider, settings.providerMaxHourlyCost, [...run.costs.values()], amount),
  ];
  if (typeof limit !== "number" || amount <= limit) return totals;
  const cost = `${formatAmount(amount, currency)} per hour: ${parts}`;
  if (amount <= before)
    return [
      warning(`\`maxHourlyCost\` is ${formatAmount(limit)}, but the cluster costs ${cost}. No change raises it`),
      ...totals,
    ];
  return [failure("maxHourlyCost", `is ${formatAmount(limit)}, but the cluster would cost ${cost}`), ...totals];
}

/** Judges a limit of clusters together, for those that the run has checked so far. */
function judgeTotal(
  { name, clusters }: typeof ofStack,
  limit: number | undefined,
  costs: readonly PlannedCost[],
  amount: number,
): Finding[] {
  const sum = totalOf(costs.map((cost) => cost.amount));
  if (limit === undefined || sum <= limit) return [];
  const currency = costs.find((cost) => cost.currency !== undefined)?.currency;
  const unknown = costs.filter((cost) => cost.amount === undefined).length;
  const missing = unknown > 0 ? `; not counted: ${unknown} whose cost is not known` : "";
  const cost = `${formatAmount(sum, currency)} per hour: ${largestParts(costs)}${missing}`;
  const text = `${name} is ${formatAmount(limit)}, but ${clusters} seen so far cost ${cost}`;
  if (sum <= totalOf(costs.map(({ before }) => before)))
    return [warning(`${text}. No change so far raises this sum`, `over ${name}`)];
  return amount > 0 ? [failure("", text)] : [];
}

function totalOf(amounts: readonly (number | undefined)[]): number {
  return roundCost(amounts.reduce<number>((sum, amount = 0) => sum + amount, 0));
}

const maxNamedCosts = 3;

function largestParts(costs: readonly PlannedCost[]): string {
  const amountOf = ({ amount = 0 }: PlannedCost) => amount;
  const largest = costs.filter((cost) => amountOf(cost) > 0).sort((a, b) => amountOf(b) - amountOf(a));
  const named = largest
    .slice(0, maxNamedCosts)
    .map((cost) => `${cost.label} ${formatAmount(amountOf(cost))} (${cost.parts})`);
  if (largest.length > maxNamedCosts) named.push(`and ${largest.length - maxNamedCosts} more`);
  return named.join(", ");
}
