/** Runs `pulumi up` for the stacks in the queues of the keys in `KEYS`, until SIGTERM. */
import { rm } from "node:fs/promises";
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { type Job, Queue, WaitingError, Worker } from "bullmq";
import { type Progress, up } from "pulumi-gpucluster/automation";
import { connection, type Data, queueOf } from "./queues";
import { program, stacks } from "./stacks";

const {
  KEYS = Object.keys(stacks).join(),
  RUNS_PER_KEY = "8", // of all workers
  RUNS_PER_WORKER = "4", // of each key
  LOCK_MS = "60000",
  RESUME_SALT = "",
} = process.env;
const lockMs = Number(LOCK_MS);

const stopping = new AbortController();

async function startWorker(key: string): Promise<Worker<Data>> {
  const queue = new Queue(queueOf(key), { connection });
  await queue.setGlobalConcurrency(Number(RUNS_PER_KEY));
  await queue.close();
  const worker: Worker<Data> = new Worker(
    queueOf(key),
    // BullMQ passes the signal to functions with three parameters only.
    (job: Job<Data>, token, lockLost) => withLock(job, () => run(key, job, token, lockLost)),
    {
      connection,
      concurrency: Number(RUNS_PER_WORKER),
      lockDuration: lockMs,
      lockRenewTime: lockMs / 4,
      stalledInterval: lockMs / 2,
      maxStalledCount: 5,
    },
  );
  const withLock = locksOf(worker);
  worker.on("completed", ({ name }) => console.log(`${name}: up`));
  worker.on("failed", (job, error) => console.error(`${job?.name}: ${error.message}`));
  worker.on("error", (error) => console.error(error.message));
  return worker;
}

/**
 * Interrupts the run of a job if its lock is not renewed for half of its time: in the other half the run ends, and another
 * worker may take the job. So no worker cancels the lock of a run that goes on.
 */
function locksOf(worker: Worker<Data>) {
  const limits = new Map<string, NodeJS.Timeout>();
  worker.on("locksRenewed", ({ jobIds }) => {
    for (const id of jobIds) limits.get(id)?.refresh();
  });
  return async ({ id = "" }: Job<Data>, action: () => Promise<void>): Promise<void> => {
    const limit = setTimeout(() => worker.cancelJob(id), lockMs / 2);
    limits.set(id, limit);
    await action().finally(() => {
      clearTimeout(limit);
      limits.delete(id);
    });
  };
}

async function run(key: string, job: Job<Data>, token?: string, lockLost?: AbortSignal): Promise<void> {
  const stack = await open(key, job.name);
  // The worker of an earlier run of this job is lost, and with it the only process that could remove the lock of the stack.
  if (job.stalledCounter > (job.data.cancelled ?? 0)) {
    // If this fails and there is a lock, the run below fails too, and says so.
    await stack.cancel().catch((error: Error) => console.error(`${job.name}: ${error.message}`));
    await job.updateData({ cancelled: job.stalledCounter });
  }
  const signal = AbortSignal.any([stopping.signal, lockLost].filter((signal) => signal !== undefined));
  try {
    const onProgress = ({ status }: Progress) => console.log(`${job.name}: ${status}`);
    await up({ stack, signal, onProgress });
  } catch (error) {
    if (!signal.aborted) throw error;
    // The run has ended by interrupt: its state is complete, and the stack has no lock. Another run continues.
    await job.moveToWait(token);
    throw new WaitingError();
  } finally {
    // The Automation API makes a folder for each run, and leaves it.
    await rm(stack.workspace.workDir, { recursive: true, force: true });
  }
}

function open(key: string, stackName: string): Promise<Stack> {
  const inline = { stackName, projectName: "gpucluster-queue", program: () => program(stackName) };
  return LocalWorkspace.createOrSelectStack(inline, {
    envVars: { GPUCLUSTER_API_KEY: process.env[`GPUCLUSTER_API_KEY_${key.toUpperCase()}`] ?? "" },
    stackSettings: { [stackName]: { config: { "gpucluster:resume": RESUME_SALT } } },
  });
}

async function main(): Promise<void> {
  const workers = await Promise.all(KEYS.split(",").map(startWorker));
  // Not `once`: a library of the Automation API ends the process if it sees no other listener.
  process.on("SIGTERM", () => {
    stopping.abort();
    void Promise.all(workers.map((worker) => worker.close())).then(() => process.exit(0));
  });
}

void main();
