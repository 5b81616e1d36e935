// @ts-check
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { onExit } from "../lib/exitHooks.mjs";
import { cachedRoot, findCached, VERSION } from "./find.mjs";

/** @typedef {import("./find.mjs").Attempt} Attempt */

/**
 * Gives `fill` a temporary folder beside the CLI's folder (so on the same file system), and moves the result into place in
 * one step. An interrupted installation leaves nothing behind; of two concurrent ones, the first to finish counts.
 *
 * @param {(folder: string) => Promise<Attempt>} fill Resolves to the finished root, inside `folder`.
 * @returns {Promise<Attempt>}
 */
export async function installThrough(fill) {
  const versions = dirname(cachedRoot());
  mkdirSync(versions, { recursive: true });
  const folder = mkdtempSync(join(versions, `.installing-${VERSION}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const withdrawHook = onExit(remove);
  try {
    const filled = await fill(folder);
    if ("reason" in filled) return filled;
    const checked = await findCached(filled.root);
    if ("reason" in checked) return { reason: `the installed CLI cannot be used: ${checked.reason}` };
    return await publish(filled.root, join(folder, "replaced"));
  } finally {
    withdrawHook();
    remove();
  }
}

/**
 * @param {string} from
 * @param {string} replaced Folder to which a broken CLI is moved.
 * @returns {Promise<Attempt>}
 */
async function publish(from, replaced) {
  const to = cachedRoot();
  const present = await findCached();
  if ("root" in present) return present;
  try {
    if (existsSync(to)) renameSync(to, replaced);
    renameSync(from, to);
  } catch (error) {
    // Another process may have finished between the check and the move.
    const other = await findCached();
    if ("root" in other) return other;
    throw error;
  }
  return { root: to };
}
