import type { Dialect } from "../../../../simulator";
import { closeAll, openBench } from "../harness";
import { checked } from "../inputs";

afterEach(closeAll);

/** When the state of a cluster says `running`: when all replicas are healthy, or before. */
const late = "all-healthy";
const early = "always";

describe("one creation", () => {
  it.each<[number, Dialect["runningWhen"], { requests: number; ratio: number }]>([
    [30, late, { requests: 30, ratio: 1.07 }],
    [30, early, { requests: 45, ratio: 1.07 }],
    [300, late, { requests: 120, ratio: 1.03 }],
    [300, early, { requests: 200, ratio: 1.03 }],
  ])("that takes %i s, where the state is running when %s, takes few requests", async (seconds, runningWhen, most) => {
    const bench = await openBench({
      rateLimit: 100,
      provisioningMs: seconds * 1_000,
      dialect: { runningWhen },
    });
    const startMs = bench.clock.now();
    const { state } = await bench.run(bench.cluster.create(bench.ctx(), checked));
    expect(state).toMatchObject({ settled: true, readyReplicas: 2 });
    expect(bench.simulator.requests.length).toBeLessThanOrEqual(most.requests);
    expect((bench.clock.now() - startMs) / (seconds * 1_000)).toBeLessThanOrEqual(most.ratio);
  });
});
