import { join } from "node:path";
import { gpuModelId, type Simulator, startSimulator } from "../../simulator";
import { newFolder } from "../support/folders";
import { run } from "./run";

/** The only version that there is. */
const client = "vectorlay==0.1.0";

/** With an empty cache, pip downloads what the client needs. */
const limitMs = 300_000;

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const rtx4090 = gpuModelId("rtx-4090");

let simulator: Simulator;
let steps: Map<string, unknown>;
const folder = newFolder();
const bin = (program: string) => join(folder, "venv/bin", program);

beforeAll(async () => {
  simulator = await startSimulator({
    dialect: "client",
    provisioningMs: 300,
    deletionMs: 100,
    apiKeys: { main: "org_default", spent: "org_default" },
    faults: [
      { kind: "status", status: 503, path: "/v1/gpus/availability" },
      { kind: "status", status: 403, method: "POST", name: "forbidden" },
      { kind: "fail", name: "broken", message: "out of memory" },
    ],
  });
  await run(["python3", "-m", "venv", "venv"], folder);
  await run([bin("pip"), "install", "--quiet", "--disable-pip-version-check", client], folder);
  const program = join(__dirname, "programs/Python/official_client.py");
  const output = await run([bin("python"), program, simulator.url, "main", "spent"], folder);
  const lines = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  steps = new Map(lines.map(({ step, answer }) => [step, answer]));
}, limitMs);

afterAll(() => simulator.close());

const running = { status: "running", replicas: [{ status: "running", healthy: true }] };

/** What the client makes of each answer. */
const expected: Record<string, unknown> = {
  models: expect.arrayContaining([
    expect.objectContaining({
      id: rtx4090,
      name: "RTX 4090",
      vramGb: 24,
      availability: { totalGpus: 48, nodeCount: 8 },
    }),
  ]),
  "models of a tier in regions": expect.arrayContaining([
    expect.objectContaining({ id: rtx4090, availability: { totalGpus: 24, nodeCount: 4 } }),
  ]),
  availability: {
    timestamp: expect.any(String),
    availability: expect.arrayContaining([
      expect.objectContaining({ gpuModel: "RTX 4090", region: "eu-north", tier: "verified", totalGpus: 12 }),
    ]),
  },
  "availability of a tier in a region": {
    availability: ["RTX 4090", "RTX 3090", "A100 40GB", "A100 80GB", "H100", "H200", "L4"].map((gpuModel) => {
      return { gpuModel, region: "us-east", tier: "community" };
    }),
  },
  pricing: expect.arrayContaining([
    { gpuModel: "H100", vramGb: 80, pricing: { community: { pricePerHour: 2.99 }, verified: { pricePerHour: 3.74 } } },
  ]),
  create: { id: uuid, name: "web", status: "pending" },
  "name taken": { error: "InvalidRequestError", status_code: 409, code: "name_taken" },
  running: { status: "running", gpuModelId: rtx4090, gpusPerReplica: 1, replicaCount: 2, envVars: { MODE: "fast" } },
  "create by the first word": { name: "short", status: "pending" },
  "create without a GPU": { name: "bare", status: "pending" },
  list: [
    { name: "web", gpuModelName: "RTX 4090", replicaCount: 2, runningReplicas: 2, status: "running" },
    { name: "short", gpuModelId: rtx4090, tier: "community" },
    { name: "bare", gpuModelId: null },
  ],
  get: { gpuModel: { name: "RTX 4090", vramGb: 24 }, imageUrl: "vllm/vllm-openai:v0.6.3" },
  "scale up": { id: uuid, replicaCount: 3, scaled: 1 },
  "scale down": { id: uuid, replicaCount: 1, scaled: 2 },
  "scale to nothing": {
    error: "InvalidRequestError",
    status_code: 400,
    message: expect.stringContaining("replicaCount"),
  },
  redeploy: { status: "deploying", imageUrl: "vllm/vllm-openai:v0.7.0" },
  redeployed: { ...running, imageUrl: "vllm/vllm-openai:v0.7.0", cloudInitRuncmd: ["date"], envVars: { MODE: "fast" } },
  "redeploy as it is": { status: "deploying", imageUrl: "vllm/vllm-openai:v0.7.0" },
  stop: { id: uuid, status: "stopped" },
  stopped: { status: "stopped" },
  restart: { id: uuid, status: "deploying" },
  restarted: running,
  delete: { id: uuid, status: "terminated" },
  terminated: { status: "terminated", name: "web" },
  "unknown GPU name": { error: "InvalidRequestError", code: "UNKNOWN_GPU_TYPE" },
  "unknown GPU model": { error: "InvalidRequestError", status_code: 400 },
  "unknown cluster": { error: "NotFoundError", status_code: 404 },
  "no permission": { error: "PermissionDeniedError", status_code: 403 },
  "failed cluster": { error: "VectorlayError", message: expect.stringContaining("terminal status 'failed'") },
  "wrong key": { error: "AuthenticationError", status_code: 401 },
  "asynchronous list": [{ name: "short" }, { name: "bare" }, { name: "broken", status: "failed" }],
  "rate limit": { error: "RateLimitError", status_code: 429 },
};

describe("the official client of the published service, with the dialect client of the simulator", () => {
  it.each(Object.keys(expected))("reads the expected answer: %s", (step) => {
    expect(steps.get(step)).toEqual(like(expected[step]));
  });

  it("takes these steps and no other", () => {
    expect([...steps.keys()]).toEqual(Object.keys(expected));
  });
});

describe("the requests of the official client", () => {
  const sentTo = (path: RegExp) => simulator.requests.filter((request) => path.test(request.path));
  const defaults = {
    resourceSize: "small",
    tier: "community",
    allowFallback: false,
    containerPort: 80,
    healthCheckEnabled: false,
    healthCheckPath: "/health",
    diskSizeGb: 10,
  };

  it.each<[string, object]>([
    [
      "web",
      {
        ...defaults,
        gpuModelId: rtx4090,
        gpusPerReplica: 1,
        replicaCount: 2,
        imageUrl: "vllm/vllm-openai:v0.6.3",
        envVars: { MODE: "fast" },
      },
    ],
    ["bare", { ...defaults, gpusPerReplica: 0, replicaCount: 1 }],
  ])("create a cluster with these fields: %s", (name, body) => {
    const bodies = sentTo(/^\/v1\/clusters$/).map((request) => request.body);
    expect(bodies).toContainEqual({ name, ...body });
  });

  it("redeploy with an empty object if nothing is to change", () => {
    const bodies = sentTo(/\/redeploy$/).map(({ body }) => body);
    expect(bodies).toEqual([{ imageUrl: "vllm/vllm-openai:v0.7.0", cloudInitRuncmd: ["date"] }, {}]);
  });

  it("are repeated after an answer of 503", () => {
    const answers = sentTo(/^\/v1\/gpus\/availability$/).map(({ status }) => status);
    expect(answers).toEqual([503, 200]);
  });

  it("are refused only where a step expects it", () => {
    const refused = simulator.requests.filter(({ status }) => Number(status) >= 400).map(({ status }) => status);
    expect(refused).toEqual([503, 409, 400, 400, 404, 403, 401, 429]);
  });
});

/** Objects may hold more than what is expected of them, at any depth; lists may not. */
function like(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(like);
  if (typeof value !== "object" || value === null || "asymmetricMatch" in value) return value;
  return expect.objectContaining(Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, like(entry)])));
}
