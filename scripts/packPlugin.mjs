// @ts-check
// Packs the plugin into archives with the names that `pulumi plugin install` requests, into the folder `release`, or the
// argument.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { create } from "tar";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { inTemporaryFolder } from "./lib/temporary.mjs";
import { buildPlugin, EXECUTABLE } from "./plugin.mjs";

/** All platforms, by the names that Go has for them. Their archives hold the same files, for the plugin is a script for Node. */
const PLATFORMS = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64", "windows-arm64"];

/** The time of every file in an archive: the one that npm gives to the files of its tarballs. */
const FILE_TIME = new Date(499_162_500_000);

/**
 * @param {string} target Folder for the archives.
 * @returns The metafile of the plugin.
 */
export function packPlugin(target) {
  const { version } = readManifest();
  // Not in the published folder: an engine may be running the plugin there.
  return inTemporaryFolder(async (folder) => {
    const [content, archive] = [join(folder, "plugin"), join(folder, "plugin.tar.gz")];
    const metafile = await buildPlugin(content);
    // An archive depends on the files only: on no owner, no time, no order of the file system.
    await create(
      { file: archive, cwd: content, gzip: true, portable: true, mtime: FILE_TIME },
      readdirSync(content).sort(),
    );
    for (const platform of PLATFORMS)
      copyFileSync(archive, join(target, `${EXECUTABLE}-v${version}-${platform}.tar.gz`));
    return metafile;
  });
}

async function main() {
  const target = resolve(process.argv[2] ?? join(ROOT, "release"));
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  await packPlugin(target);
  console.log(`The archives are in ${target}.`);
}

if (isMain(import.meta.url)) await runMain(main);
