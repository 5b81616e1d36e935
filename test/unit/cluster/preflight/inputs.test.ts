import { type InputName, inputNames } from "../../../../provider/cluster/schema/fields";
import { findFailures } from "../../../../provider/cluster/schema/validate";
import { type Properties, UNKNOWN } from "../../../../provider/contract";
import { type Fixture, openFixture } from "../harness";
import { canary, existing, least } from "../inputs";
import { check, old } from "./harness";

const long = (count: number) => "a".repeat(count);
const count = /must be a whole number from 1 to 10000/;
const triggers = /must be a map or a list of strings, numbers and booleans/;
const time = /^must be a date and a time with a zone in ISO 8601, such as "2030-06-30T18:00Z" or "[^"]+"$/;
const notAnInput = /is not an input of a cluster; the inputs are name, gpuType/;
const badName = /must be 1 to 63 letters, digits and '-', and begin and end with a letter or digit/;
const badType = /must be the identifier of a GPU type, such as "h100"; getGpuTypes\(\) lists them/;

/** Bad inputs: the path, its values, and the reason. */
const badInputs: [path: string, values: unknown[], right: RegExp][] = [
  ["name", ["", "-web", "my_web", "web\n", "w\u0435b", long(64), null], badName],
  ["gpuType", ["", " h100", "../h100", "h100\r\nX-Admin: 1", 100, ["h100"], "*"], badType],
  ["fallbackGpuTypes", [[], Array(11).fill("h100"), "h100", null], /must be a list of 1 to 10 GPU types/],
  ["replicas", [0, -1, 1.5, Number.NaN, 10_001, { min: 2, max: 8 }, null], count],
  ["env", ["A=long-value", ["A=long-value"], null], /must be a map of names to strings/],
  ["desiredStatus", ["paused", "RUNNING", true, null], /must be "running" or "stopped"/],
  ["runUntil", ["", "long-value", "2030-06-30", "18:00Z", 1_900_000_000, null], time],
  ["runUntil", ["2030-02-30T18:00Z", "2030-06-31T18:00Z", "2030-06-30T25:00Z", "30 Jun 2030 18:00 UTC"], time],
  ["runUntil", ["2030-06-30T18:00", "2030-06-30T18:00:00.5"], /such as "2030-06-30T18:00Z".*; it has no zone$/],
  ["onNoCapacity", ["later", "nextrun", true, null], /^must be "fail" or "wait" or "nextRun"$/],
  ["restartTriggers", ["v1", null], triggers],
  ["redeployTriggers", ["v1", null], triggers],
  ["minHealthyReplicas", [0, 0.5, null], /must be a whole number from 1 to `replicas`/],
  ["minHealthyReplicas", [2], /must not be more than `replicas`, which is 1/],
  ["adopt", ["", "cl_1/../x", 5, true], /must be the id of a cluster, such as "cl_1a2b3c"; getClusters\(\) lists them/],
  ["maxHourlyCost", [0, -1, Number.NaN, null], /must be a number above 0/],
  // Strings of the stack's config.
  ["replicas", ["3"], /^must be a whole number from 1 to 10000, not a string: .*`requireNumber`.*`require_int`/],
  ["minHealthyReplicas", ["1", "75%"], /^must be a whole number from 1 to `replicas`, not a string: .*`requireNumber`/],
  ["maxHourlyCost", ["5"], /^must be a number above 0, not a string: .*`requireNumber`/],
  ["skipAwait", ["true"], /^must be true or false, not a string: .*`requireBoolean`.*`require_bool`/],
  // Wrong parts of an image reference.
  ["container", ["a/b:v1 ", " a/b:v1"], /; it contains the character " "$/],
  ["container", ["a/b:$(long-value)"], /; it contains the character \$$/],
  ["container", ["a/b:v1\u200b"], /; it contains the character "\\u200b"$/],
  ["container", ["https://docker.io/a/b:v1"], /; it begins with a scheme$/],
  ["container", ["acme/model", "localhost:5000/long-value"], /; it has no tag$/],
  ["container", ["a/b:", `a/b:${long(129)}`, "a/b:-1", "a/b:1:2"], /; its tag must have 1 to 128 letters, digits/],
  ["container", [`a/b:1@sha256:${"0A".repeat(32)}`, "user:hunter2@r.io/a:v1"], /; what follows '@' must be sha256: /],
  ["container", ["Model:1", "r:5000/team/Llm:v1"], /; its repository has an upper-case letter$/],
  ["container", ["r.example.com:65536/a/b:v1"], /; its port is above 65535$/],
  ["container", [`${long(510)}:v1`], /; it has more than 512 characters$/],
  ["container", ["", "a/../b:v1", "-a/b:v1", 5], /such as acme\/model:1$/],
  ["registryCredentialId", ["", "a b"], /must be the id of a credential that the service stores/],
  ["registryCredentialId", ["dckr_pat_0123456789abcdefgh", "https://user:hunter2@ghcr.io"], /is a credential itself/],
  // These are no inputs.
  ["gpu_type", ["h100"], /did you mean `gpuType`\?/],
  ["image", ["acme/model:v1"], notAnInput],
  ["endpoint", ["https://evil.example"], notAnInput],
];

