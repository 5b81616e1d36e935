import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { atMost, type Row } from "./rows";
import { openUnlimited } from "./service";

/** Number of processes of each kind, of which the smallest counts. */
const repeats = 2;
const clusters = 500;

/** The peak memory of the engine's provider process that creates many clusters, beside one whose provider does nothing. */
export async function memory(): Promise<Row> {
  const empty = await minimumOf("empty");
  const ours = await minimumOf("ours");
  const client = await minimumOf("undici");
  return {
    run: `memory of a process that creates ${clusters}`,
    ours: {},
    note: `${megabytes(ours)} MB; with a provider that does nothing ${megabytes(empty)} MB, with a plain undici client ${megabytes(client)} MB`,
    // The provider may need as much as Pulumi's SDK, which the process has loaded anyway.
    targets: [atMost("of a process that does nothing", ours / empty, 2, 2)],
  };
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

async function minimumOf(who: "empty" | "ours" | "undici"): Promise<number> {
  const sizes: number[] = [];
  for (let i = 0; i < repeats; i += 1) sizes.push(await bytesOf(who));
  return Math.min(...sizes);
}

async function bytesOf(who: string): Promise<number> {
  const { simulator, env } = await openUnlimited(2_000);
  try {
    const args = [join(__dirname, "memoryOfProvider.cjs"), who, String(clusters)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
    return Number(stdout.trim().split("\n").at(-1));
  } finally {
    await simulator.close();
  }
}
