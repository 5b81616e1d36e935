// @ts-check
import { run } from "./run.mjs";

/** Long, because a slow computer compiles for many minutes and prints nothing meanwhile. */
const TIMEOUT_MS = 45 * 60_000;

/**
 * Makes a module of a folder, and runs `go` commands in it until one fails. Each program has its own module, because their
 * dependencies conflict.
 *
 * @param {string} folder
 * @param {string[][]} commands
 * @returns {Promise<string>} The output of the last command.
 */
export async function runInModule(folder, commands) {
  let last = "";
  for (const args of [["mod", "init", "gpucluster.invalid/module"], ...commands]) {
    // A workspace, a vendor folder or a cross build in the user's settings must not apply here.
    const env = { GOFLAGS: "-mod=mod", GOWORK: "off", GOOS: undefined, GOARCH: undefined };
    const { code, output } = await run("go", args, { cwd: folder, timeout: TIMEOUT_MS, env });
    if (code !== 0) {
      const lines = output.split("\n").slice(-5).join("\n");
      throw new Error(`go ${args[0]}: ${lines}\nIt needs Go 1.25 or newer (https://go.dev/doc/install).`);
    }
    last = output;
  }
  return last;
}
