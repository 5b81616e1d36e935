// @ts-check
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./root.mjs";

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] Folder in which the command runs; the repository by default.
 * @property {NodeJS.ProcessEnv} [env] Variables to add; `undefined` removes one.
 * @property {boolean} [show] Lets the command write to the terminal instead of collecting its output.
 * @property {number} [timeout] Milliseconds after which the command is ended.
 */

/**
 * Runs a command to its end. Never throws: a command that cannot be started or was ended has code `undefined`, and `output`
 * says why.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number | undefined, output: string }>}
 */
export function run(command, args, { cwd = ROOT, env, show = false, timeout } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: show ? "inherit" : ["ignore", "pipe", "pipe"],
    timeout,
    // There, npm is a batch file.
    shell: process.platform === "win32" && command === "npm",
    windowsHide: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
      output += text;
    });
  return new Promise((resolve) => {
    child.on("error", ({ message }) => resolve({ code: undefined, output: message }));
    child.on("close", (code, signal) => {
      if (signal !== null) output += `\n${command} was ended by ${signal}`;
      resolve({ code: code ?? undefined, output: output.trim() });
    });
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

/**
 * Runs a development tool of this repository as a script with this Node, not through `npx`: this is faster, cannot fetch
 * another version, and needs no shell on Windows.
 *
 * @param {string} name Package name.
 * @param {string} bin The command's name in that package.
 * @param {string[]} args
 * @param {RunOptions} [options]
 */
export async function runTool(name, bin, args, options) {
  const folder = join(ROOT, "node_modules", name);
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest))
    return { code: undefined, output: `${name} is not installed. Run "node scripts/setup.mjs" first.` };
  const scripts = JSON.parse(readFileSync(manifest, "utf8")).bin;
  return run(process.execPath, [join(folder, typeof scripts === "string" ? scripts : scripts[bin]), ...args], options);
}
