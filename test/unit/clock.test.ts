import { getEventListeners } from "node:events";
import { abortableUntil, duration } from "../../provider/clock";
import { VirtualClock } from "../support/virtualClock";

test.each<[seconds: number, text: string]>([
  [0, "0s"],
  [0.4, "0s"],
  [59, "59s"],
  [60, "1m"],
  [190, "3m10s"],
  [3_600, "60m"],
  [7_199, "119m59s"],
  [7_200, "2h"],
  [9_030, "2h30m"],
  [21_600, "6h"],
  [90_061, "25h1m"],
])("%d seconds are %s", (seconds, text) => {
  expect(duration(seconds * 1000)).toBe(text);
});

describe("a wait with a time limit that can be aborted", () => {
  const forever = Number.POSITIVE_INFINITY;

  test.each<[what: string, workMs: number, limitMs: number, abortMs: number, end: string]>([
    ["gives the result", 1_000, 5_000, forever, "done after 1000"],
    ["gives the result if there is no limit", 1_000, forever, forever, "done after 1000"],
    ["gives the error", -1_000, 5_000, forever, "failed after 1000"],
    ["ends at its limit, and the work goes on", 9_000, 5_000, forever, "late after 5000"],
    ["ends at once if its limit has passed", 9_000, -1, forever, "late after 0"],
    ["ends with the abort, and the work goes on", 9_000, 5_000, 2_000, "interrupted after 2000"],
    ["ends at once if it was aborted before", 9_000, 5_000, -1, "interrupted after 0"],
  ])("%s, and leaves no timer and no listener behind", async (_what, workMs, limitMs, abortMs, end) => {
    const clock = new VirtualClock();
    const startMs = clock.now();
    const aborts = new AbortController();
    const { signal } = aborts;
    const abort = () => aborts.abort(new Error("interrupted"));
    if (abortMs < 0) abort();
    else if (abortMs < forever) void clock.sleep(abortMs).then(abort);
    let isWorkOver = false;
    const work = clock.sleep(Math.abs(workMs)).then(() => {
      isWorkOver = true;
      if (workMs < 0) throw new Error("failed");
      return "done";
    });
    const limit = { clock, deadlineMs: startMs + limitMs, late: () => new Error("late"), signal };
    const ended = await clock.run(abortableUntil(work, limit).catch(({ message }: Error) => message));
    expect(`${ended} after ${clock.now() - startMs}`).toBe(end);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    // The work of this test sleeps too.
    expect(clock.sleeping).toBe(isWorkOver ? 0 : 1);
    await clock.run(work.catch(() => undefined));
  });
});