/** Values with bad parts, which have their own paths. */
const badParts: [path: string, value: unknown, right: RegExp][] = [
  ["fallbackGpuTypes.1", ["h100", "*"], badType],
  ["env.1A", { "1A": "long-value" }, /must be a name of letters/],
  [String.raw`env."A\u200b"`, { "A\u200b": "long-value" }, /name of letters/],
  ["env.A", { A: 8080 }, /must be a string; write numbers.*YAML.*`fn::toJSON`/],
  ["env.A", { A: "b\0c" }, /must not contain a NUL/],
  ["env.A", { A: "a\ud83d" }, /must be valid Unicode text/],
  ["env.A", { A: canary.repeat(20_000) }, /must be smaller than 128 KiB/],
  ["restartTriggers", { a: { b: "c" } }, triggers],
  ["redeployTriggers", [["a"]], triggers],
  // Names of the specification and of the official client that this package sends, and a credential.
  ["extraFields.gpu_type", { gpu_type: "h100" }, /is sent by this package: use the input `gpuType`/],
  ["extraFields.replicaCount", { replicaCount: 3 }, /use the input `replicas`/],
  ["extraFields.registryCredentialId", { registryCredentialId: "c" }, /use the input `registryCredentialId`/],
  ["extraFields.port", { port: () => 1 }, /must be a map of names to JSON values/],
  ["extraFields", { notes: canary.repeat(3_000) }, /must be at most 64 KiB/],
  ["readinessProbe.path", {}, /is required; it must be a path below the endpoint/],
  ["readinessProbe.path", { path: "//evil.example.com" }, /must be a path below the endpoint/],
  ["readinessProbe.path", { path: "/%2E%2E/x" }, /must be a path below the endpoint/],
  ["readinessProbe.path", { path: "/\\evil" }, /must be a path below the endpoint/],
  ["readinessProbe.path", { path: "/a\r\nHost: evil" }, /must be a path below the endpoint/],
  ["readinessProbe.port", { path: "/", port: "80" }, /65535, not a string: .*`requireNumber`/],
  ["readinessProbe.headers.hOsT", { path: "/", headers: { hOsT: canary } }, /that a probe can set/],
  ["readinessProbe.headers.X", { path: "/", headers: { X: `${canary}\r\nHost: evil` } }, /printable characters/],
  ["readinessProbe.body", { path: "/", body: canary }, /needs `method: "POST"`/],
];

let fixture: Fixture;
beforeEach(async () => {
  fixture = await openFixture({ settings: { previewChecks: "strict", maxHourlyCost: 1 } });
});

const failuresOf = async (property: string, value: unknown) => {
  const { failures } = await fixture.run(fixture.cluster.check(fixture.ctx(), { ...least, [property]: value }));
  expect(fixture.simulator.requests.splice(0)).toEqual([]);
  return failures;
};

describe("a bad input", () => {
  it.each(badInputs)(
    "is refused by its path with a rule and without its value, before any request: %s",
    async (path, values, right) => {
      for (const value of values) {
        const failures = await failuresOf(path, value);
        expect([value, failures]).toEqual([value, [{ property: path, reason: expect.stringMatching(right) }]]);
        expect(failures[0]?.reason).not.toMatch(/hunter2|long-value|evil/);
      }
    },
  );

  it.each(badParts)("with a bad part is refused by the path of the part: %s", async (path, value, right) => {
    const failures = await failuresOf(path.replace(/\..*/, ""), value);
    expect(failures).toEqual([{ property: path, reason: expect.stringMatching(right) }]);
    expect(JSON.stringify(failures)).not.toMatch(/long-value|canary|evil/);
  });

  it("is refused in one line of a readable length, whatever the name of its variable is", async () => {
    const env = { "A\r\n\u001b[2JB": "x", ["C".repeat(200_000)]: "x" };
    const texts = (await failuresOf("env", env)).map(({ property, reason }) => `${property}: ${reason}`);
    expect(texts).toEqual([expect.stringMatching(/^\P{C}{1,1500}$/u), expect.stringMatching(/^\P{C}{1,1500}$/u)]);
  });

  it.each(inputNames.filter((name) => !["replicas", "minHealthyReplicas", "maxHourlyCost"].includes(name)))(
    "is not quoted, because it can be a secret: %s",
    (name) => {
      const values = [71830264, "7183 0264!", [71830264], { A: 71830264 }, { A: { B: ["7183 0264!"] } }, [[71830264]]];
      for (const value of values) {
        const reasons = findFailures({ ...least, [name]: value }).map(({ reason }) => reason);
        expect([value, reasons.filter((reason) => /7183|0264/.test(reason))]).toEqual([value, []]);
      }
    },
  );

  it("is refused together with all others, and a number is quoted", () => {
    const env = { "1A": "x", PORT: 8080, GOOD: canary, LATER: UNKNOWN };
    const failures = findFailures({ name: "-", replicas: 0, container: "x", env, region: "eu", zone: "b" });
    const paths = ["container", "env.1A", "env.PORT", "gpuType", "name", "region", "replicas", "zone"];
    expect(failures.map(({ property }) => property).sort()).toEqual(paths);
    expect(JSON.stringify(failures)).not.toContain(canary);
    expect(findFailures({ ...least, replicas: 10_001 })[0]?.reason).toContain("got 10001");
  });
});

