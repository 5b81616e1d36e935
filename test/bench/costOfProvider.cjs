// Imitates the engine's provider process: loads the same modules, then a provider, and creates clusters with it concurrently.
// Prints the time to load the provider, and the peak memory of the process.
require("@pulumi/pulumi");

const { setTimeout: sleep } = require("node:timers/promises");

const { GPUCLUSTER_BASE_URL: url, GPUCLUSTER_API_KEY: apiKey } = process.env;
const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
const connections = 16;

/** This provider, one that does nothing, and two plain HTTP clients that send the least that a provider has to send. */
const providers = {
  ours: () => require("../../dist/provider/adapters/dynamic.js"),
  empty: () => ({ create: async (inputs) => ({ id: "1", outs: inputs }) }),
  undici() {
    const { Agent, request } = require("undici");
    const dispatcher = new Agent({ connections });
    return plain(async (method, path, body) => {
      const answer = await request(url + path, { dispatcher, method, headers, body });
      return answer.body.json();
    });
  },
  http() {
    const http = require("node:http");
    const { json } = require("node:stream/consumers");
    const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
    return plain((method, path, body) => {
      return new Promise((resolve, reject) => {
        const request = http.request(url + path, { agent, method, headers }, (answer) => resolve(json(answer)));
        request.on("error", reject).end(body);
      });
    });
  },
};

/** One creation, then polls until the replica is healthy. */
function plain(send) {
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
}

const [, , who, count] = process.argv;
const startMs = performance.now();
const provider = providers[who]();
const milliseconds = performance.now() - startMs;

async function main() {
  const inputs = (index) => ({
    name: `bench-${index}`,
    gpuType: "h100",
    replicas: 1,
    container: "vllm/vllm-openai:v0.6.3",
    env: { MODEL: "meta/llama-3-8b" },
    desiredStatus: "running",
  });
  await Promise.all(Array.from({ length: Number(count) }, (_, index) => provider.create(inputs(index))));
  const megabytes = process.resourceUsage().maxRSS / 1024;
  console.log(JSON.stringify({ milliseconds, megabytes }));
  process.exit(0);
}

void main();
