/** Adds a run of each stack that the command line names, or of all stacks: `node dist/add.js acme-chat`. */
import { Queue } from "bullmq";
import { connection, type Data, queueOf } from "./queues";
import { stacks } from "./stacks";

async function add(key: string, names: readonly string[]): Promise<void> {
  const queue = new Queue<Data>(queueOf(key), { connection });
  const jobs = names.map((name) => ({
    name,
    data: {},
    opts: {
      // One run of a stack at a time. What is added during a run is one more run after it.
      deduplication: { id: name, keepLastIfActive: true },
      // Without `attempts`: a run that has failed needs a person, and would fail again. Only lost runs begin again.
      removeOnComplete: { count: 1_000 },
    },
  }));
  await queue.addBulk(jobs);
  await queue.close();
}

async function main(): Promise<void> {
  const named = process.argv.slice(2);
  for (const [key, all] of Object.entries(stacks)) {
    await add(
      key,
      all.filter((name) => named.length === 0 || named.includes(name)),
    );
  }
}

void main();
