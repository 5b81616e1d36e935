/** False if `npm test` runs a share of the tests only: ten minutes are not enough for all. */
export const isEverything = process.env["EVERY_DIALECT"] !== "false";

/** Number of trials of a law: a third of the full number if only a share runs. Each run uses other values. */
export function runs(full: number): number {
  return isEverything ? full : Math.ceil(full / 3);
}
