/** False where `npm test` asks for a share: ten minutes have no room for all. */
export const isEverything = process.env["EVERY_DIALECT"] !== "false";

/** How often a law is tried: a third of the full number where a share is asked for. Each run takes other values. */
export function runs(full: number): number {
  return isEverything ? full : Math.ceil(full / 3);
}
