/** True for `npm test -- --all`, which CI runs. Otherwise a share of the tests is enough: four minutes are too short for all. */
export const isEverything = process.env["ALL_TESTS"] === "true";

/** Number of trials of a law: a third of the full number if only a share runs. Each run uses other values. */
export function runs(full: number): number {
  return isEverything ? full : Math.ceil(full / 3);
}
