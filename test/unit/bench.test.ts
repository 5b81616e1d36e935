import { boundMs } from "../bench/bound";
import { tableOf } from "../bench/page";
import { atMost, cleanTargets, missesOf, type Row } from "../bench/rows";

const fresh = { limit: 100, windowMs: 60_000, phaseMs: 0, used: 0 };
const begun = { ...fresh, phaseMs: 20_000, used: 1 };

it.each([
  [50, 30, fresh, 30],
  // The read of the last one waits for the next window.
  [51, 30, fresh, 60],
  [101, 300, fresh, 360],
  [90, 30, begun, 40],
  [100, 30, begun, 100],
  [500, 300, begun, 580],
])("the bound of %i clusters that take %i s to come up, in a window %j, is %i s", (clusters, seconds, phase, bound) => {
  expect(boundMs(clusters, seconds * 1_000, phase)).toBe(bound * 1_000);
});

it("a target is missed if the figure is above it, or if there is none, and the table marks it", () => {
  const row: Row = {
    run: "create 100, 30 s",
    ours: { seconds: 99, requests: 209, refused: 2, failed: 0 },
    targets: [...cleanTargets({ refused: 2, failed: 0 }), atMost("of the bound", undefined, 1.07, 2)],
  };
  expect(missesOf([row])).toEqual([
    "create 100, 30 s: 2 429s (at most 0)",
    "create 100, 30 s: no figure of the bound (at most 1.07)",
  ]);
  expect(tableOf([row])).toContain("! 2 429s (at most 0); ! no figure of the bound");
});
