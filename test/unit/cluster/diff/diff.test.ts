import fc from "fast-check";
import { diffCluster, withCost } from "../../../../provider/cluster/diff/diff";
import { type Properties, type PropertyChange, UNKNOWN } from "../../../../provider/contract";
import { checked } from "../inputs";

const state: Properties = {
  ...checked,
  env: { MODEL: "llama", LEVEL: "1" },
  status: "running",
  endpoint: "https://web.example.com",
  createdAt: "2030-01-01T00:00:00.000Z",
  replicaStatuses: [{ id: "r1", status: "healthy", healthy: true }],
  readyReplicas: 2,
  settled: true,
  __urn: "urn",
  __seenBy: "12345678",
};
const inputs: Properties = { ...checked, env: { MODEL: "llama", LEVEL: "1" } };
const { env: _env, ...withoutEnv } = inputs;
const update: PropertyChange = { kind: "update" };
const replace: PropertyChange = { kind: "update", replace: true };

describe("a change of", () => {
  it.each<[string, Properties, Record<string, PropertyChange>]>([
    ["nothing", {}, {}],
    ["replicas", { replicas: 3 }, { replicas: update }],
    ["the GPU type", { gpuType: "l4" }, { gpuType: replace }],
    ["the name", { name: "api" }, { name: replace }],
    ["a generated name is none", { name: "web-2", __generatedName: true }, {}],
    ["one variable", { env: { MODEL: "qwen", LEVEL: "1" } }, { "env.MODEL": update }],
    ["a variable that goes", { env: { MODEL: "llama" } }, { "env.LEVEL": { kind: "delete" } }],
    ["a variable that is not known", { env: { MODEL: UNKNOWN, LEVEL: "1" } }, { "env.MODEL": update }],
    ["a GPU type that is not known", { gpuType: UNKNOWN }, { gpuType: replace }],
    ["the timeouts", { __timeouts: { create: "2h" } }, { __timeouts: update }],
  ])("%s is seen as just that", (_title, changed, changes) => {
    expect(diffCluster(state, { ...inputs, ...changed }).changes).toEqual(changes);
  });

  const { gpuType: _gpuType, name: _name, ...imported } = state;
  const gone: PropertyChange = { kind: "delete" };
  it.each<[string, Properties, Properties, Record<string, PropertyChange>]>([
    ["the whole env, which goes", state, withoutEnv, { "env.MODEL": gone, "env.LEVEL": gone }],
    ["no env to an empty one", withoutEnv, { ...withoutEnv, env: {} }, {}],
    ["what the service does not show", imported, inputs, { gpuType: { kind: "add" }, name: { kind: "add" } }],
    ["a state that is not settled", { ...state, settled: false }, inputs, { settled: update }],
    ["timeouts that go", { ...state, __timeouts: { delete: "1h" } }, inputs, { __timeouts: update }],
  ])("%s is seen by its paths", (_title, olds, news, changes) => {
    expect(diffCluster(olds, news).changes).toEqual(changes);
  });
});

describe("the old cluster goes before the new one comes", () => {
  it.each<[string, boolean, Properties]>([
    ["when an explicit name stays", true, { gpuType: "l4" }],
    ["not when the name is made", false, { gpuType: "l4", __generatedName: true }],
    ["not when the name is not known yet", false, { gpuType: "l4", name: UNKNOWN }],
  ])("%s: %s", (_title, expected, changed) => {
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

describe("by law", () => {
  it("a settled state does not differ from its own inputs, nor from itself", () => {
    fc.assert(
      fc.property(anyInputs, anyOutputs, (news, outputs) => {
        const settled = { ...news, ...outputs };
        expect(diffCluster(settled, news).changes).toEqual({});
        expect(diffCluster(settled, settled).changes).toEqual({});
      }),
    );
  });

  it("computed and hidden values never make a difference", () => {
    fc.assert(
      fc.property(anyInputs, anyInputs, anyOutputs, anyOutputs, (olds, news, one, other) => {
        const plain = diffCluster({ ...olds, ...one }, news);
        expect(diffCluster({ ...olds, ...other }, { ...news, ...other })).toEqual(plain);
      }),
    );
  });

  it("an input that is not known yet always differs", () => {
    fc.assert(
      fc.property(anyInputs, fc.constantFrom("gpuType", "replicas", "container", "env", "name"), (news, name) => {
        expect(diffCluster({ ...news, settled: true }, { ...news, [name]: UNKNOWN }).changes).toHaveProperty([name]);
      }),
    );
  });
});

describe("the cost in a difference", () => {
  const replicas = { replicas: update };
  it.each<[string, Record<string, PropertyChange>, unknown, unknown, Record<string, PropertyChange>]>([
    ["is shown beside a change", replicas, 5.98, 8.97, { ...replicas, hourlyCost: update }],
    ["is no line if it stays the same", replicas, 5.98, 5.98, replicas],
    ["is no reason for an update by itself", {}, 5.98, 8.97, {}],
  ])("%s", (_title, changes, old, next, expected) => {
    expect(withCost({ changes }, { hourlyCost: old }, { hourlyCost: next })).toEqual({ changes: expected });
  });
});
