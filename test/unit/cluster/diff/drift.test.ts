import type { ClusterRecord } from "../../../../provider/api/decode/records";
import {
  compareObserved,
  findSpecMismatches,
  isMasked,
  sameImage,
  withDrift,
} from "../../../../provider/cluster/diff/drift";
import type { CheckedInputs, ClusterState, ObservedInputs } from "../../../../provider/cluster/schema/state";

const inputs: CheckedInputs = { name: "web", gpuType: "h100", container: "a/b:1", replicas: 1 };
const digest = `sha256:${"ab".repeat(32)}`;

describe("an observed image", () => {
  it.each([
    ["a/b:1", "a/b:1"],
    ["a/b:1", "docker.io/a/b:1"],
    ["nginx", "docker.io/library/nginx:latest"],
    ["a/b:1", `a/b:1@${digest}`],
    [`a/b@${digest}`, `a/b:1@${digest}`],
  ])("is the requested one: %s as %s", (requested, observed) => {
    expect(sameImage(requested, observed)).toBe(true);
  });

  it.each([
    ["a/b:1", "a/b:2"],
    ["a/b:1", `a/b@${digest}`],
    [`a/b@${digest}`, `a/b@${digest.replace("ab", "cd")}`],
    ["a/b:1", "ghcr.io/a/b:1"],
    ["localhost:5000/a", "localhost:6000/a"],
    ["localhost/a", "docker.io/localhost/a"],
  ])("is another one: %s as %s", (requested, observed) => {
    expect(sameImage(requested, observed)).toBe(false);
  });
});

describe("an observed value", () => {
  it.each([null, "", "********", "sk-***", "<redacted>"])("is masked: %j", (value) => {
    expect(isMasked(value)).toBe(true);
  });

  it.each(["/run/secrets/hf_token", "hidden_size=4096", "*"])("is not masked: %j", (value) => {
    expect(isMasked(value)).toBe(false);
  });
});

describe("a variable that is observed right after a change", () => {
  type Row = [string, string | undefined, string | null | undefined, string | undefined, object];
  const same = { echo: {}, differing: [], unchanged: [] };
  const ignored = (name: string) => ({ ...same, echo: { env: [name] } });
  const other = (name: string) => ({ ...same, echo: { env: [name] }, differing: [`env.${name}`] });
  const stale = (name: string) => ({ ...same, differing: [`env.${name}`], unchanged: [`env.${name}`] });
  const kept = (name: string) => ({ ...stale(name), echo: { env: [name] } });

  describe.each(["A", "__proto__"])("with the name %s", (name) => {
    it.each<Row>([
      ["is the same with its value", "new", "new", "old", same],
      ["is ignored if it is not reported", "new", undefined, "old", ignored(name)],
      ["is ignored if the service has added it", undefined, "node-7", undefined, ignored(name)],
      ["is the same without its value", "new", null, "old", same],
      ["is the same with a mask", "new", "********", undefined, same],
      ["is unchanged with its old value", "new", "old", "old", stale(name)],
      ["is the service's own if it stays after its removal", undefined, "old", "old", kept(name)],
      ["is the service's own if it stays without its value", undefined, null, "old", kept(name)],
      ["is the service's own if it stays empty", undefined, "", "", kept(name)],
      ["differs with another value, and is ignored from then on", "new", "foreign", "old", other(name)],
    ])("%s", (_title, requested, observed, before, expected) => {
      const one = <T>(value: T | undefined): Record<string, T> =>
        value === undefined ? {} : Object.fromEntries([[name, value]]);
      const record: ClusterRecord = { id: "cl_1", env: one<string | null>(observed) };
      const olds = { ...inputs, env: one(before) };
      expect(compareObserved({ ...inputs, env: one(requested) }, record, olds)).toEqual(expected);
    });
  });
});

