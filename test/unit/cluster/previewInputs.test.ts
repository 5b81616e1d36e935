import { inputNames } from "../../../provider/cluster/fields";
import { findFailures } from "../../../provider/cluster/preview/validate";
import { type Properties, UNKNOWN } from "../../../provider/core";
import { type BadInput, badInputs, nastyInputs, rightInstead } from "./badInputs";
import { type Bench, closeAll, openBench } from "./harness";
import { canary, existing, least } from "./inputs";

const stranger = /is not an input of a cluster; the inputs are name, gpuType, replicas, container, env/;

/** Every text inside a value that is long enough to be a secret. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value.length > 6 ? [value] : [];
  if (value instanceof Map || value instanceof Set) return textsIn([...value]);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Our own examples may be what somebody has written. */
const withoutExamples = (reason: string) => reason.replace("vllm/vllm-openai:v0.6.3", "");

describe("a bad input", () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench();
  });
  afterAll(closeAll);

  const refused = async (property: string, value: unknown) => {
    const { failures } = await bench.run(bench.cluster.check(bench.ctx(), { ...least, [property]: value }));
    expect(bench.simulator.requests.splice(0)).toEqual([]);
    return failures;
  };

  it.each<BadInput>(badInputs)("%s is refused by its path, with what is right, before any request", async (...row) => {
    const [, property, value, path = property] = row;
    const failures = await refused(property, value);
    expect(failures.map((failure) => failure.property)).toEqual([path]);
    const reason = failures[0]?.reason ?? "";
    expect(reason).toMatch((Object.hasOwn(rightInstead, property) && rightInstead[property]) || stranger);
    for (const text of textsIn(value)) expect(withoutExamples(reason)).not.toContain(text);
  });

  it("stands in a table of more than 210 rows", () => {
    expect(badInputs.length).toBeGreaterThan(210);
  });

  it.each<BadInput>(nastyInputs)("%s is refused", async (...[, property, value]) => {
    expect(await refused(property, value)).toHaveLength(1);
  });

  it("is not quoted where it is the value of a variable, which may be a PIN", async () => {
    expect(JSON.stringify(await refused("env", { PIN: 71830264 }))).not.toContain("71830264");
  });

  it.each(inputNames.filter((name) => !["replicas", "minHealthyReplicas", "maxHourlyCost"].includes(name)))(
    "is never quoted where it is %s, whatever kind of thing it is",
    async (name) => {
      const values = [71830264, "7183 0264!", [71830264], { A: 71830264 }, { A: { B: ["7183 0264!"] } }, [[71830264]]];
      for (const value of values) {
        const reasons = findFailures({ ...least, [name]: value }).map(({ reason }) => reason);
        expect([value, reasons.filter((reason) => /7183|0264/.test(reason))]).toEqual([value, []]);
      }
    },
  );

  it("is told in one line of a readable length, whatever the name of its variable is", async () => {
    const env = { "A\r\n\u001b[2JB": "x", ["C".repeat(10_000)]: 5 };
    const texts = (await refused("env", env)).map(({ property, reason }) => `${property}: ${reason}`);
    expect(texts).toHaveLength(2);
    for (const text of texts) expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    for (const text of texts) expect(text.length).toBeLessThan(1_500);
  });

  it.each([0, -1, 1.5, 10_001])("is quoted where it is a number: %d", (replicas) => {
    expect(findFailures({ ...least, replicas })[0]?.reason).toContain(`got ${replicas}`);
  });
});

describe("several bad inputs", () => {
  it("are refused all at once, each by its own path", () => {
    const env = { "1A": "x", PORT: 8080, GOOD: "y" };
    const failures = findFailures({ name: "-", replicas: 0, container: "x", env, region: "eu", zone: "b" });
    expect(failures.map(({ property }) => property).sort()).toEqual([
      "container",
      "env.1A",
      "env.PORT",
      "gpuType",
      "name",
      "region",
      "replicas",
      "zone",
    ]);
  });
});

