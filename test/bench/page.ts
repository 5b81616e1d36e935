import { type Figures, isMissed, missesOf, type Row, targetText } from "./rows";

/** The columns: one of figures for each contender that has any. */
const columns: readonly { readonly title: string; readonly of: (row: Row) => string }[] = [
  { title: "run", of: ({ run }) => run },
  { title: "s", of: ({ ours }) => secondsOf(ours) },
  { title: "naive", of: ({ naive }) => secondsOf(naive) },
  { title: "bound", of: ({ bound }) => secondsOf(bound) },
  { title: "requests", of: ({ ours }) => count(ours.requests) },
  { title: "naive", of: ({ naive }) => count(naive?.requests) },
  { title: "bound", of: ({ bound }) => count(bound?.requests) },
  { title: "429s", of: ({ ours }) => count(ours.refused) },
  { title: "naive", of: ({ naive }) => count(naive?.refused) },
  {
    title: "targets, `!` if missed",
    of: targetsOf,
  },
];

function secondsOf(figures: Figures | undefined): string {
  if (figures?.failed) return `${figures.failed} failed`;
  return figures?.seconds?.toFixed(1) ?? "";
}

function count(value: number | undefined): string {
  return value?.toFixed(0) ?? "";
}

/** Without those that every row has and that are kept: no failure, no refusal. */
function targetsOf({ targets, note }: Row): string {
  const own = targets.filter((target) => target.max > 0 || isMissed(target));
  const texts = own.map((target) => `${isMissed(target) ? "! " : ""}${targetText(target)}`);
  return [...texts, note ?? []].flat().join("; ");
}

/** Rows as a Markdown table that is also fit for a terminal. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => columns.map(({ of }) => of(row)));
  const head = columns.map(({ title }) => title);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column]?.length ?? 0)));
  const isText = (column: number) => column === 0 || column === columns.length - 1;
  const rule = widths.map((width, column) => (isText(column) ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  const pad = (cell: string, column: number) =>
    isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return [head, rule, ...lines].map((line) => `| ${line.map(pad).join(" | ")} |`).join("\n");
}

/** The whole page in docs/. */
export function pageOf(rows: readonly Row[]): string {
  const misses = missesOf(rows);
  const verdict =
    misses.length > 0 ? `Missed:\n\n${misses.map((miss) => `- ${miss}`).join("\n")}` : "Every target is reached.";
  return `# Benchmark

Written by \`npm run bench\`; do not edit.

Whole fleets are created, refreshed and destroyed under a limit of 100 requests a minute. Fewer seconds and fewer requests are better. \`create 100, 30 s\` stands for 100 clusters, created at once, that need 30 s each to come up. Three are compared:

- **this package** (the columns \`s\`, \`requests\` and \`429s\`), which lists the clusters before a creation, and reads the replicas of each before it counts as ready;
- **naive**: a dynamic provider as a careful user writes it. Each cluster polls for itself every 5 s, and retries a 429 or a 5xx up to five times with growing pauses, at least as long as \`Retry-After\` says;
- **bound**: the least that the limit allows, by arithmetic: one creation and one read for each cluster, no list, no poll, no latency.

![Time until all clusters are ready](benchmark.svg)

![Requests until all clusters are ready](benchmark-requests.svg)

A cross means that some clusters did not come up; the number beside it says how many. For this package, no cluster may fail in any row, and no request may be refused, except by several processes on one key.

## Results

${tableOf(rows)}

${verdict}

## How it is measured

- The service is the simulator: 100 requests a minute for a key, 90 ms for each request, clusters of one replica. A run begins 20 s after the beginning of a window, in which one request has been used.
- Fleets are the core without the engine, which would call it for all clusters at once. Client and service live on one clock that is up to 30 times as fast. What a process computes counts as often, so a run of up to 100 clusters takes at least 40 s of real time.
- The processes on one key begin together, with a fresh window. Their windows are 10 s long, and their clock is 5 times as fast. The figures are the mean of three runs.
- The previews are those of the real CLI, on the real clock, in turn: the median of five quotients. The resources that do nothing have the inputs and the declared outputs of a cluster.
- The memory is the peak of a process which loads what the engine's provider process loads, then a provider, and creates 500 clusters.
`;
}
