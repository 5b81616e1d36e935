import { withDrift } from "../../../provider/cluster/drift";
import type { ClusterState } from "../../../provider/cluster/fields";
import { closeAll, forget, openBench, settle, writes } from "./harness";
import { checked } from "./inputs";

afterEach(closeAll);

const state = { ...checked, env: { A: "a-value" }, __echo: { masked: ["A"] } } as unknown as ClusterState;

test.each<[string, Record<string, string | null>, Record<string, string>]>([
  ["a variable that is masked stays as it was applied", { A: "********" }, { A: "a-value" }],
  ["a foreign variable that is masked has no value", { A: "********", NEW: "********" }, { A: "a-value", NEW: "" }],
  ["a foreign variable that is shown has its value", { A: "********", NEW: "new" }, { A: "a-value", NEW: "new" }],
])("in a refresh %s", (_title, env, expected) => {
  expect(withDrift(state, { id: "cl_1", env }).env).toEqual(expected);
});

test("a variable that the service adds, masked, is corrected once and never again", async () => {
  const bench = await openBench({
    dialect: { envEcho: "same" },
    client: (real) => ({
      getCluster: async (...args) => {
        const record = await real.getCluster(...args);
        return {
          ...record,
          env: { ...Object.fromEntries(Object.keys(record.env ?? {}).map((name) => [name, "****"])), NODE: "****" },
        };
      },
    }),
  });
  const { id, state: made } = await settle(bench, checked);
  // A state that does not know the variable, as after an upgrade of the service.
  const older = { ...made, __echo: { masked: ["MODEL"] } };
  const found = await bench.run(bench.cluster.read(bench.ctx(), id, older));
  expect(JSON.stringify(found)).not.toContain("****");
  const once = await bench.run(bench.cluster.update(bench.ctx(), id, found?.state ?? {}, checked));
  forget(bench);
  const again = await bench.run(bench.cluster.read(bench.ctx(), id, once));
  expect(bench.cluster.diff(again?.state ?? {}, checked).changes).toEqual({});
  expect(writes(bench.simulator)).toEqual([]);
});
