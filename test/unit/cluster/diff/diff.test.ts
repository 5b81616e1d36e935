import fc from "fast-check";
import { diffCluster, withCost } from "../../../../provider/cluster/diff/diff";
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

  it.each<[string, Properties, Properties, Record<string, PropertyChange>]>([
    ["are none if nothing differs", state, inputs, {}],
    ["include replicas", state, { ...inputs, replicas: 3 }, { replicas: update }],
    ["replace the cluster for another GPU type", state, { ...inputs, gpuType: "l4" }, { gpuType: replace }],
    ["replace the cluster for another name", state, { ...inputs, name: "api" }, { name: replace }],
    ["omit a generated name", state, { ...inputs, name: "web-2", __generatedName: true }, {}],
    ["name one variable", state, { ...inputs, env: { MODEL: "qwen", LEVEL: "1" } }, { "env.MODEL": update }],
    ["name a removed variable", state, { ...inputs, env: { MODEL: "llama" } }, { "env.LEVEL": gone }],
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

const anyEnv = fc.option(fc.dictionary(fc.string({ minLength: 1 }), fc.string()), { nil: undefined });
const anyInputs = fc.record({
  name: fc.constantFrom("web", "api"),
  gpuType: fc.constantFrom("h100", "l4"),
  replicas: fc.integer({ min: 1, max: 3 }),
  container: fc.constantFrom("a/b:1", "a/b:2"),
  env: anyEnv,
});
const anyOutputs = fc.record({
  __provider: fc.string(),
  status: fc.string(),
  endpoint: fc.webUrl(),
  createdAt: fc.string(),
  readyReplicas: fc.nat(),
  replicaStatuses: fc.constant([]),
  settled: fc.constant(true),
  __seenBy: fc.string(),
  __urn: fc.string(),
  __observed: fc.constant({ env: ["X"] }),
});

describe("the difference of any two clusters", () => {
  it("is empty between a settled state and its inputs, and between the state and itself", () => {
    fc.assert(
      fc.property(anyInputs, anyOutputs, (news, outputs) => {
        const settled = { ...news, ...outputs };
        expect(diffCluster(settled, news).changes).toEqual({});
        expect(diffCluster(settled, settled).changes).toEqual({});
      }),
    );
  });

  it("does not depend on computed and hidden values", () => {
    fc.assert(
      fc.property(anyInputs, anyInputs, anyOutputs, anyOutputs, (olds, news, one, other) => {
        const plain = diffCluster({ ...olds, ...one }, news);
        expect(diffCluster({ ...olds, ...other }, { ...news, ...other })).toEqual(plain);
      }),
    );
  });

  it("includes an input that is not known yet", () => {
    fc.assert(
      fc.property(anyInputs, fc.constantFrom("gpuType", "replicas", "container", "env", "name"), (news, name) => {
        expect(diffCluster({ ...news, settled: true }, { ...news, [name]: UNKNOWN }).changes).toHaveProperty([name]);
      }),
    );
  });
});

describe("the change of the cost", () => {
  const replicas = { replicas: update };
  it.each<[string, Record<string, PropertyChange>, unknown, unknown, Record<string, PropertyChange>]>([
    ["is shown with another change", replicas, 5.98, 8.97, { ...replicas, hourlyCost: update }],
    ["is not shown if the cost stays the same", replicas, 5.98, 5.98, replicas],
    ["does not cause an update by itself", {}, 5.98, 8.97, {}],
  ])("%s", (_title, changes, old, next, expected) => {
    expect(withCost({ changes }, { hourlyCost: old }, { hourlyCost: next })).toEqual({ changes: expected });
  });
});
