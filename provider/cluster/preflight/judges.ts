import { isDeepStrictEqual } from "node:util";
import { type ClusterRecord, isUuid } from "../../api/decode/records";
import { ambiguousMessage, identifiersInList, isSameGpu, matchGpu } from "../../api/gpuMatch";
import { isRejectedKey, messageOf } from "../../base/errors";
import { cleanText, listOf, maxNamed, resourceNameOf } from "../../base/text";
import type { ResolvedSettings } from "../../config/settings";
import { type CallContext, hasUnknown, type Properties, UNKNOWN } from "../../contract";
import { identifiersIn } from "../diff/drift";
import { endsWithoutCapacity } from "../operations/create";
import {
  allowedTypes,
  costOfReplica,
  formatAmount,
  gpusOf,
  gpusPerReplica,
  hasKnownType,
  hasType,
  identifiersOfType,
  roundCost,
  tierOf,
} from "../schema/gpus";
import type { CheckedInputs } from "../schema/state";
import type { Cost, PlannedCost } from "../service/registry";
import type { Dependencies } from "../wait/wait";
import type { Answer, Price, Reads, RunMemory } from "./reads";

export interface Situation {
  readonly ctx: CallContext;
  readonly deps: Dependencies;
  readonly settings: ResolvedSettings;
  readonly run: RunMemory;
  readonly reads: Reads;
  readonly inputs: CheckedInputs;
  /** What the check seems to be about; `preflight` says how it is known. A creation or replacement can adopt a cluster. */
  readonly kind: "creation" | "change" | "replacement";
  readonly previous: CheckedInputs | undefined;
  readonly adopted?: ClusterRecord | undefined;
  /** Whether the resource may adopt the cluster that has its name, because an interrupted run may have created it. */
  readonly isResumable: boolean;
}

export function typesToTry({ inputs, kind, adopted }: Situation): readonly string[] {
  const isNew = kind !== "change" && !adopted && inputs.adopt === undefined;
  return isNew ? allowedTypes(inputs) : [inputs.gpuType];
}

export type Finding =
  | { readonly kind: "failure"; readonly property: string; readonly text: string }
  | Message
  /** A failed read. `what` is in the plural: `stock figures`, `prices`. */
  | { readonly kind: "gap"; readonly what: string; readonly error: unknown };

export interface Message {
  readonly kind: "warning" | "info";
  readonly text: string;
  /** Set for a message about the whole run: it is shown once with this key, and without the name of the resource. */
  readonly once?: string | undefined;
}

export const failure = (property: string, text: string): Finding => ({ kind: "failure", property, text });
export const warning = (text: string, once?: string): Message => ({ kind: "warning", text, once });
export const info = (text: string, once?: string): Message => ({ kind: "info", text, once });

export function gapOf(what: string, { error }: Answer<unknown>): Finding[] {
  return error === undefined ? [] : [{ kind: "gap", what, error }];
}

/** The end of a failure that only `strict` makes of a warning. */
export const becauseStrict = " (an error because gpucluster:previewChecks is `strict`)";

export function runs({ desiredStatus }: Pick<CheckedInputs, "desiredStatus">): boolean {
  return desiredStatus !== "stopped";
}

/** An error only if the list is whole and shows none of the possible types: otherwise the service decides at the creation. */
export async function judgeTypes(situation: Situation): Promise<Finding[]> {
  const { deps, settings, reads, previous, inputs, adopted } = situation;
  const types = typesToTry(situation).filter((gpuType) => hasKnownType({ gpuType }));
  const newTypes = types.filter((type) => !hasType(previous, type));
  if (newTypes.length === 0 || adopted || inputs.adopt !== undefined) return [];
  const onlyWarns = settings.previewChecks === "warn";
  const list = await reads.gpuTypes();
  const { value: listed } = list;
  if (!listed && previous && hasKnownType(previous)) {
    const text =
      `"${inputs.gpuType}" may be another name of "${previous.gpuType}", the type of the cluster, and the list of GPU types could ` +
      `not be read: ${messageOf(list.error)}`;
    // Nothing is replaced on a guess.
    if (onlyWarns) return [warning(`${text}. It counts as another type`)];
    return [failure("gpuType", `${text}. If it is another type, set gpucluster:previewChecks to \`warn\``)];
  }
  if (!listed) return gapOf("GPU types", list);
  const matches = newTypes.map((type) => ({ type, match: matchGpu(type, listed.gpus) }));
  const unlisted = matches.filter(({ match }) => match.kind === "none").map(({ type }) => type);
  const isCertain = listed.extent === "whole" && unlisted.length === types.length;
  const isFailure = isCertain && !onlyWarns;
  const address = deps.address ? ` of ${deps.address}` : "";
  const source = `GET /v1/gpus${address}, which may omit types that are sold out`;
  const names = listed.gpus.map((gpu) => (isUuid(gpu.type) ? (gpu.name ?? gpu.type) : gpu.type));
  const findings: Finding[] = [];
  for (const { type, match } of matches)
    if (match.kind === "ambiguous") findings.push(failure("gpuType", ambiguousMessage(type, match.candidates)));
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const isPart = (a: string, b: string) => Math.min(a.length, b.length) > 1 && (a.includes(b) || b.includes(a));
  for (const type of unlisted) {
    const similar = names.filter((name) => isPart(plain(type), plain(name))).slice(0, 3);
    const named = listOf(
      (similar.length > 0 ? similar : names).map((name) => `"${cleanText(name, 60)}"`),
      maxNamed,
    );
    const advice = similar.length > 0 ? `similar: ${named}` : `it lists ${named}`;
    const text = `"${type}" is not a GPU type that the service lists (${source}); ${advice}`;
    const message = `${text}. The service decides whether it accepts the type`;
    findings.push(isFailure ? failure("gpuType", text) : warning(message));
  }
  return findings;
}

