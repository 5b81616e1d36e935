/** An amount, rounded to 6 decimals against the errors of binary fractions: 8.969999999999999 is 8.97. */
export function roundCost(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
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
