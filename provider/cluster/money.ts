/** An amount, rounded to 6 decimals against the errors of binary fractions: 8.969999999999999 is 8.97. */
export function roundCost(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}

/** An amount for messages: `29.90 USD`; with more decimals if two would change it. */
export function money(amount: number, currency?: string): string {
  const cents = amount.toFixed(2);
  const text = Number(cents) === amount ? cents : String(amount);
  return currency ? `${text} ${currency}` : text;
}

interface Shown {
  readonly replicas?: number;
  readonly isStopped: boolean;
}

/** The cost of a cluster that a list shows, from the cost of one replica; `undefined` if it is not known. */
export function costOfShown({ replicas, isStopped }: Shown, each: number | undefined): number | undefined {
  if (isStopped) return 0;
  return each === undefined || replicas === undefined ? undefined : roundCost(each * replicas);
}

interface Costing {
  readonly hourlyCost?: number;
  readonly replicas: number;
  readonly desiredStatus?: string;
}

/**
 * The cost of one replica for one hour, from the cost of all replicas. `undefined` if no replica ran, because that
 * shows no price.
 */
export function costOfReplica({ hourlyCost, replicas, desiredStatus }: Costing): number | undefined {
  const isTelling = desiredStatus !== "stopped" && replicas > 0;
  return isTelling && hourlyCost !== undefined ? hourlyCost / replicas : undefined;
}
