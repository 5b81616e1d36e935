// @ts-check
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** By default, a signal ends Node without an "exit" event. */
const endBySignal = () => process.exit(130);

/**
 * Runs `work` in a new folder, and removes the folder in the end, also after Ctrl-C.
 *
 * @template Result
 * @param {(folder: string) => Promise<Result>} work
 * @param {string} [parent] Folder for the new one.
 */
export async function inTemporaryFolder(work, parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, "gpucluster-"));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", remove).once("SIGINT", endBySignal);
  try {
    return await work(folder);
  } finally {
    process.off("exit", remove).off("SIGINT", endBySignal);
    remove();
  }
}
