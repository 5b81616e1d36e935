/** One input that must be refused: what it is called, where it stands, its value, and the path that the refusal names. */
export type BadInput = [title: string, property: string, value: unknown, path?: string];

const manyLetters = (count: number) => "a".repeat(count);

const names: BadInput[] = [
  ["an empty name", "name", ""],
  ["a blank name", "name", " "],
  ["a name that begins with -", "name", "-web"],
  ["a name that ends with -", "name", "web-"],
  ["a name with an underscore", "name", "my_web"],
  ["a name with a dot", "name", "my.web"],
  ["a name with a space", "name", "my web"],
  ["a name with a slash", "name", "../admin"],
  ["a name with a line break", "name", "web\n"],
  ["a name with a NUL", "name", "web\0"],
  ["a name with an umlaut", "name", "wäb"],
  ["a name with an emoji", "name", "web🚀"],
  ["a name of 64 characters", "name", manyLetters(64)],
  ["a number for a name", "name", 5],
  ["null for a name", "name", null],
  ["a boolean for a name", "name", true],
  ["a list for a name", "name", ["web"]],
  ["a map for a name", "name", { web: 1 }],
];

const gpuTypes: BadInput[] = [
  ["no GPU type", "gpuType", undefined],
  ["an empty GPU type", "gpuType", ""],
  ["a GPU type that begins with a space", "gpuType", " h100"],
  ["a GPU type that begins with a path", "gpuType", "../h100"],
  ["a GPU type with a line break", "gpuType", "h100\n"],
  ["a GPU type with a question mark", "gpuType", "h100?x=1"],
  ["a GPU type of 200 characters", "gpuType", manyLetters(200)],
  ["a number for a GPU type", "gpuType", 100],
  ["null for a GPU type", "gpuType", null],
  ["a list for a GPU type", "gpuType", ["h100"]],
  ["a map for a GPU type", "gpuType", { type: "h100" }],
];

const replicas: BadInput[] = [
  ["no replica at all", "replicas", 0],
  ["a negative number of replicas", "replicas", -1],
  ["half a replica", "replicas", 1.5],
  ["NaN replicas", "replicas", Number.NaN],
  ["infinitely many replicas", "replicas", Number.POSITIVE_INFINITY],
  ["10 001 replicas", "replicas", 10_001],
  ["a million replicas", "replicas", 1_000_000],
  ["a text for the replicas", "replicas", "3"],
  ["null for the replicas", "replicas", null],
  ["a boolean for the replicas", "replicas", true],
  ["a list for the replicas", "replicas", [3]],
];

const containers: BadInput[] = [
  ["no container", "container", undefined],
  ["an empty container", "container", ""],
  ["an image without a tag", "container", "vllm/vllm-openai"],
  ["an image with an empty tag", "container", "vllm/vllm-openai:"],
  ["a tag without an image", "container", ":v1"],
  ["an image in capitals", "container", "vllm/VLLM:v1"],
  ["a URL for an image", "container", "https://docker.io/vllm/vllm:v1"],
  ["an image with a space in it", "container", "vllm/vllm openai:v1"],
  ["an image with a space after it", "container", "vllm/vllm-openai:v1 "],
  ["an image with a line break", "container", "vllm/vllm-openai:v1\n"],
  ["an image that begins with a slash", "container", "/vllm/vllm-openai:v1"],
  ["an image with an empty part", "container", "vllm//vllm-openai:v1"],
  ["a tag that begins with -", "container", "vllm/vllm-openai:-v1"],
  ["a tag of 129 characters", "container", `vllm/vllm-openai:${manyLetters(129)}`],
  ["a digest that is too short", "container", "vllm/vllm-openai@sha256:abc"],
  ["an image of 513 characters", "container", `${manyLetters(510)}:v1`],
  ["a template that was not filled in", "container", `\${IMAGE}:v1`],
  ["a number for a container", "container", 5],
  ["null for a container", "container", null],
  ["a map for a container", "container", { image: "vllm/vllm-openai:v1" }],
];

const envs: BadInput[] = [
  ["a text for env", "env", "A=1"],
  ["a list for env", "env", ["A=1"]],
  ["a number for env", "env", 5],
  ["a boolean for env", "env", true],
  ["null for env", "env", null],
  ["a variable without a name", "env", { "": "x" }, "env."],
  ["a variable that begins with a digit", "env", { "1A": "x" }, "env.1A"],
  ["a variable with a space", "env", { "A B": "x" }, "env.A B"],
  ["a variable with an =", "env", { "A=B": "x" }, "env.A=B"],
  ["a variable that begins with -", "env", { "-A": "x" }, "env.-A"],
  ["a variable with an umlaut", "env", { Ä: "x" }, "env.Ä"],
  ["a variable with a NUL", "env", { "A\0": "x" }, "env.A\0"],
  ["a variable with a number", "env", { PORT: 8080 }, "env.PORT"],
  ["a variable with a boolean", "env", { DEBUG: true }, "env.DEBUG"],
  ["a variable with null", "env", { EMPTY: null }, "env.EMPTY"],
  ["a variable with a map", "env", { A: { b: "c" } }, "env.A"],
  ["a variable with a list", "env", { A: ["b"] }, "env.A"],
  ["a variable with a NUL in its value", "env", { A: "b\0c" }, "env.A"],
  ["a variable of 128 KiB", "env", { A: manyLetters(128 * 1024) }, "env.A"],
];

const strangers: BadInput[] = [
  ["an input that does not exist", "region", "eu"],
  ["an input in the service's spelling", "gpu_type", "h100"],
  ["an input in other capitals", "Replicas", 2],
  ["an input of other tools", "image", "vllm/vllm-openai:v1"],
  ["an output as an input", "status", "running"],
];

export const badInputs: readonly BadInput[] = [
  ...names,
  ...gpuTypes,
  ...replicas,
  ...containers,
  ...envs,
  ...strangers,
];

/** What a refusal says is right, by the first part of its path. */
export const rightInstead: Readonly<Record<string, RegExp>> = {
  name: /must be 1 to 63 letters, digits and '-', and begin and end with a letter or digit/,
  gpuType: /must be the identifier of a GPU type, such as "h100"; getGpuTypes\(\) lists them/,
  replicas: /must be a whole number from 1 to 10000/,
  container: /must be an image reference with a tag, such as vllm\/vllm-openai:v0\.6\.3/,
  env: /must be a (map of names to strings|name of letters|string; write numbers)|must not hold a NUL|must be smaller than 128 KiB/,
};
