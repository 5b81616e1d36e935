import { readFileSync } from "node:fs";
import { join } from "node:path";
import { boundMs } from "../bench/bound";
import { pageOf, tableOf } from "../bench/page";
import { plotOfRequests, plotOfTimes } from "../bench/plot";
import { atMost, cleanTargets, missesOf, type Row } from "../bench/rows";

const fresh = { limit: 100, windowMs: 60_000, phaseMs: 0, used: 0 };
const begun = { ...fresh, phaseMs: 20_000, used: 1 };

it.each([
  [1, 30, fresh, 30],
  [50, 30, fresh, 30],
  // The read of the last one waits for the next window.
  [51, 30, fresh, 60],
  [100, 300, fresh, 300],
  [101, 300, fresh, 360],
  [1, 30, begun, 30],
  [90, 30, begun, 40],
  [100, 30, begun, 100],
  [100, 300, begun, 340],
  [500, 30, begun, 580],
  [500, 300, begun, 580],
])("the bound of %i clusters that take %i s to come up, in a window %j, is %i s", (clusters, seconds, phase, bound) => {
  expect(boundMs(clusters, seconds * 1_000, phase)).toBe(bound * 1_000);
});

const rows: Row[] = [
  {
    run: "create 100, 30 s",
    fleet: { clusters: 100, provisioningS: 30 },
    ours: { seconds: 99, requests: 209, refused: 2, failed: 0 },
    naive: { requests: 699, refused: 563, failed: 63 },
    bound: { seconds: 100, requests: 200 },
    targets: [...cleanTargets({ refused: 2, failed: 0 }), atMost("of the bound", undefined, 1.07, 2)],
  },
  { run: "memory", ours: {}, note: "93 MB", targets: [atMost("of a process", 1.5, 2, 2)] },
];

it("a target is missed if the figure is above it, or if there is none", () => {
  expect(missesOf(rows)).toEqual([
    "create 100, 30 s: 2 429s (at most 0)",
    "create 100, 30 s: no figure of the bound (at most 1.07)",
  ]);
});

it("the table has a line for each run, with a mark at what is missed", () => {
  const lines = tableOf(rows).split("\n");
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  expect(lines[2]).toMatch(
    /^\| create 100, 30 s \| 99\.0 \| 63 failed \| 100\.0 \| +209 \| +699 \| +200 \| +2 \| +563 \| ! 2 429s \(at most 0\); ! no figure of the bound/,
  );
  expect(lines[3]).toContain("1.50 of a process (at most 2.00); 93 MB");
});

it("the plots have a bar for each contender, and a cross with the number of those that did not come up", () => {
  expect(plotOfTimes(rows)).toContain("✗63");
  expect(plotOfTimes(rows).match(/<rect [^>]*width="18"/g)).toHaveLength(2);
  expect(plotOfRequests(rows).match(/<rect [^>]*width="18"/g)).toHaveLength(3);
});

it("the words of docs/benchmark.md are those of the benchmark", () => {
  const page = readFileSync(join(__dirname, "../../docs/benchmark.md"), "utf8");
  /** Without the figures of a run: the table and the missed targets. */
  const words = (text: string) =>
    text.replace(/^\|.*\n/gm, "").replace(/^Missed:\n\n(- .*\n)+|^Every target is reached\.\n/m, "");
  expect(words(page)).toBe(words(pageOf([])));
});
