/** True for `npm test -- --all`, which CI runs. Otherwise a share of the tests is enough: four minutes are too short for all. */
export const isEverything = process.env["ALL_TESTS"] === "true";

/** Number of trials of a law: a third of the full number if only a share runs. `TRIALS=` is another number, for a search. */
export function runs(full: number): number {
  const { TRIALS } = process.env;
  if (TRIALS !== undefined) return Number(TRIALS);
  return isEverything ? full : Math.ceil(full / 3);
}
