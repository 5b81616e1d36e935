import type { Open } from "./contender";
import { openNaive } from "./naive";
import { openOurs } from "./ours";

/** The contenders, by their names in a row's `who`. */
export const openers: Record<"ours" | "naive" | "hasty", Open> = {
  ours: openOurs,
  naive: openNaive({ heedsRetryAfter: true }),
  hasty: openNaive({ heedsRetryAfter: false }),
};
