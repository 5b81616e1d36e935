/** An amount without the traces of binary fractions: 8.969999999999999 is 8.97. */
export function roundCost(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}

interface Costing {
  readonly hourlyCost?: number;
  readonly replicas: number;
  readonly desiredStatus?: string;
}

/** What one replica costs in an hour, by what all of them cost; `undefined` if none of them ran, for that tells no price. */
export function costOfReplica({ hourlyCost, replicas, desiredStatus }: Costing): number | undefined {
  const isTelling = desiredStatus !== "stopped" && replicas > 0;
  return isTelling && hourlyCost !== undefined ? hourlyCost / replicas : undefined;
}
