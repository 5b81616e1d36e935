import { inspect } from "node:util";
import { inputNames } from "../../../../provider/cluster/model/fields";
import { findFailures } from "../../../../provider/cluster/model/validate";
import { type Properties, UNKNOWN } from "../../../../provider/contract";
import { type Bench, openBench } from "../harness";
import { canary, existing, least } from "../inputs";
import { badInputs, rightInstead } from "./badInputs";

const stranger =
  /is not an input of a cluster; (the inputs are name, gpuType, fallbackGpuTypes, replicas, container, env|did you mean `\w+`\?)/;

/** Every text inside a value that is long enough to be a secret. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value.length > 6 ? [value] : [];
  if (value instanceof Map || value instanceof Set) return textsIn([...value]);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Our own examples may be what somebody has written. */
const withoutExamples = (reason: string) => reason.replace("vllm/vllm-openai:v0.6.3", "");

const shownAs = (value: unknown) => inspect(value, { maxStringLength: 60, breakLength: Number.POSITIVE_INFINITY });
const rows = badInputs.map(
  ([property, value, path = property]) => [`${property} = ${shownAs(value)}`, property, value, path] as const,
);

let bench: Bench;
beforeEach(async () => {
  bench = await openBench({ settings: { strictPreview: true, capacityCheck: "error", maxHourlyCost: 1 } });
});

const refused = async (property: string, value: unknown) => {
  const { failures } = await bench.run(bench.cluster.check(bench.ctx(), { ...least, [property]: value }));
  expect(bench.simulator.requests.splice(0)).toEqual([]);
  return failures;
};

it("a mistyped input is refused with the one that is meant", async () => {
  expect(await refused("gpu_type", "h100")).toEqual([
    { property: "gpu_type", reason: "is not an input of a cluster; did you mean `gpuType`?" },
  ]);
});

describe("a bad input", () => {
  it.each(rows)("%s is refused by its path, with what is right, before any request", async (...row) => {
    const [, property, value, path] = row;
    const failures = await refused(property, value);
    expect(failures.map((failure) => failure.property)).toEqual([path]);
    const reason = failures[0]?.reason ?? "";
    expect(reason).toMatch((Object.hasOwn(rightInstead, property) && rightInstead[property]) || stranger);
    for (const text of textsIn(value)) expect(withoutExamples(reason)).not.toContain(text);
  });

  it("is told in one line of a readable length, whatever the name of its variable is", async () => {
    const env = { "A\r\n\u001b[2JB": "x", ["C".repeat(200_000)]: "x" };
    const texts = (await refused("env", env)).map(({ property, reason }) => `${property}: ${reason}`);
    expect(texts).toHaveLength(2);
    for (const text of texts) expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    for (const text of texts) expect(text.length).toBeLessThan(1_500);
  });

  it.each(inputNames.filter((name) => !["replicas", "minHealthyReplicas", "maxHourlyCost"].includes(name)))(
    "is never quoted if it is %s, which may be a secret of any type",
    (name) => {
      const values = [71830264, "7183 0264!", [71830264], { A: 71830264 }, { A: { B: ["7183 0264!"] } }, [[71830264]]];
      for (const value of values) {
        const reasons = findFailures({ ...least, [name]: value }).map(({ reason }) => reason);
        expect([value, reasons.filter((reason) => /7183|0264/.test(reason))]).toEqual([value, []]);
      }
    },
  );

  it.each([
    ["a bad name", { "1A": canary }],
    ["a NUL", { A: `${canary}\0` }],
    ["too many characters", { A: canary.repeat(20_000) }],
    ["a bad one next to it", { GOOD: canary, BAD: 5 }],
  ])("never shows an env value with %s", (_what, env) => {
    const failures = findFailures({ ...least, env });
    expect(failures).toHaveLength(1);
    expect(JSON.stringify(failures)).not.toContain(canary);
  });

  it.each([0, -1, 1.5, 10_001])("is quoted if it is a number: %d", (replicas) => {
    expect(findFailures({ ...least, replicas })[0]?.reason).toContain(`got ${replicas}`);
  });

  it("is refused together with all others, each by its own path", () => {
    const env = { "1A": "x", PORT: 8080, GOOD: "y", LATER: UNKNOWN };
    const failures = findFailures({ name: "-", replicas: 0, container: "x", env, region: "eu", zone: "b" });
    const paths = ["container", "env.1A", "env.PORT", "gpuType", "name", "region", "replicas", "zone"];
    expect(failures.map(({ property }) => property).sort()).toEqual(paths);
  });
});

describe("a value that is not known yet", () => {
  it("is no failure, and nothing is asked about it, whichever input it is", async () => {
    const news = Object.fromEntries(inputNames.map((name) => [name, UNKNOWN]));
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
});

it.each<Properties>([
  {},
  ...["a", "a".repeat(63), "007"].map((name) => ({ name })),
  ...["a100-80gb", "NVIDIA H100 80GB"].map((gpuType) => ({ gpuType })),
  { fallbackGpuTypes: ["a100-80gb"] },
  { fallbackGpuTypes: [least["gpuType"], ...Array(9).fill("l4")] },
  ...["registry.example.com:5000/team/llm:v1", `team/llm@sha256:${"0a".repeat(32)}`].map((container) => ({
    container,
  })),
  { container: `team/llm:v1@sha256:${"0a".repeat(32)}`, replicas: 10_000 },
  { env: {} },
  { env: { EMPTY: "", TEXT: "a\nb 🚀 \u00e4 $HOME $(x) __proto__", BIG: "a".repeat(128 * 1024 - 1) } },
  { env: { "spring.profile": "x", "my-var": "y", _A: "z" } },
  { desiredStatus: "stopped", adopt: "cl_1a2b3c" },
  { restartTriggers: { version: 1, by: "me", really: true }, redeployTriggers: ["a", 1, false] },
  { restartTriggers: {}, redeployTriggers: [] },
  { minHealthyReplicas: 1, skipAwait: true },
  { replicas: 3, minHealthyReplicas: 3, maxHourlyCost: 0.01 },
  { __urn: "u", __timeouts: { create: "1h" }, __provider: "text" },
])("a good input is accepted: %j", (inputs) => {
  expect(findFailures({ ...least, ...inputs })).toEqual([]);
});
