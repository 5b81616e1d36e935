import { diffCluster, diffResource } from "../../../../provider/cluster/diff/diff";
import { type Properties, type PropertyChange, UNKNOWN } from "../../../../provider/contract";
import { checked } from "../inputs";

const inputs: Properties = { ...checked, env: { MODEL: "llama", LEVEL: "1" } };
const state: Properties = { ...inputs, settled: true };
const { env: _env, ...withoutEnv } = inputs;
const update: PropertyChange = { kind: "update" };
const replace: PropertyChange = { kind: "update", replace: true };

describe("the changes between a state and new inputs", () => {
  const { gpuType: _gpuType, name: _name, ...imported } = state;
  const added: PropertyChange = { kind: "add" };
  const gone: PropertyChange = { kind: "delete" };
  const unknown = { gpuType: UNKNOWN, replicas: UNKNOWN, container: UNKNOWN, env: UNKNOWN, name: UNKNOWN };
  const unknownChanges = { gpuType: replace, replicas: update, container: update, env: update, name: replace };

  it.each<[string, Properties, Properties, Record<string, PropertyChange>]>([
    ["are none if nothing differs", state, inputs, {}],
    ["include replicas", state, { ...inputs, replicas: 3 }, { replicas: update }],
    ["replace the cluster for another GPU type", state, { ...inputs, gpuType: "l4" }, { gpuType: replace }],
    ["replace the cluster for another name", state, { ...inputs, name: "api" }, { name: replace }],
    ["omit a generated name", state, { ...inputs, name: "web-2", __generatedName: true }, {}],
    ["name one variable", state, { ...inputs, env: { MODEL: "qwen", LEVEL: "1" } }, { "env.MODEL": update }],
    ["name a removed variable", state, { ...inputs, env: { MODEL: "llama" } }, { "env.LEVEL": gone }],
    ["include inputs that are not known yet", state, { ...state, ...unknown }, unknownChanges],
    ["name an unknown variable", state, { ...inputs, env: { MODEL: UNKNOWN, LEVEL: "1" } }, { "env.MODEL": update }],
    [
      "name a variable as a whole, whatever characters its name has",
      state,
      { ...inputs, env: { MODEL: "llama", "LEVEL.A": "1", "[0]": "x", 'a "b"': UNKNOWN } },
      { "env.LEVEL": gone, "env.LEVEL.A": added, "env.[0]": added, 'env.a "b"': added },
    ],
    ["name each variable of a removed env", state, withoutEnv, { "env.MODEL": gone, "env.LEVEL": gone }],
    ["are none from no env to an empty one", withoutEnv, { ...withoutEnv, env: {} }, {}],
    ["add what was not reported", imported, inputs, { gpuType: { kind: "add" }, name: { kind: "add" } }],
    ["include a state that is not settled", { ...state, settled: false }, inputs, { settled: update }],
    ["include new timeouts", state, { ...inputs, __timeouts: { create: "2h" } }, { __timeouts: update }],
    ["include removed timeouts", { ...state, __timeouts: { delete: "1h" } }, inputs, { __timeouts: update }],
  ])("%s", (_title, olds, news, changes) => {
    expect(diffCluster(olds, news).changes).toEqual(changes);
  });
});

describe("a replacement", () => {
  it.each<[string, boolean, Properties]>([
    ["deletes the old cluster first if an explicit name stays", true, { gpuType: "l4" }],
    ["creates the new cluster first if the name is generated", false, { gpuType: "l4", __generatedName: true }],
    ["creates the new cluster first if the name is not known yet", false, { gpuType: "l4", name: UNKNOWN }],
  ])("%s", (_title, expected, changed) => {
    expect(diffCluster(state, { ...inputs, ...changed }).deleteBeforeReplace === true).toBe(expected);
  });
});

describe("the change of the cost", () => {
  it.each<[string, Properties, unknown, unknown, Record<string, PropertyChange>]>([
    ["is shown with another change", { replicas: 3 }, 5.98, 8.97, { replicas: update, hourlyCost: update }],
    ["is not shown if the cost stays the same", { replicas: 3 }, 5.98, 5.98, { replicas: update }],
    ["is not shown if the cost is not known", { replicas: 3 }, 5.98, undefined, { replicas: update }],
    ["does not cause an update by itself", {}, 5.98, 8.97, {}],
  ])("%s", (_title, changed, old, next, expected) => {
    const news = { ...inputs, ...changed, hourlyCost: next };
    expect(diffResource({ ...state, hourlyCost: old }, news, "cl_1").changes).toEqual(expected);
  });
});
