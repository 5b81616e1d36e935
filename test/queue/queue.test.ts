import { type Job, Queue } from "bullmq";
import { type Simulator, startSimulator } from "../../simulator";
import { until } from "../engine/harness";
import { Platform, type Worker } from "./platform";
import { Redis } from "./redis";

const keys = { acme: "key-of-acme", globex: "key-of-globex" };
const bound = 2;

let redis: Redis;
let simulator: Simulator;
let platform: Platform;
let queues: Queue[];

beforeAll(async () => {
  redis = await new Redis().start();
  simulator = await startSimulator({
    provisioningMs: 5_000,
    apiKeys: { [keys.acme]: "org_acme", [keys.globex]: "org_globex" },
  });
  platform = new Platform({
    GPUCLUSTER_BASE_URL: simulator.url,
    GPUCLUSTER_API_KEY_ACME: keys.acme,
    GPUCLUSTER_API_KEY_GLOBEX: keys.globex,
    REDIS_URL: redis.url,
    KEYS: Object.keys(keys).join(),
    RUNS_PER_KEY: String(bound),
    RUNS_PER_WORKER: String(bound),
    LOCK_MS: "12000",
    RESUME_SALT: "9f3c41aa07be5d12",
  });
  queues = Object.keys(keys).map((key) => new Queue(`gpucluster-${key}`, { connection: { url: redis.url } }));
});
afterAll(async () => {
  await platform.close();
  await Promise.all(queues.map((queue) => queue.close()));
  await simulator.close();
  await redis.stop();
});

/** The stacks of a worker whose cluster is being created. */
function creationsOf(worker: Worker): string[] {
  const own = platform.calls().filter((call) => call.command === "up" && call.worker === worker.pid);
  const provisioning = simulator.clusters().filter(({ status }) => status === "provisioning");
  return own.map(({ stack }) => stack).filter((stack) => provisioning.some(({ name }) => name.startsWith(stack)));
}

/** Waits until one of the workers is creating a cluster. */
async function creating(...workers: Worker[]): Promise<Worker> {
  const found = () => workers.find((worker) => creationsOf(worker).length > 0);
  await until("a worker is creating a cluster", () => found() !== undefined, 60_000);
  return found() ?? creating(...workers);
}

const sorted = (names: Iterable<string>) => [...new Set(names)].sort();
const callsOf = (command: string) => platform.calls().filter((call) => call.command === command);

describe("12 stacks in the queues of two keys, with three workers, of which one is lost and one is stopped", () => {
  let lost: string[];
  let stopped: string[];
  let jobs: Job[];

  /** Waits until all jobs have ended. */
  async function endOfJobs(count: number): Promise<Job[]> {
    const endMs = Date.now() + 150_000;
    for (;;) {
      const ended = (await Promise.all(queues.map((queue) => queue.getJobs(["completed", "failed"])))).flat();
      if (ended.length === count) return ended;
      if (Date.now() > endMs) throw new Error(`only ${ended.length} of ${count} jobs have ended`);
      await new Promise((done) => setTimeout(done, 200));
    }
  }

  it("all come up", async () => {
    const workers = [1, 2, 3].map(() => platform.startWorker());
    for (const queue of queues)
      while ((await queue.getWorkersCount()) < 3) await new Promise((done) => setTimeout(done, 50));
    await platform.add();
    const first = await creating(...workers);
    lost = creationsOf(first);
    first.kill();
    const second = await creating(...workers.filter((worker) => worker !== first));
    stopped = creationsOf(second);
    expect(await second.stop()).toBe(0);
    jobs = await endOfJobs(12);
    expect(jobs.flatMap(({ failedReason }) => failedReason ?? [])).toEqual([]);
    expect(simulator.clusters().map(({ status }) => status)).toEqual(Array(12).fill("running"));
  });

  it("have one cluster each, created once, with the key of its queue", () => {
    const created = simulator.requests.filter(({ method, path }) => method === "POST" && path === "/v1/clusters");
    expect(created).toHaveLength(12);
    const clusterOf = (stack: string) => simulator.clusters().find(({ name }) => name.startsWith(`${stack}-`));
    for (const [stack, ids] of Object.entries(platform.states())) {
      const organization = `org_${stack.split("-")[0]}`;
      expect([stack, ids, clusterOf(stack)]).toEqual([
        stack,
        [clusterOf(stack)?.id],
        expect.objectContaining({ organization }),
      ]);
    }
    expect(Object.keys(platform.states())).toHaveLength(12);
  });

  it("never run more than two at once with a key, and two of them do", () => {
    expect(Math.max(...callsOf("up").map(({ atOnce }) => atOnce))).toBe(bound);
  });

  it("are cancelled before their next run if their worker was lost, and never else", () => {
    const ofLostWorker = jobs.filter(({ stalledCounter }) => stalledCounter > 0).map(({ name }) => name);
    expect(ofLostWorker).toEqual(expect.arrayContaining(lost));
    expect(sorted(callsOf("cancel").map(({ stack }) => stack))).toEqual(sorted(ofLostWorker));
    expect(lost.length).toBeGreaterThan(0);
    for (const stack of lost) {
      const commands = platform.calls().filter((call) => call.stack === stack && /^(up|cancel)$/.test(call.command));
      expect([stack, ...commands.map(({ command }) => command)]).toEqual([stack, "up", "cancel", "up"]);
    }
  });

  it("go on with another worker after a stop", () => {
    expect(stopped.length).toBeGreaterThan(0);
    for (const stack of stopped) {
      const workers = callsOf("up")
        .filter((call) => call.stack === stack)
        .map(({ worker }) => worker);
      expect([stack, new Set(workers).size]).toEqual([stack, 2]);
    }
  });
});
