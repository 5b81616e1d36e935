import type { Properties } from "../../../provider/core";
import { closeAll, forget, openBench, settle } from "./harness";
import { checked } from "./inputs";

/** What others change, and the diff does not show, stays: also with the option `ignoreChanges`, of which an update knows nothing. */

afterEach(closeAll);

const news: Properties = { ...checked, container: "team/server:1.0", env: { MODEL: "model-one", MODE: "mode-one" } };

describe("an update keeps what others have changed", () => {
  it.each<[string, object, Properties, object]>([
    [
      "the number of replicas, if only the container changes",
      { replicas: 6 },
      { container: "team/server:2.0" },
      { replicas: 6, container: "team/server:2.0" },
    ],
    [
      "the number of replicas, if only env changes",
      { replicas: 6 },
      { env: { MODEL: "model-two" } },
      { replicas: 6, env: { MODEL: "model-two" } },
    ],
    [
      "the container, if only env changes",
      { container: "team/server:9.9" },
      { env: { MODEL: "model-two" } },
      { container: "team/server:9.9", env: { MODEL: "model-two" } },
    ],
    [
      "a variable and its value, if only the container changes",
      { env: { MODEL: "model-nine", MODE: "mode-one", MORE: "more-of-it" } },
      { container: "team/server:2.0" },
      { container: "team/server:2.0", env: { MODEL: "model-nine", MODE: "mode-one", MORE: "more-of-it" } },
    ],
  ])("%s", async (_title, others, changes, expected) => {
    const bench = await openBench({ dialect: { envEcho: "same", containerEcho: "same" } });
    const { id, state } = await settle(bench, news);
    bench.simulator.change(id, others);
    await bench.run(bench.clock.sleep(60_000));
    forget(bench);
    const next = await bench.run(bench.cluster.update(bench.ctx(), id, state, { ...news, ...changes }));
    expect(bench.simulator.cluster(id)).toMatchObject(expected);
    expect(next).toMatchObject({ ...news, ...changes, settled: true });
    // It is drift, which a refresh shows and the next update puts right.
    const found = await bench.run(bench.cluster.read(bench.ctx(), id, next));
    const drift = Object.keys(bench.cluster.diff(found?.state ?? {}, { ...news, ...changes }).changes);
    expect(drift.map((path) => path.split(".")[0])).toContain(Object.keys(others)[0]);
    await bench.run(bench.cluster.update(bench.ctx(), id, found?.state ?? {}, { ...news, ...changes }));
    expect(bench.simulator.cluster(id)).toMatchObject({ ...news, gpuType: "h100", ...changes });
  });

  it("but what the diff shows is sent, and so is what an earlier update did not see through", async () => {
    const bench = await openBench();
    const { id, state } = await settle(bench, news);
    bench.simulator.change(id, { replicas: 6 });
    await bench.run(bench.cluster.update(bench.ctx(), id, state, { ...news, replicas: 3 }));
    expect(bench.simulator.cluster(id)?.replicas).toBe(3);
    bench.simulator.change(id, { replicas: 6 });
    const unfinished = { ...state, settled: false, __unfinished: "rollout" };
    await bench.run(bench.cluster.update(bench.ctx(), id, unfinished, news));
    expect(bench.simulator.cluster(id)?.replicas).toBe(2);
  });
});
