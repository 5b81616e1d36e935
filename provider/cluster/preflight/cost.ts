import { isDeepStrictEqual } from "node:util";
import { isRejectedKey, messageOf } from "../../base/errors";
import { listOf, resourceNameOf } from "../../base/text";
import type { ResolvedSettings } from "../../config/settings";
import { hasUnknown, type Properties, UNKNOWN } from "../../contract";
import { costOfReplica, formatAmount, gpusPerReplica, roundCost, tierOf } from "../schema/gpus";
import type { CheckedInputs } from "../schema/state";
import type { Cost, PlannedCost } from "../service/registry";
import { type Finding, failure, gapOf, info, runs, type Situation, typesToTry, warning } from "./judges";
import type { Price } from "./reads";

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
  const { gpuType, replicas, desiredStatus, extraFields } = inputs;
  const isUnknown = hasUnknown([gpuType, replicas, desiredStatus, gpusPerReplica(extraFields), tierOf(extraFields)]);
  if (isUnknown) return { parts: "a value that is not known yet" };
  if (!runs(inputs)) return { amount: 0, parts: "stopped" };
  if (!previous || !runs(previous) || !isSamePrice(previous, inputs) || previous.replicas !== replicas)
    return undefined;
  const costPerReplica = costOfReplica(previous);
  if (costPerReplica === undefined) return undefined;
  const price = { amount: roundCost(costPerReplica / gpusPerReplica(extraFields)) };
  return { ...costAt(price, inputs), amount: previous.hourlyCost };
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
  const amount = costs[0]?.amount;
  const running = previous && runs(previous) ? previous : undefined;
  const isSameRunning = running !== undefined && isSamePrice(running, inputs);
  // Without the change, the cluster costs the current price if its type stays, because the price may have risen.
  let before = running ? running.hourlyCost : 0;
  if (isSameRunning && amount !== undefined && runs(inputs) && inputs.replicas > 0)
    before = roundCost((amount / inputs.replicas) * running.replicas);
  const dearest = costs.reduce((max, cost) => ((cost.amount ?? 0) > (max.amount ?? 0) ? cost : max));
  const overLimits = judgeLimits(situation, dearest, before);

  // An unknown price does not remove a known cost, which stays if it shows a price.
  const keptCost = previous !== undefined && costOfReplica(previous) !== undefined ? previous.hourlyCost : undefined;
  const shownCost = known && known.amount === undefined ? UNKNOWN : (amount ?? keptCost);
  const hourlyCost: Properties = shownCost === undefined ? {} : { hourlyCost: shownCost };
  const failed = prices.find(({ error }) => error !== undefined);
  // A running cluster that certainly costs no more needs no price.
  const costsNoMore = isSameRunning && inputs.replicas <= running.replicas;
  if (failed && limit !== undefined && !costsNoMore && !isRejectedKey(failed.error))
    return { hourlyCost, findings: [failure("", `${limit} cannot be checked: ${messageOf(failed.error)}`)] };

  const findings: Finding[] = [];
  const costsTheSame = isSameRunning && inputs.replicas === running.replicas;
  if (limit !== undefined || !costsTheSame) {
    const unpriced = prices.flatMap(({ value }, index) => (value === undefined ? `"${types[index]}"` : []));
    const text = `the service shows no price for ${listOf(unpriced)}`;
    if (failed) findings.push(...gapOf("prices", failed));
    else if (unpriced.length > 0 && limit === undefined)
      findings.push(info(`${text}, so \`hourlyCost\` is left out`, text));
    else if (unpriced.length > 0) findings.push(warning(`${text}, so ${limit} does not count it`, `${limit} ${text}`));
  }
  findings.push(...overLimits);
  if (costs.length > 1) {
    const ordered = costs.map((cost) => (cost.amount === undefined ? cost.parts : `${cost.parts} per hour`));
    findings.push(info(`the creation asks for ${ordered.join(", then for ")}`));
  }
  return { hourlyCost, findings };
}

/** The cost of a cluster that does not change counts towards the limit of the stack. */
export function judgeUnchangedCost(situation: Situation): Finding[] {
  const { inputs } = situation;
  const cost = knownCost(inputs, inputs) ?? costAt(undefined, inputs);
  return judgeLimits(situation, cost, cost.amount);
}

/** Counts the cost in the run, and judges its limits. A limit blocks only a change that raises the cost. */
function judgeLimits(
  { ctx: { urn }, deps, settings, run, inputs }: Situation,
  cost: Cost,
  before: number | undefined,
): Finding[] {
  const planned = { ...cost, label: resourceNameOf(urn) || "this cluster", before };
  deps.registry.set("cost", urn, planned);
  run.costs.set(urn, planned);
  const { maxHourlyCost: limit } = inputs;
  const { amount = 0, currency, parts } = cost;
  const findings: Finding[] = [];
  if (typeof limit === "number" && amount > limit) {
    const allowed = formatAmount(limit);
    const requested = `${formatAmount(amount, currency)} per hour: ${parts}`;
    if (amount <= (before ?? 0))
      findings.push(
        warning(`\`maxHourlyCost\` is ${allowed}, but the cluster costs ${requested}. No change raises it`),
      );
    else findings.push(failure("maxHourlyCost", `is ${allowed}, but the cluster would cost ${requested}`));
  }
  findings.push(...judgeTotal(ofStack, settings.maxHourlyCost, [...deps.registry.all("cost").values()], amount));
  findings.push(...judgeTotal(ofProvider, settings.providerMaxHourlyCost, [...run.costs.values()], amount));
  return findings;
}

const maxNamedCosts = 3;

/** Judges a limit of clusters together, for those that the run has checked so far. */
function judgeTotal(
  { name, clusters }: typeof ofStack,
  limit: number | undefined,
  costs: readonly PlannedCost[],
  amount: number,
): Finding[] {
  const totalOf = (amounts: readonly (number | undefined)[]) =>
    roundCost(amounts.reduce<number>((sum, each = 0) => sum + each, 0));
  const sum = totalOf(costs.map((cost) => cost.amount));
  if (limit === undefined || sum <= limit) return [];
  const currency = costs.find((cost) => cost.currency !== undefined)?.currency;
  const unknown = costs.filter((cost) => cost.amount === undefined).length;
  const missing = unknown > 0 ? `; not counted: ${unknown} whose cost is not known` : "";
  const charged = costs.flatMap((cost) => (cost.amount ? { ...cost, amount: cost.amount } : []));
  const largest = charged.sort((a, b) => b.amount - a.amount);
  const named = largest
    .slice(0, maxNamedCosts)
    .map((cost) => `${cost.label} ${formatAmount(cost.amount)} (${cost.parts})`);
  if (largest.length > maxNamedCosts) named.push(`and ${largest.length - maxNamedCosts} more`);
  const text = `${name} is ${formatAmount(limit)}, but ${clusters} seen so far cost ${formatAmount(sum, currency)} per hour: ${named.join(", ")}${missing}`;
  if (sum <= totalOf(costs.map(({ before }) => before)))
    return [warning(`${text}. No change so far raises this sum`, `over ${name}`)];
  return amount > 0 ? [failure("", text)] : [];
}
