/** An amount without the traces of binary fractions: 8.969999999999999 is 8.97. */
export function roundCost(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}
