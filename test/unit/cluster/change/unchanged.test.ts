import type { Properties } from "../../../../provider/contract";
import type { ClusterChanges } from "../../../../simulator";
import { closeAll, openSettled } from "../harness";
import { checked } from "../inputs";
import { change, refresh, toDo } from "../powerHarness";

/** What others change, and the diff does not show, stays: also with the option `ignoreChanges`, of which an update knows nothing. */

afterEach(closeAll);

const news: Properties = { ...checked, container: "team/server:1.0", env: { MODEL: "model-one", MODE: "mode-one" } };

const container = "team/server:2.0";
const env = { MODEL: "model-two" };
const more = { env: { MODEL: "model-nine", MODE: "mode-one", MORE: "more-of-it" } };

describe("an update keeps what others have changed", () => {
  it.each<[string, ClusterChanges, Properties]>([
    ["the number of replicas, if only the container changes", { replicas: 6 }, { container }],
    ["the number of replicas, if only env changes", { replicas: 6 }, { env }],
    ["the container, if only env changes", { container: "team/server:9.9" }, { env }],
    ["a variable and its value, if only the container changes", more, { container }],
  ])("%s", async (_title, others, changes) => {
    const { bench, made } = await openSettled(news, { dialect: { envEcho: "same", containerEcho: "same" } });
    bench.simulator.change(made.id, others);
    await bench.run(bench.clock.sleep(60_000));
    const wanted = { ...news, ...changes };
    const next = await change(bench, made, wanted);
    expect(bench.simulator.cluster(made.id)).toMatchObject({ ...others, ...changes });
    expect(next.state).toMatchObject({ ...wanted, settled: true });
    // It is drift, which a refresh shows and the next update puts right.
    const found = await refresh(bench, next);
    expect(toDo(bench, found, wanted).map((path) => path.split(".")[0])).toContain(Object.keys(others)[0]);
    await change(bench, found, wanted);
    expect(bench.simulator.cluster(made.id)).toMatchObject({ ...wanted, gpuType: "h100" });
  });

  it("but what the diff shows is sent, and so is what an earlier update did not see through", async () => {
    const { bench, id, state } = await openSettled(news);
    bench.simulator.change(id, { replicas: 6 });
    await change(bench, { id, state }, { ...news, replicas: 3 });
    expect(bench.simulator.cluster(id)?.replicas).toBe(3);
    bench.simulator.change(id, { replicas: 6 });
    await change(bench, { id, state: { ...state, settled: false, __unfinished: "rollout" } }, news);
    expect(bench.simulator.cluster(id)?.replicas).toBe(2);
  });
});
