import type { Open } from "./contender";
import { openNaive } from "./naive";
import { openOurs } from "./ours";

/** Who takes part, by the name in a row's `who`. */
export const openers: Record<"ours" | "naive" | "hasty", Open> = {
  ours: openOurs,
  naive: openNaive({ heedsRetryAfter: true }),
  hasty: openNaive({ heedsRetryAfter: false }),
};
