// Imitates the engine's provider process: loads the same modules, then a provider, and creates clusters with it concurrently.
// Prints the time to load the provider, and the peak memory of the process.
require("@pulumi/pulumi");

const [, , who, count] = process.argv;
const empty = { create: async (inputs) => ({ id: "1", outs: inputs }) };

const startMs = performance.now();
const provider = who === "ours" ? require("../../dist/provider/adapters/dynamic.js") : empty;
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
