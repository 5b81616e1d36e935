// @ts-check
import { readdirSync } from "node:fs";
import { create } from "tar";

/** The time of every file in an archive, in seconds: the one that npm gives to the files of its tarballs. */
const FILE_TIME = 499_162_500;

/**
 * Packs the content of a folder into a .tar.gz that depends on nothing else: no owner, no time, no order of the file system.
 *
 * @param {string} file
 * @param {string} folder
 */
export async function packFolder(file, folder) {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const options = { file, cwd: folder, gzip: true, portable: true, mtime: new Date(FILE_TIME * 1000) };
  // The folders are in the list themselves, and `tar` must not add their content in the order of the file system.
  await create({ ...options, noDirRecurse: true }, entries);
}