describe("an input that is observed right after a change", () => {
  const mirror = "mirror.example/a/b:1";
  it.each<[string, Partial<ClusterRecord>, object]>([
    ["is the same with its registry", { container: "docker.io/a/b:1" }, { differing: [], unchanged: [] }],
    [
      "differs with another tag, and is compared with that from then on",
      { container: "a/b:3" },
      { differing: ["container"], unchanged: [], echo: { container: "a/b:3" } },
    ],
    ["is compared with the image of a mirror from then on", { container: mirror }, { echo: { container: mirror } }],
    ["is unchanged with its old value", { container: "a/b:0" }, { differing: ["container"], unchanged: ["container"] }],
    ["is the same in capitals", { gpuType: "H100" }, { differing: [], unchanged: [] }],
  ])("%s", (_title, observed, expected) => {
    const before = { ...inputs, container: "a/b:0" };
    expect(compareObserved(inputs, { id: "cl_1", ...observed }, before)).toMatchObject(expected);
  });

  it.each([
    ["a tag", "a/b", "a/b:1"],
    ["a digest", "a/b:1", `a/b:1@${digest}`],
  ])("is not unchanged if the change has only added %s to the image", (_title, old, container) => {
    const next = { ...inputs, container };
    const observed = compareObserved(
      next,
      { id: "cl_1", container: `docker.io/${container}` },
      { ...inputs, container: old },
    );
    expect(observed).toMatchObject({ differing: [], unchanged: [] });
  });
});

test("another GPU of a new cluster is reported by its readable name, if the record also has an opaque id", () => {
  const ids = ["57ce3f69-fb36-4892-8767-e0008350b3b8", "6a0f7d7e-52a4-4f0e-9d51-0a4a1d6f8c11"] as const;
  const gpus = ids.map((type, index) => ({ type, name: ["RTX 4090", "H100"][index], raw: {} }));
  const record = { id: "cl_1", gpuType: ids[0], gpuIdentifiers: ["RTX 4090"] };
  expect(findSpecMismatches(inputs, record, gpus)).toEqual(['the GPU type "RTX 4090" instead of "h100"']);
});

describe("a refresh of env", () => {
  const applied = { A: "a-value", B: "b-value" };
  const refreshed = (env: ClusterRecord["env"], known: ObservedInputs) => {
    const state: ClusterState = { ...inputs, env: applied, __observed: known };
    return withDrift(state, { id: "cl_1", env }).env;
  };

  it.each<[string, ClusterRecord["env"], ObservedInputs]>([
    ["a variable stays masked", { A: "***", B: "***" }, {}],
    ["the mask of a variable changes", { A: "<hidden>", B: null }, {}],
    ["an ignored variable is masked", { A: "a-value", B: "***" }, { env: ["B"] }],
    ["an ignored variable changes", { A: "v1:abc", B: "v1:xyz" }, { env: ["A", "B"] }],
    ["the service keeps its own variable", { ...applied, HOST: "node-7" }, { env: ["HOST"] }],
    ["an ignored variable is still not reported", { A: "a-value" }, { env: ["B"] }],
    ["env is not reported", undefined, {}],
  ])("finds no drift if %s", (_title, env, known) => {
    expect(refreshed(env, known)).toEqual(applied);
  });

  it.each<[string, ClusterRecord["env"], object]>([
    ["a masked variable is removed", { A: "***" }, { A: "a-value" }],
    ["a variable is removed", { A: "a-value" }, { A: "a-value" }],
    ["a masked variable is added", { A: null, B: null, C: null }, { ...applied, C: "***" }],
    ["an empty variable is added", { ...applied, C: "" }, { ...applied, C: "" }],
    ["a variable is no longer masked", { A: "***", B: "other" }, { A: "a-value", B: "other" }],
    ["a variable called constructor is added", { ...applied, constructor: "x" }, { ...applied, constructor: "x" }],
  ])("finds drift if %s", (_title, env, expected) => {
    expect(refreshed(env, {})).toEqual(expected);
  });
});
