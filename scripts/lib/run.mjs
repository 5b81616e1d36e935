// @ts-check
import { spawn } from "node:child_process";
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
 * Runs a script of a development tool with this Node, not through `npx`: this is faster, cannot fetch another version, and needs
 * no shell on Windows.
 *
 * @param {string} script Its path in `node_modules`.
 * @param {string[]} args
 * @param {RunOptions} [options]
 */
export function runTool(script, args, options) {
  return run(process.execPath, [join(ROOT, "node_modules", script), ...args], options);
}
