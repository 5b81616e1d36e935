import type { Properties } from "../../../provider/core";
import type { Dialect, ForeignCluster } from "../../../simulator";
import { type Bench, closeAll, countOf, initErrorOf, living, openBench } from "./harness";
import { canary, checked } from "./inputs";

afterEach(closeAll);

const container = String(checked["container"]);

/** A bench on which the create request is lost, and a cluster of its name shows up that is like this. */
async function openFound(shown: Partial<ForeignCluster>, dialect: Partial<Dialect> = {}): Promise<Bench> {
  const bench: Bench = await openBench({
    dialect,
    faults: [{ kind: "drop", method: "POST", path: "/v1/clusters" }],
    client: (real) => ({
      createCluster: (...args) => {
        const cluster = { gpuType: "h100", container, replicas: 2, env: { MODEL: canary }, ...shown };
        bench.simulator.addCluster({ name: "web", createdAt: bench.clock.now(), ...cluster });
        return real.createCluster(...args);
      },
    }),
  });
  return bench;
}

const create = (bench: Bench, inputs: Properties = checked) => bench.cluster.create(bench.ctx(), inputs);

describe("a cluster that is found after the answer to its creation was lost", () => {
  it.each<[string, Partial<ForeignCluster>, string]>([
    ["another value of a variable", { env: { MODEL: "other" } }, "`env.MODEL`"],
    ["no variables", { env: {} }, "`env.MODEL`"],
    ["another number of replicas", { replicas: 5 }, "`replicas`"],
    ["both", { replicas: 1, env: { MODEL: "other" } }, "`replicas` and `env.MODEL`"],
  ])("and shows %s is an error that keeps it, and the next `up` puts that right", async (_title, shown, paths) => {
    const bench = await openFound(shown);
    const error = await bench.run(initErrorOf(create(bench)));
    const [made] = living(bench.simulator);
    expect(error.id).toBe(made?.id);
    expect(error.message).toContain(`the cluster that was found by its name has another ${paths}. The next`);
    expect(error.message).not.toContain(canary);
    const { changes } = bench.cluster.diff(error.state, checked);
    expect(Object.keys(changes)).not.toEqual([]);
    const state = await bench.run(bench.cluster.update(bench.ctx(), error.id, error.state, checked));
    expect(state).toMatchObject({ settled: true, replicas: 2, env: { MODEL: canary } });
    expect(living(bench.simulator)).toMatchObject([{ id: error.id, replicas: 2, env: { MODEL: canary } }]);
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(1);
  });

  it.each<[string, Partial<ForeignCluster>, Partial<Dialect>]>([
    ["just what was asked for", {}, {}],
    ["variables that the service adds", {}, { injectedEnv: { REGION: "eu" } }],
    ["masks in place of values", { env: { MODEL: "other" } }, { envEcho: "hidden" }],
    ["no variables at all", { env: { MODEL: "other" } }, { envEcho: "none" }],
  ])("and shows %s is taken", async (_title, shown, dialect) => {
    const bench = await openFound(shown, dialect);
    const { id, state } = await bench.run(create(bench));
    expect(state).toMatchObject({ settled: true });
    expect(living(bench.simulator).map((made) => made.id)).toEqual([id]);
  });

  it("and has another number of replicas within the range of an autoscaler is taken", async () => {
    const bench = await openFound({ replicas: 3 });
    const extraFields = { autoscaling: { min_replicas: 1, max_replicas: 4 } };
    const { state } = await bench.run(create(bench, { ...checked, extraFields, skipAwait: true }));
    expect(state).toMatchObject({ settled: true });
  });
});
