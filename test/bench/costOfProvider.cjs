// Stands for the engine's process: loads what that loads, then a provider, and creates so many clusters with it at once. Prints
// what loading the provider took, and the most memory that the process has had.
require("@pulumi/pulumi");

const [, , who, count] = process.argv;
const empty = { create: async (inputs) => ({ id: "1", outs: inputs }) };

const startMs = performance.now();
const provider = who === "ours" ? require("../../dist/provider/doors/dynamic.js") : empty;
const milliseconds = performance.now() - startMs;

async function main() {
  const inputs = (index) => ({
    name: `bench-${index}`,
    gpuType: "h100",
    replicas: 1,
    container: "vllm/vllm-openai:v0.6.3",
    env: { MODEL: "meta/llama-3-8b" },
    desiredStatus: "running",
    deletionPolicy: "delete",
  });
  await Promise.all(Array.from({ length: Number(count) }, (_, index) => provider.create(inputs(index))));
  const megabytes = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ milliseconds, megabytes }));
  process.exit(0);
}

void main();
