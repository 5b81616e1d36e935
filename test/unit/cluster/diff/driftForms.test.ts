import type { ClusterRecord } from "../../../../provider/api/decode/records";
import { isMasked, learnObserved, sameImage, withDrift } from "../../../../provider/cluster/diff/drift";
import type { CheckedInputs, ClusterState, ObservedInputs } from "../../../../provider/cluster/schema/stateFields";

const inputs: CheckedInputs = { name: "web", gpuType: "h100", container: "a/b:1", replicas: 1 };
const digest = `sha256:${"ab".repeat(32)}`;

describe("an image that is shown", () => {
  it.each<[string, string, boolean]>([
    ["a/b:1", "a/b:1", true],
    ["a/b:1", "docker.io/a/b:1", true],
    ["nginx", "docker.io/library/nginx:latest", true],
    ["a/b", "a/b:latest", true],
    ["a/b:1", `a/b:1@${digest}`, true],
    [`a/b@${digest}`, `a/b:1@${digest}`, true],
    ["a/b:1", "a/b:2", false],
    ["a/b:1", `a/b@${digest}`, false],
    [`a/b@${digest}`, `a/b@${digest.replace("ab", "cd")}`, false],
    ["a/b:1", "ghcr.io/a/b:1", false],
    ["localhost:5000/a", "localhost:6000/a", false],
  ])("for %s as %s is the same: %s", (asked, shown, expected) => {
    expect(sameImage(asked, shown)).toBe(expected);
  });
});

describe("a value that is shown", () => {
  it.each<[string | null, boolean]>([
    [null, true],
    ["", true],
    ["********", true],
    ["sk-***", true],
    ["<redacted>", true],
    ["/run/secrets/hf_token", false],
    ["hidden_size=4096", false],
    ["*", false],
  ])("as %j is masked: %s", (shown, expected) => {
    expect(isMasked(shown)).toBe(expected);
  });
});

describe("a variable that is asked for and shown right after the change", () => {
  type Row = [string, string | undefined, string | null | undefined, string | undefined, object];
  const same = { echo: {}, differing: [], unchanged: [] };
  const hidden = (name: string) => ({ ...same, echo: { env: [name] } });
  const other = (name: string) => ({ ...same, echo: { env: [name] }, differing: [`env.${name}`] });
  const stale = (name: string) => ({ ...same, differing: [`env.${name}`], unchanged: [`env.${name}`] });

  describe.each(["A", "__proto__"])("and is called %s", (name) => {
    it.each<Row>([
      ["with its value is the same", "new", "new", "old", same],
      ["not at all is hidden", "new", undefined, "old", hidden(name)],
      ["though nobody ever asked for it is hidden", undefined, "node-7", undefined, hidden(name)],
      ["without its value is not compared by it", "new", null, "old", same],
      ["with stars is not compared by it", "new", "********", undefined, same],
      ["with its old value is stale", "new", "old", "old", stale(name)],
      ["though it was removed is stale", undefined, "old", "old", stale(name)],
      ["though it was removed, without its value, is stale", undefined, null, "old", stale(name)],
      ["though it was removed, and was empty, is stale", undefined, "", "", stale(name)],
      ["with another value is the form of the service", "new", "foreign", "old", other(name)],
    ])("%s", (_title, asked, shown, before, learned) => {
      const one = <T>(value: T | undefined): Record<string, T> =>
        value === undefined ? {} : Object.fromEntries([[name, value]]);
      const record: ClusterRecord = { id: "cl_1", env: one<string | null>(shown) };
      expect(learnObserved({ ...inputs, env: one(asked) }, record, { ...inputs, env: one(before) })).toEqual(learned);
    });
  });
});

describe("an input that is shown right after the change", () => {
  it.each<[string, Partial<ClusterRecord>, object]>([
    ["with its registry is a form", { container: "docker.io/a/b:1" }, { differing: [], unchanged: [] }],
    ["with another tag is another one", { container: "a/b:3" }, { differing: ["container"], unchanged: [] }],
    ["with another tag is the form of the service", { container: "a/b:3" }, { echo: { container: "a/b:3" } }],
    [
      "from a mirror is the form of the service",
      { container: "mirror.example/a/b:1" },
      { echo: { container: "mirror.example/a/b:1" } },
    ],
    ["as before is stale", { container: "a/b:0" }, { differing: ["container"], unchanged: ["container"] }],
    ["in capitals is a form", { gpuType: "H100" }, { differing: [], unchanged: [] }],
  ])("%s", (_title, shown, expected) => {
    const before = { ...inputs, container: "a/b:0" };
    expect(learnObserved(inputs, { id: "cl_1", ...shown }, before)).toMatchObject(expected);
  });
});

describe("what a refresh sees of env", () => {
  const applied = { A: "a-value", B: "b-value" };
  const seen = (shown: ClusterRecord["env"], echo: ObservedInputs) => {
    const state: ClusterState = { ...inputs, env: applied, __observed: echo };
    return withDrift(state, { id: "cl_1", env: shown }).env;
  };
  const masks = { A: "***", B: "***" };
  const both = ["A", "B"];

  it.each<[string, ClusterRecord["env"], ObservedInputs]>([
    ["a variable that stays masked", masks, {}],
    ["a variable that is masked otherwise now", { A: "<hidden>", B: null }, {}],
    ["a variable that was hidden and is shown masked", { A: "a-value", B: "***" }, { env: ["B"] }],
    ["a variable that was shown otherwise from the start", { A: "v1:abc", B: "v1:xyz" }, { env: both }],
    ["what the service added from the start", { ...applied, HOST: "node-7" }, { env: ["HOST"] }],
    ["what the service added from the start, and changes", { ...applied, HOST: "node-8" }, { env: ["HOST"] }],
    ["nothing, where env is not shown", undefined, {}],
  ])("is no drift: %s", (_title, shown, echo) => {
    expect(seen(shown, echo)).toEqual(applied);
  });

  it.each<[string, ClusterRecord["env"], ObservedInputs, object]>([
    ["a masked variable that vanishes", { A: "***" }, {}, { A: "a-value" }],
    ["a new variable whose name alone is shown", { A: null, B: null, C: null }, {}, { ...applied, C: "" }],
    ["a variable that was masked and is shown", { A: "***", B: "other" }, {}, { A: "a-value", B: "other" }],
    ["a variable that vanishes", { A: "a-value" }, {}, { A: "a-value" }],
    ["a new variable called constructor", { ...applied, constructor: "x" }, {}, { ...applied, constructor: "x" }],
  ])("is drift: %s", (_title, shown, echo, expected) => {
    expect(seen(shown, echo)).toEqual(expected);
  });
});