/** If the list shows that the program calls the type by another identifier, the inputs get all: the next run needs no list. */
export async function withListedType(
  reads: Reads,
  inputs: CheckedInputs,
  previous: CheckedInputs,
): Promise<CheckedInputs> {
  const types = allowedTypes(inputs);
  if (!hasKnownType(inputs) || !hasKnownType(previous) || types.some((type) => hasType(previous, type))) return inputs;
  const { gpus = [] } = (await reads.gpuTypes()).value ?? {};
  const known = identifiersOfType(previous).flatMap((each) => [each, ...identifiersInList(each, gpus)]);
  const isSame = (type: string) => identifiersInList(type, gpus).some((each) => isSameGpu(each, known));
  return types.some(isSame) ? { ...inputs, gpuType: previous.gpuType, __gpu: [...new Set(known)] } : inputs;
}

/** The identifiers of the type of a new cluster, if only one type is possible. */
export async function listedIdentifiers(situation: Situation): Promise<Properties> {
  const { reads, inputs, adopted } = situation;
  const isNew = inputs.adopt === undefined && hasKnownType(inputs);
  if (typesToTry(situation).length > 1 || (!adopted && !isNew)) return {};
  const { gpus = [] } = adopted ? {} : ((await reads.gpuTypes()).value ?? {});
  const identifiers = adopted ? identifiersIn(adopted) : identifiersInList(inputs.gpuType, gpus);
  return identifiers.length > 0 ? { __gpu: identifiers } : {};
}

/** Judges whether enough GPUs of one of the types are free, for this cluster and for the others of the run. */
export async function judgeStock(situation: Situation): Promise<Finding[]> {
  const { ctx, settings, deps, reads, inputs, previous, kind, adopted } = situation;
  const isAdopted = adopted !== undefined || inputs.adopt !== undefined;
  const isKnown = !hasUnknown([inputs.replicas, inputs.desiredStatus, inputs.gpuType]);
  const hasGpus = previous !== undefined && runs(previous) && hasType(previous, inputs.gpuType);
  // An edited or imported state may not contain the number of replicas.
  const held = hasGpus ? gpusOf(previous) || 0 : 0;
  const count = isAdopted || !isKnown || !runs(inputs) ? 0 : Math.max(0, gpusOf(inputs) - held);
  deps.registry.setGpus(ctx.urn, inputs.gpuType, count);
  if (count === 0) return [];
  const types = typesToTry(situation);
  const stocks = await Promise.all(types.map((type) => reads.stock(type)));
  const needs = types.map((type) => count + deps.registry.gpusOfOthers(ctx.urn, type));
  const isShort = stocks.every(({ value: free }, index) => free !== undefined && free < (needs[index] ?? 0));
  if (!isShort) return stocks.flatMap((stock) => gapOf("stock figures", stock));
  const need = needs[0] ?? count;
  const all = need > count ? `, ${need} for all clusters of this run so far` : "";
  const others = types.length > 1 ? `, nor enough of ${listOf(types.slice(1))}` : "";
  const short = `not enough GPUs: ${count} x ${types[0]} needed${all}, ${stocks[0]?.value} available${others}`;
  const end = kind === "change" ? undefined : endsWithoutCapacity[inputs.onNoCapacity ?? "fail"];
  if (end !== undefined) return [info(`${short}: ${end}`)];
  if (settings.previewChecks === "strict") return [failure("replicas", `${short}${becauseStrict}`)];
  return [warning(short)];
}

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
