import { isStarved, Turns } from "../../../provider/cluster/parallelism";
import type { Ctx } from "../../../provider/core";
import { urnOf } from "./inputs";

describe("waits", () => {
  it.each([
    ["all places taken, one creation in line", { running: 8, places: 8, idleMs: 30_000 }, true],
    ["a place is free", { running: 7, places: 8, idleMs: 60_000 }, false],
    ["more places than by default", { running: 64, places: 8, idleMs: 60_000 }, false],
    ["nobody in line", { running: 8, places: 8 }, false],
    ["in line for a moment only", { running: 8, places: 8, idleMs: 29_999 }, false],
  ])("are starved or not: %s", (_when, queue, starved) => {
    expect(isStarved(queue)).toBe(starved);
  });
});

const ok = { failures: [] };

/** A run on one CPU, which is four places, all taken by creations that never end. */
function crowdedRun() {
  let nowMs = 0;
  const said: string[] = [];
  const reports: (() => void)[] = [];
  const turns = new Turns({ now: () => nowMs, cpus: 1 });
  const ctxOf = (name: string): Ctx => ({
    urn: urnOf(name),
    signal: new AbortController().signal,
    log: (text, severity) => said.push(`${severity}: ${text}`),
    status: () => {},
  });
  const begin = (name: string) =>
    turns.take(ctxOf(name), async (ctx) => {
      reports.push(() => ctx.status("provisioning"));
      await new Promise(() => {});
    });
  for (const name of ["a", "b", "c", "d"]) {
    turns.checked(ctxOf(name), {}, ok);
    void begin(name);
  }
  const reportAfter = (ms: number) => {
    nowMs += ms;
    for (const report of reports) report();
  };
  const check = (state = {}, result: Parameters<Turns["checked"]>[2] = ok) => turns.checked(ctxOf("e"), state, result);
  return { turns, ctxOf, check, begin, said, reportAfter };
}

describe("the hint", () => {
  it("comes once in a run, and says what to do", () => {
    const { check, said, reportAfter } = crowdedRun();
    check();
    reportAfter(20_000);
    expect(said).toEqual([]);
    reportAfter(20_000);
    reportAfter(20_000);
    expect(said).toEqual([
      expect.stringMatching(
        /^warning: e has been queued for 40s: Pulumi runs 4 operations at a time on 1 CPU .*`--parallel 128`/,
      ),
    ]);
  });

  it.each<[string, (run: ReturnType<typeof crowdedRun>) => unknown]>([
    ["nothing is in line", () => {}],
    ["what was checked last has begun", ({ check, begin }) => [check(), void begin("e")]],
    ["it exists, and has nothing to do", ({ check }) => check({ name: "e" })],
    ["it is replaced, and its predecessor may have to go first", ({ check }) => [check({ name: "e" }), check()]],
    ["its inputs are wrong", ({ check }) => check({}, { failures: [{ property: "replicas", reason: "must be" }] })],
  ])("does not come where %s", (_where, act) => {
    const run = crowdedRun();
    act(run);
    run.reportAfter(600_000);
    expect(run.said).toEqual([]);
  });

  it("does not come once a wait has ended", async () => {
    const { turns, ctxOf, check, said, reportAfter } = crowdedRun();
    check();
    await turns.take(ctxOf("f"), async (ctx) => {
      reportAfter(60_000); // five at a time: more than by default
      ctx.status("provisioning");
    });
    expect(said).toEqual([]);
  });

  it("is of no consequence for the operation: its result and its failure go through", async () => {
    const { turns, ctxOf } = crowdedRun();
    await expect(turns.take(ctxOf("x"), async () => 7)).resolves.toBe(7);
    await expect(turns.take(ctxOf("x"), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(turns.checked(ctxOf("x"), undefined, ok)).toBe(ok);
  });
});
