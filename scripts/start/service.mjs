// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "../lib/root.mjs";

/**
 * @typedef {object} Service
 * @property {Record<string, string>} env Environment with which a program reaches the service.
 * @property {string} [note] How to end the service, if it outlives this process.
 * @property {() => Promise<void>} close
 */

/**
 * Starts the simulator on a free port, in a separate process: Ctrl-C in a terminal must reach Pulumi, not the service that
 * Pulumi uses. Without `keep`, the simulator ends with this process, however this process ends.
 *
 * @param {{ keep: boolean }} options
 * @returns {Promise<Service>}
 */
export async function openSimulator({ keep }) {
  const args = [join(ROOT, "dist/sdk/command.js"), "simulator", "--port", "0", "--provisioning-ms", "4000"];
  const child = spawn(process.execPath, keep ? args : [...args, "--exit-with-stdin"], {
    detached: true,
    // With `keep`, the simulator must not hold this process's stderr: a reader of that output would wait forever.
    stdio: ["pipe", "pipe", keep ? "ignore" : "inherit"],
  });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, "line"), exited.then(() => [""])]);
  if (line === "") throw new Error("The simulator did not start; its message is above.");
  const { url, apiKey, pid } = JSON.parse(line);
  lines.close();
  child.stdout.destroy();
  child.unref();
  return {
    env: { GPUCLUSTER_BASE_URL: url, GPUCLUSTER_API_KEY: apiKey },
    note: keep ? `kill ${pid}` : undefined,
    close: async () => {
      child.stdin.destroy();
      if (keep) return;
      child.ref();
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** @returns {Service} */
export function openRealService() {
  const missing = ["GPUCLUSTER_BASE_URL", "GPUCLUSTER_API_KEY"].filter((name) => !process.env[name]);
  if (missing.length > 0) throw new Error(`--real needs ${missing.join(" and ")} in the environment.`);
  if (!process.stdin.isTTY) throw new Error("--real asks before it creates anything, so it needs a terminal.");
  return { env: {}, close: async () => {} };
}
