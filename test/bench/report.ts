import type { Row } from "./rows";
import { tableOf } from "./table";
import { type Miss, missText } from "./targets";

/** The whole page in docs/. */
export function reportOf(rows: readonly Row[], misses: readonly Miss[], latenessMs: number): string {
  const missed = misses.length > 0 ? `Missed:\n\n${misses.map((miss) => `- ${missText(miss)}`).join("\n")}\n` : "";
  return `# Benchmark

Written by \`npm run bench\`; do not edit.

![Time until all clusters are ready](benchmark.svg)

${tableOf(rows, misses)}

${missed || "Every target is reached.\n"}
## How to read it

- The service is the simulator: 100 requests a minute for a key, 90 ms for each request, clusters of one replica. A run begins
  20 s after the beginning of a window, in which one request has been used. Three processes begin with a fresh window.
- Fleet rows are the core without the engine, which would call it for all clusters at once. Client and service live on one
  clock that is 30 times as fast, \`now()\` and \`sleep()\` both. The "scaled against real" column compares one run with the same
  on the real clock. In this run, 99 of 100 turns of the event loop were less than ${latenessMs.toFixed(0)} ms late, in real time.
- The bound is arithmetic: each creation takes one request of the limit, then the last cluster is provisioned. It contains
  no poll, no list and no latency.
- "naive" is a dynamic provider as a careful user writes it: each cluster asks for its own \`/status\` every 5 s, and retries a 429
  or a 5xx up to five times with growing pauses. One sleeps as long as \`Retry-After\` says, the other does not.
- "mean lag" is from the moment at which the service has a cluster ready to the one at which its creation returns. It may be
  1.5 s, and what the limit takes: requests that do not fit into the window in which clusters become ready wait for the next one.
- Runs at 30 s of up to 100 clusters are made twice, those at 300 s of up to 10 four times: the shorter times count, the mean
  lag, and the larger counts.
- A time or a ratio that is not there: not all clusters came up. \`!\` marks a target that is missed.
- The engine's rows run on the real clock, with the real CLI. An empty resource is one whose provider does nothing;
  "over empty" compares two previews that were made in turn.
`;
}
