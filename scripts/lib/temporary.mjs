// @ts-check
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onExit } from "./exitHooks.mjs";

/**
 * Runs `work` in a new folder, and removes the folder in the end, also after a signal.
 *
 * @template Result
 * @param {(folder: string) => Promise<Result>} work
 */
export async function inTemporaryFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "gpucluster-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const withdrawHook = onExit(remove);
  try {
    return await work(folder);
  } finally {
    withdrawHook();
    remove();
  }
}
