// @ts-check
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onExit } from "./exitHooks.mjs";
import { ROOT } from "./root.mjs";

const IS_WINDOWS = process.platform === "win32";

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] Folder in which the command runs; the repository by default.
 * @property {NodeJS.ProcessEnv} [env] Variables to add; `undefined` removes one.
 * @property {boolean} [show] Lets the command write to the terminal instead of collecting its output.
 * @property {AbortSignal} [signal] Kills the command and all of its child processes.
 * @property {(text: string) => void} [onOutput] Receives the output as it arrives.
 * @property {boolean} [shell] For commands that are batch files on Windows (npm).
 */

/**
 * Runs a command to its end. Never throws: a command that cannot be started has code `undefined`, and `output` says why.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number | undefined, output: string }>}
 */
export function run(command, args, { cwd = ROOT, env, show = false, signal, onOutput, shell = false } = {}) {
  // A separate process group, so that a kill also reaches the command's children, which hold its pipes open.
  const detached = signal !== undefined && !IS_WINDOWS;
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: show ? "inherit" : ["ignore", "pipe", "pipe"],
    detached,
    shell,
    windowsHide: true,
  });
  const withdrawHook = detached ? onExit(() => killTree(child.pid)) : () => {};
  const abort = () => killTree(child.pid);
  signal?.addEventListener("abort", abort, { once: true });

  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
      output += text;
      onOutput?.(text);
    });
  }
  return new Promise((resolve) => {
    const finish = (/** @type {number | undefined} */ code) => {
      withdrawHook();
      signal?.removeEventListener("abort", abort);
      resolve({ code, output: output.trim() });
    };
    child.on("error", (error) => {
      output += error.message;
      finish(undefined);
    });
    child.on("close", (code) => finish(code ?? undefined));
  });
}

/**
 * Fails with the output of a command that has failed.
 *
 * @param {string} what
 * @param {Promise<{ code: number | undefined, output: string }>} result
 */
export async function succeed(what, result) {
  const { code, output } = await result;
  if (code !== 0) throw new Error(`${what} failed:\n${output}`);
  return output;
}

/** @param {number | undefined} pid */
function killTree(pid) {
  if (pid === undefined) return;
  if (IS_WINDOWS) {
    spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore" }).on("error", () => {});
    return;
  }
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

/**
 * Runs a development tool of this repository as a script with this Node, not through `npx`: this is faster, cannot fetch
 * another version, and needs no shell on Windows.
 *
 * @param {string} name Package name.
 * @param {string} bin The command's name in that package.
 * @param {string[]} args
 * @param {RunOptions} [options]
 */
export function runTool(name, bin, args, options) {
  const folder = join(ROOT, "node_modules", name);
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) {
    return Promise.resolve({
      code: undefined,
      output: `${name} is not installed. Run "node scripts/setup.mjs" first.`,
    });
  }
  const scripts = JSON.parse(readFileSync(manifest, "utf8")).bin;
  return run(process.execPath, [join(folder, typeof scripts === "string" ? scripts : scripts[bin]), ...args], options);
}