/**
 * A value of each input that breaks a rule: set by the service or another user, or accepted by an older version. Triggers that
 * break one cannot be read from a state.
 */
const observed: Readonly<Record<Exclude<InputName, "restartTriggers" | "redeployTriggers">, unknown>> = {
  name: "web_1",
  gpuType: "H100 (80 GB)",
  fallbackGpuTypes: ["H100 (80 GB)"],
  replicas: 0,
  container: "team/llm",
  env: { "1WEIRD": "x", MODEL: "old" },
  registryCredentialId: "team hub",
  extraFields: { "1weird": true, gpu_type: "h100", tier: "spot" },
  desiredStatus: "paused",
  runUntil: "tomorrow",
  adopt: "../web",
  skipAwait: "yes",
  minHealthyReplicas: 0,
  readinessProbe: { path: "health", method: "PUT" },
  onFailedUpdate: "undo",
  onNoCapacity: "later",
  maxHourlyCost: "5",
};

describe("an invalid value of the last run, which `ignoreChanges` returns as an input,", () => {
  const other = { redeployTriggers: ["2"], maxHourlyCost: 99 };

  it.each(Object.entries(observed))(
    "is refused in a creation, and accepted in an update: %s = %j",
    async (name, value) => {
      const before = old({ [name]: value });
      const news = { ...least, replicas: 2, ...other, [name]: value };
      expect(findFailures(news)).not.toEqual([]);
      expect((await check(await openFixture(), news, before)).refusals).toEqual([]);
    },
  );

  it("is refused beside the same value of another name, and if it changes", async () => {
    const before = old({ env: { "1WEIRD": "x" }, container: "team/llm", replicas: 0 });
    const news = { ...least, container: "team/other", replicas: -1, env: { "1WEIRD": "y", "2WEIRD": "x" } };
    const paths = findFailures(news, before).map(({ property }) => property);
    expect(paths.sort()).toEqual(["container", "env.1WEIRD", "env.2WEIRD", "replicas"]);
  });

  it.each<[string, number, string[]]>([
    ["is accepted beside replicas that others have set", 2, []],
    ["is refused if the program lowers the replicas", 1, ["minHealthyReplicas"]],
  ])("as `minHealthyReplicas` %s", (_title, replicas, paths) => {
    const failures = findFailures({ ...least, replicas, minHealthyReplicas: 3 }, old({ minHealthyReplicas: 3 }));
    expect(failures.map(({ property }) => property)).toEqual(paths);
  });
});

it("a value that is not known yet passes for every input, and only that of a change causes one list", async () => {
  const news = Object.fromEntries(inputNames.map((name) => [name, UNKNOWN]));
  for (const olds of [{}, existing, {}]) {
    const { inputs, failures } = await fixture.run(fixture.cluster.check(fixture.ctx(), news, olds));
    expect(failures).toEqual([]);
    expect(inputs).toMatchObject(news);
  }
  // It shows whether the service can update the cluster in place.
  expect(fixture.requestLines()).toEqual(["GET /v1/clusters"]);
  for (const name of inputNames) expect(findFailures({ ...least, [name]: UNKNOWN })).toEqual([]);
});

it.each<Properties>([
  ...["a", "a".repeat(63)].map((name) => ({ name })),
  { gpuType: "NVIDIA H100 80GB" },
  { fallbackGpuTypes: [least["gpuType"], ...Array(9).fill("l4")] },
  { container: "registry.example.com:5000/team/llm:v1", replicas: 10_000 },
  { container: `team/llm:v1@sha256:${"0a".repeat(32)}` },
  { env: { EMPTY: "", TEXT: "a\nb 🚀 \u00e4 $HOME $(x) __proto__", BIG: "a".repeat(128 * 1024 - 1) } },
  { env: { "spring.profile": "x", "my-var": "y", _A: "z" } },
  { desiredStatus: "stopped", adopt: "cl_1a2b3c", registryCredentialId: "0b6ad0a5-51a5-4b67-8e1f-2a8f1f9c7d3e" },
  ...["2030-06-30T18:00Z", "2030-06-30T18:00:00.1234567+02:00", "2032-02-29T00:00-0930"].map((runUntil) => ({
    runUntil,
  })),
  { restartTriggers: { version: 1, by: "me", really: true }, redeployTriggers: [] },
  { replicas: 3, minHealthyReplicas: 3, maxHourlyCost: 0.01 },
  { readinessProbe: { path: UNKNOWN, port: UNKNOWN, headers: { X: UNKNOWN } } },
])("a good input is accepted: %j", (inputs) => {
  expect(findFailures({ ...least, ...inputs })).toEqual([]);
});
