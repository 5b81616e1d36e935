// Imitates the engine's provider process: loads the same modules, then a provider, and creates clusters with it concurrently.
// Prints the peak memory of the process in bytes.
require("@pulumi/pulumi");

const { setTimeout: sleep } = require("node:timers/promises");

const { GPUCLUSTER_BASE_URL: url, GPUCLUSTER_API_KEY: apiKey } = process.env;

/** This provider, one that does nothing, and a plain HTTP client that sends the least that a provider has to send. */
const providers = {
  ours: () => require("../../dist/provider/adapters/dynamic.js"),
  empty: () => ({ create: async (inputs) => ({ id: "1", outs: inputs }) }),
  undici() {
    const { Agent, request } = require("undici");
    const dispatcher = new Agent({ connections: 16 });
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const send = async (method, path, body) => {
      const answer = await request(url + path, { dispatcher, method, headers, body });
      return answer.body.json();
    };
    return {
      async create({ name, gpuType, replicas, container, env }) {
        const body = JSON.stringify({ name, gpu_type: gpuType, replicas, container, env });
        const { id } = await send("POST", "/v1/clusters", body);
        for (;;) {
          await sleep(1_000);
          const status = await send("GET", `/v1/clusters/${id}/status`);
          if (status.replicas.length === replicas && status.replicas.every(({ healthy }) => healthy)) return { id };
        }
      },
    };
  },
};

async function main() {
  const [, , who, count] = process.argv;
  const provider = providers[who]();
  const inputs = (index) => ({
    name: `bench-${index}`,
    gpuType: "h100",
    replicas: 1,
    container: "acme/model:1",
    env: { MODEL: "meta/llama-3-8b" },
    desiredStatus: "running",
  });
  await Promise.all(Array.from({ length: Number(count) }, (_, index) => provider.create(inputs(index))));
  console.log(process.resourceUsage().maxRSS * 1024);
  process.exit(0);
}

void main();
