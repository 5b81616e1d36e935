import { isDeepStrictEqual } from "node:util";
import { hasUnknown } from "../../core";
import { gpusPerReplica, tierOf } from "../extraFields";
import type { CheckedInputs } from "../fields";
import { costOfReplica, roundCost } from "../money";
import type { Price } from "./inquiry";
import { resourceNameOf } from "./names";
import { runs } from "./transition";

/** What a cluster costs in an hour, as far as it is known. */
export interface Cost {
  readonly amount?: number;
  readonly currency?: string;
  /** How it is made up: `2 x h100 at 2.99 USD`. */
  readonly parts: string;
}

type Priced = Pick<CheckedInputs, "gpuType" | "replicas" | "desiredStatus" | "hourlyCost" | "extraFields">;

/** Whether something that the cost depends on is not known yet. */
export function isOpen({ gpuType, replicas, desiredStatus, extraFields }: Priced): boolean {
  return hasUnknown([gpuType, replicas, desiredStatus, ...pricing(extraFields)]);
}

/** The cost that needs no price: of a stopped cluster, and of one that stays as it was when its price was known. Pure. */
export function knownCost(inputs: Priced, before: Priced | undefined): Cost | undefined {
  const { gpuType, replicas } = inputs;
  if (isOpen(inputs)) return { parts: "what is not known yet" };
  if (!runs(inputs)) return { amount: 0, parts: "stopped" };
  const isAsBefore =
    before?.gpuType === gpuType &&
    before.replicas === replicas &&
    isDeepStrictEqual(pricing(before.extraFields), pricing(inputs.extraFields));
  const each = isAsBefore ? costOfReplica(before) : undefined;
  if (each === undefined) return undefined;
  return {
    amount: before?.hourlyCost,
    parts: partsOf(inputs, { amount: roundCost(each / gpusPerReplica(inputs.extraFields)) }),
  };
}

/** The extra fields that the cost depends on: how many GPUs a replica has, and the tier. */
function pricing(extras: CheckedInputs["extraFields"]): unknown[] {
  return [gpusPerReplica(extras), tierOf(extras)];
}

/** What all replicas cost, each with its GPUs. */
export function costAt(price: Price | undefined, inputs: Priced): Cost {
  if (!price) return { parts: `${inputs.replicas} x ${inputs.gpuType} at a price that is not known` };
  return {
    ...price,
    amount: roundCost(price.amount * inputs.replicas * gpusPerReplica(inputs.extraFields)),
    parts: partsOf(inputs, price),
  };
}

function partsOf({ gpuType, replicas, extraFields }: Priced, { amount, currency }: Price): string {
  const gpus = gpusPerReplica(extraFields);
  return `${replicas} x ${gpus > 1 ? `${gpus} ` : ""}${gpuType} at ${money(amount, currency)}`;
}

export function money(amount: number, currency?: string): string {
  const cents = amount.toFixed(2);
  const text = Number.isInteger(amount) || Number(cents) !== amount ? String(amount) : cents;
  return currency ? `${text} ${currency}` : text;
}

/** Why a cluster costs more than its own limit allows. */
export function overOwnLimit({ amount, currency, parts }: Cost, limit: number | undefined): string | undefined {
  if (amount === undefined || typeof limit !== "number" || amount <= limit) return undefined;
  return `is ${money(limit)}, but the cluster would cost ${money(amount, currency)} an hour: ${parts}`;
}

/** What the clusters of a run cost: one entry for each resource, which its next check overwrites. */
export class Costs {
  readonly #byUrn = new Map<string, Cost>();

  set(urn: string, cost: Cost): void {
    this.#byUrn.set(urn, cost);
  }

  /** The names of the resources whose cost cannot be counted: not known, or in another currency than the first. */
  uncounted(): string[] {
    const { currency } = this;
    return [...this.#byUrn].filter(([, cost]) => !isCounted(cost, currency)).map(([urn]) => nameOf(urn));
  }

  /** Why all clusters so far cost more than the limit of the stack allows. */
  overLimit(limit: number): string | undefined {
    const { currency } = this;
    const counted = [...this.#byUrn]
      .flatMap(([urn, cost]) => (isCounted(cost, currency) ? [{ urn, ...cost, amount: cost.amount ?? 0 }] : []))
      .sort((a, b) => b.amount - a.amount);
    const sum = roundCost(counted.reduce((total, { amount }) => total + amount, 0));
    if (sum <= limit) return undefined;
    const largest = counted.filter(({ amount }) => amount > 0).slice(0, longestList);
    const parts = largest.map(({ urn, amount, parts: made }) => `${nameOf(urn)} ${money(amount)} (${made})`);
    const more = counted.filter(({ amount }) => amount > 0).length - largest.length;
    const unknown = this.uncounted().length;
    return [
      `gpucluster:maxHourlyCost is ${money(limit)}, but the clusters seen so far cost ${money(sum, currency)} an hour: `,
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

/** Sums of different currencies say nothing; where none is named, it is taken for the same. */
function isCounted({ amount, currency }: Cost, base: string | undefined): boolean {
  return amount !== undefined && (currency === undefined || base === undefined || currency === base);
}

function nameOf(urn: string): string {
  return resourceNameOf(urn) || "this cluster";
}
