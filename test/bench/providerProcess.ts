import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startSimulator } from "../../simulator";
import type { Figures } from "./figures";
import type { Job } from "./jobs";
import type { Row } from "./rows";

/** Number of processes, of which the fastest and the smallest count. */
const repeats = 3;
const clusters = 500;
const apiKey = "bench-key-0123456789abcdef";

/**
 * Additional cost of the engine's provider process, compared to one whose provider does nothing: with this provider, and with the
 * HTTP clients alone, which show how much of it is theirs.
 */
export const providerJob: Job = async () => {
  const base = await leastOf("empty");
  const rows: Row[] = [];
  for (const who of ["ours", "undici", "http"] as const) {
    const cost = await leastOf(who);
    const milliseconds = cost.milliseconds - base.milliseconds;
    const megabytes = cost.megabytes - base.megabytes;
    rows.push({ kind: "provider", who, clusters, figures: { milliseconds, megabytes } });
  }
  return rows;
};

type Cost = Required<Pick<Figures, "milliseconds" | "megabytes">>;

type Measured = "empty" | "ours" | "undici" | "http";

async function leastOf(who: Measured): Promise<Cost> {
  const costs: Cost[] = [];
  for (let i = 0; i < repeats; i += 1) costs.push(await costOf(who));
  return {
    milliseconds: Math.min(...costs.map(({ milliseconds }) => milliseconds)),
    megabytes: Math.min(...costs.map(({ megabytes }) => megabytes)),
  };
}

async function costOf(who: Measured): Promise<Cost> {
  const simulator = await startSimulator({
    provisioningMs: 2_000,
    rateLimit: 1_000_000,
    apiKeys: { [apiKey]: "org_bench" },
    gpuTypes: [{ type: "h100", name: "NVIDIA H100", memoryGb: 80, pricePerHour: 2.99, stock: 1_000_000 }],
  });
  const env = { ...process.env, GPUCLUSTER_BASE_URL: simulator.url, GPUCLUSTER_API_KEY: apiKey };
  const args = [join(__dirname, "costOfProvider.cjs"), who, String(clusters)];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    const { milliseconds, megabytes } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    return { milliseconds: Number(milliseconds), megabytes: Number(megabytes) };
  } finally {
    await simulator.close();
  }
}
