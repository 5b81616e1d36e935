import type { Row } from "./rows";
import { tableOf } from "./table";
import { type Miss, missText } from "./targets";

/** The whole page in docs/. */
export function reportOf(rows: readonly Row[], misses: readonly Miss[], latenessMs: number): string {
  const missed = misses.length > 0 ? `Missed:\n\n${misses.map((miss) => `- ${missText(miss)}`).join("\n")}\n` : "";
  return `# Benchmark

Written by \`npm run bench\`; do not edit.

## How to read it

Whole fleets of clusters are created, refreshed and destroyed under a limit of 100 requests a minute. Fewer seconds and fewer requests are better. The plot and the table compare:

- **physical bound**: the least time that the limit allows, by arithmetic. A ratio of 1.00 is the best possible.
- **pulumi-gpucluster**: this package. It reads the replicas of each cluster before the cluster counts as ready.
- **naive**: a dynamic provider as a careful user writes it. Each cluster polls for itself.

\`create 90, 30 s\` stands for 90 clusters that need 30 s each to start. A time that is not there, or ✗ in the plot, means that some clusters did not come up; the number beside ✗, and the column "failed", say how many.

The limit explains the high ratio of \`create 500, 30 s\`: 500 creations and 500 reads of replicas take ten minutes at 100 requests a minute, while the bound counts the creations only.

![Time until all clusters are ready](benchmark.svg)

The next plot is about many stacks: 160 clusters in 1 to 16 processes, which share nothing but the key. Here a window is 10 s long, and a cluster takes 5 s to start. The naive provider sends until the service refuses, so it loses no permit of a window, and almost half of its requests.

![Refusals and last end by number of processes](benchmark-processes.svg)

## Results

${tableOf(rows, misses)}

\`!\` marks a target that is missed. "bytes" is the size of one cluster in the state; "ms" and "MB" are what a provider process needs beyond one whose provider does nothing.

${missed || "Every target is reached.\n"}
## How it is measured

- The service is the simulator: 100 requests a minute for a key, 90 ms for each request, clusters of one replica. A run begins
  20 s after the beginning of a window, in which one request has been used. Several processes begin together, with a fresh
  window; those of the second plot live on a clock that is 5 times as fast.
- Fleet rows are the core without the engine, which would call it for all clusters at once. Client and service live on one
  clock that is 30 times as fast, \`now()\` and \`sleep()\` both. What a process computes counts as often; so the clock of up to
  100 clusters is slower: their bound takes 20 s of real time. The "scaled against real" column compares one run with the same on
  the real clock. In this run, 99 of 100 turns of the event loop were less than ${latenessMs.toFixed(0)} ms late, in real time.
- In the bound, each creation takes one request of the limit, then the last cluster is provisioned. It contains no poll, no list
  and no latency.
- The naive provider asks for \`/status\` of each cluster every 5 s, and retries a 429 or a 5xx up to five times with growing
  pauses. One of the two sleeps as long as \`Retry-After\` says, the other does not.
- The service gives the end of a window in whole seconds. The naive provider learns the fraction from its refusals, and may use
  the next window up to a second earlier. This package does not send a request that may be refused, so it waits.
- "mean lag" is from the moment at which the service has a cluster ready to the one at which its creation returns. It may be
  1.5 s, and what the limit takes: requests that do not fit into the window in which clusters become ready wait for the next one.
- Creations of up to 100 clusters are made four times, those of the provider without \`Retry-After\` once: the mean of times and
  lags, and the larger counts. These runs are parallel, but begin apart, and in different quarters of a second. Fleets of up to
  10 do not fill a window, so their times differ by the lag of a poll. The polls of the naive provider come every 5 s, of which
  30 s and 300 s are multiples.
- The engine's rows run on the real clock, with the real CLI. An empty resource is one whose provider does nothing;
  "over empty" compares the fastest of several previews that were made in turn.
- The provider process creates 500 clusters at once. The plain clients send a creation and the polls for each, and nothing else.
  In a profile of November 2026, most of what this package needs beyond undici was garbage: 104 MB of heap were in use before the
  first full collection, and 53 MB after it.
`;
}
