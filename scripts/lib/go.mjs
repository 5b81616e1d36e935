// @ts-check
import { run } from "./run.mjs";

/** Long, because a slow computer compiles for many minutes and prints nothing meanwhile. */
const TIMEOUT_MS = 45 * 60_000;

/** The reason why Go cannot be used; `undefined` if it is installed. */
export async function whyNoGo() {
  const { code, output } = await run("go", ["version"], { signal: AbortSignal.timeout(30_000) });
  return code === 0 ? undefined : `Go is not installed (${output})`;
}

/**
 * Makes a module of a folder, and runs `go` commands in it until one fails. Each program has its own module, because their
 * dependencies conflict.
 *
 * @param {string} folder
 * @param {string[][]} commands
 * @returns {Promise<string | undefined>} Why it failed.
 */
export async function runInModule(folder, commands) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  for (const args of [["mod", "init", "gpucluster.invalid/module"], ...commands]) {
    // A workspace, a vendor folder or a cross build in the user's settings must not apply here.
    const env = { GOFLAGS: "-mod=mod", GOWORK: "off", GOOS: undefined, GOARCH: undefined };
    const { code, output } = await run("go", args, { cwd: folder, signal, env });
    if (code === 0) continue;
    return signal.aborted ? `stopped after ${TIMEOUT_MS / 60_000} minutes` : lastLines(`go ${args[0]}: ${output}`);
  }
  return undefined;
}

/** @param {string} text */
function lastLines(text) {
  return text.split("\n").slice(-5).join("\n");
}
