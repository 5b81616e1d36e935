/** One input that must be refused: its name, its value, and the path in the refusal if that is another one. */
export type BadInput = [property: string, value: unknown, path?: string];

const long = (count: number) => "a".repeat(count);

/** Values of no type that an input could have. */
const wrongTypes = [null, true, new Date(0)];

/** Values that must be refused as a whole, by their input: wrong types, look-alikes, invisible characters, injections. */
const values: Readonly<Record<string, readonly unknown[]>> = {
  name: [
    ...["", "-web", "web-", "my_web", "web\n", "wäb", long(64), "\u202eweb", "w\u0435b", "cl_1/../..", long(1_000_000)],
    ...[5, ["web"], Object("web"), ...wrongTypes],
  ],
  gpuType: [
    ...[undefined, "", " h100", "../h100", "h100\n", "h100?x=1", long(200), 100, { type: "h100" }, ...wrongTypes],
    ...["\u04bb100", "h100%2f", "h100,l4", "h100\r\nX-Admin: 1", [], ["h100", "*"], "*"],
  ],
  fallbackGpuTypes: [[], Array.from({ length: 11 }, (_, index) => `h${index}`), "h100", { 0: "h100" }, 5, null],
  replicas: [
    ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 10_001, "3", [3], { min: 2, max: 8 }],
    ...[-0, 1.0000000000000002, 2 ** 53, "0x3", "\uff13", BigInt(3), "", Object(3), ...wrongTypes],
  ],
  container: [
    ...[
      undefined,
      "",
      "vllm/vllm-openai",
      "vllm/vllm-openai:",
      ":v1",
      "vllm/VLLM:v1",
      "https://docker.io/vllm/vllm:v1",
    ],
    ...["vllm/vllm-openai:v1 ", "vllm/vllm-openai:v1\n", "/vllm/vllm-openai:v1", "vllm//openai:v1", `${long(510)}:v1`],
    ...["vllm/vllm-openai:-v1", `vllm/vllm-openai:${long(129)}`, "vllm/vllm-openai@sha256:abc", `\${IMAGE}:v1`],
    ...["vllm/vllm-openai:v1\u200b", "vllm/../vllm-openai:v1", "user:hunter2-hunter2@registry.example.com/vllm:v1"],
    ...["docker://vllm/vllm-openai:v1", "vllm:v1:v2", "registry.example.com:99999/vllm:v1", 5, ...wrongTypes],
  ],
  env: [
    ...["A=1", ["A=1"], 5, [["A", "long-value-of-A"]], ...wrongTypes],
    ...[new Map([["A", "long-value-of-A"]]), new Set(["long-value"])],
  ],
  desiredStatus: ["paused", "RUNNING", "", true, null],
  restartTriggers: ["v1", 5, null],
  redeployTriggers: ["v1", 5, null],
  skipAwait: ["true"],
  // Two are more than there are.
  minHealthyReplicas: [0, -1, 0.5, "75%", "1", [1], null, 2],
  adopt: ["", "cl_1/../x", "cl_1 ", 5, { id: "cl_1" }, true],
  maxHourlyCost: [0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5", null],
  // These are no inputs.
  region: ["eu"],
  gpu_type: ["h100"],
  Replicas: [2],
  image: ["vllm/vllm-openai:v1"],
  status: ["running"],
  constructor: [{ prototype: {} }],
  toString: ["long-value"],
  id: ["cl_12345"],
  endpoint: ["https://evil.example"],
  settled: [true],
  hourlyCost: [5],
  unverifiedInputs: [[]],
};

/** Parts of values that must be refused by a path of their own. */
const parts: readonly BadInput[] = [
  ["fallbackGpuTypes", ["h100", 5], "fallbackGpuTypes.1"],
  ["fallbackGpuTypes", [["h100"]], "fallbackGpuTypes.0"],
  ["fallbackGpuTypes", ["h100", ""], "fallbackGpuTypes.1"],
  ["fallbackGpuTypes", ["h100", "*"], "fallbackGpuTypes.1"],
  ["env", { "": "x" }, 'env.""'],
  ["env", { Ä: "x" }, String.raw`env."\u00c4"`],
  ["env", { "A\0": "x" }, String.raw`env."A\u0000"`],
  ["env", { "\u0410": "long-value" }, String.raw`env."\u0410"`],
  ["env", { "A\u200b": "long-value" }, String.raw`env."A\u200b"`],
  ["env", { "A ": "long-value" }, 'env."A "'],
  ...["1A", "A=B"].map((name): BadInput => ["env", { [name]: "long-value" }, `env.${name}`]),
  ["env", JSON.parse('{"__proto__":"long-value"}'), "env.__proto__"],
  ["env", { toString: { a: "long-value" } }, "env.toString"],
  ...[8080, true, null, { b: "c" }, ["b"], "b\0c", "a\ud83d", Number.NaN, BigInt(5), new Date(0), undefined].map(
    (value): BadInput => ["env", { A: value }, "env.A"],
  ),
  ...[long(128 * 1024), long(9 * 1024 * 1024), Object("long-value"), [[["long-value"]]]].map(
    (value): BadInput => ["env", { A: value }, "env.A"],
  ),
  ...["restartTriggers", "redeployTriggers"].flatMap((property): BadInput[] => [
    [property, { a: null }, `${property}.a`],
    [property, { a: { b: "c" } }, `${property}.a`],
    [property, [["a"]], `${property}.0`],
  ]),
  ["", "long-value", '""'],
  [" name", "long-value", '" name"'],
  ["n\u0430me", "long-value", String.raw`"n\u0430me"`],
];

export const badInputs: readonly BadInput[] = [
  ...Object.entries(values).flatMap(([property, list]) => list.map((value): BadInput => [property, value])),
  ...parts,
];

/** What a refusal says is right, by the first part of its path. */
export const rightInstead: Readonly<Record<string, RegExp>> = {
  name: /must be 1 to 63 letters, digits and '-', and begin and end with a letter or digit/,
  gpuType: /must be the identifier of a GPU type, such as "h100"; getGpuTypes\(\) lists them/,
  fallbackGpuTypes:
    /must be (a list of 1 to 10 GPU types, the best first|the identifier of a GPU type, such as "h100")/,
  replicas: /must be a whole number from 1 to 10000/,
  container: /must be an image reference with a tag, such as vllm\/vllm-openai:v0\.6\.3/,
  env: /must be a (map of names to strings|name of letters|string; write numbers)|must not contain a NUL|must be smaller than 128 KiB|cannot be the name of a variable|must be valid Unicode text/,
  desiredStatus: /must be "running" or "stopped"/,
  restartTriggers: /must be a map or a list of strings, numbers and booleans/,
  redeployTriggers: /must be a map or a list of strings, numbers and booleans/,
  skipAwait: /must be true or false/,
  minHealthyReplicas: /must (be a whole number from 1 to `replicas`|not be more than `replicas`, which is 1)/,
  adopt: /must be the id of a cluster, such as "cl_1a2b3c"; getClusters\(\) lists them/,
  maxHourlyCost: /must be a number above 0/,
};