describe("a refusal", () => {
  it.each([
    ["under a bad name", { "1A": canary }],
    ["in a map", { A: { inner: canary } }],
    ["in a list", { A: [canary] }],
    ["with a NUL", { A: `${canary}\0` }],
    ["that is too long", { A: canary.repeat(20_000) }],
    ["as the whole env", canary],
    ["in a list for env", [canary]],
    ["next to a bad one", { GOOD: canary, BAD: 5 }],
  ])("never holds an env value %s", (_where, env) => {
    const failures = findFailures({ ...least, env });
    expect(failures).toHaveLength(1);
    expect(JSON.stringify(failures)).not.toContain(canary);
  });

  it.each(["name", "gpuType", "replicas", "container"])("never holds a text that was given as %s", (name) => {
    const failures = findFailures({ ...least, [name]: `${canary}?\n` });
    expect(failures).toHaveLength(1);
    expect(JSON.stringify(failures)).not.toContain(canary);
  });
});

describe("a value that is not known yet", () => {
  afterAll(closeAll);

  it.each<[string, Properties]>([
    ["is no failure and no request where every input is one", {}],
    ["is none where the connection is known, either", { connection: undefined }],
  ])("%s", async (_title, known) => {
    const bench = await openBench({ settings: { strictPreview: true, capacityCheck: "error", maxHourlyCost: 1 } });
    const news = { ...Object.fromEntries(inputNames.map((name) => [name, UNKNOWN])), ...known };
    for (const olds of [{}, existing, {}]) {
      const { inputs, failures } = await bench.run(bench.cluster.check(bench.ctx(), news, olds));
      expect(failures).toEqual([]);
      expect(inputs).toMatchObject(news);
    }
    expect(bench.simulator.requests).toEqual([]);
  });

  it.each(inputNames)("is not judged as %s", (name) => {
    expect(findFailures({ ...least, [name]: UNKNOWN })).toEqual([]);
  });

  it("is not judged inside env, while the values next to it are", () => {
    expect(findFailures({ ...least, env: { LATER: UNKNOWN, NOW: 5 } }).map(({ property }) => property)).toEqual([
      "env.NOW",
    ]);
  });

  it("does not excuse a bad variable name", () => {
    expect(findFailures({ ...least, env: { "1A": UNKNOWN } }).length).toBeLessThanOrEqual(1);
  });
});

describe("a good input", () => {
  it.each([
    ["the least", {}],
    ["a name of one letter", { name: "a" }],
    ["a name of 63 characters", { name: "a".repeat(63) }],
    ["a name of digits", { name: "007" }],
    ["10 000 replicas", { replicas: 10_000 }],
    ["a GPU type with a size", { gpuType: "a100-80gb" }],
    ["a GPU type with a maker and a space", { gpuType: "NVIDIA H100 80GB" }],
    ["an image with a registry and a port", { container: "registry.example.com:5000/team/llm:v1" }],
    ["an image with a digest", { container: `team/llm@sha256:${"0a".repeat(32)}` }],
    ["an image with a tag and a digest", { container: `team/llm:v1@sha256:${"0a".repeat(32)}` }],
    ["an empty env", { env: {} }],
    ["an empty value", { env: { EMPTY: "" } }],
    ["a value with line breaks and emoji", { env: { TEXT: "a\nb 🚀 \u00e4 $HOME $(x) __proto__" } }],
    ["a value just below 128 KiB", { env: { BIG: "a".repeat(128 * 1024 - 1) } }],
    ["variables with dots and dashes", { env: { "spring.profile": "x", "my-var": "y", _A: "z" } }],
    ["a list of GPU types", { gpuType: ["h100", "a100-80gb"] }],
    ["stopped", { desiredStatus: "stopped", deletionPolicy: "stop" }],
    ["triggers in a map", { restartTriggers: { version: 1, by: "me", really: true } }],
    ["triggers in a list", { redeployTriggers: ["a", 1, false] }],
    ["no triggers", { restartTriggers: {}, redeployTriggers: [] }],
    ["a cluster to adopt", { adopt: "cl_1a2b3c" }],
    ["a share of healthy replicas", { minHealthyReplicas: "75%", skipAwait: true }],
    ["all replicas healthy", { minHealthyReplicas: "100%" }],
    ["a count of healthy replicas", { replicas: 3, minHealthyReplicas: 3 }],
    ["a health check by the list", { healthCheck: "list" }],
    ["a limit", { maxHourlyCost: 0.01 }],
    ["a connection", { connection: "eu-prod", plainEnv: true }],
    ["hidden inputs", { __urn: "u", __timeouts: { create: "1h" }, __provider: "text" }],
  ])("is accepted: %s", (_title, inputs) => {
    expect(findFailures({ ...least, ...inputs })).toEqual([]);
  });
});
