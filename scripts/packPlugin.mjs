// @ts-check
// Packs the plugin for a release: an archive for each platform, under the name that `pulumi plugin install` requests. The
// target is the folder `release`, or the argument. All archives hold the same files, because the user's Node runs them.
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { packFolder } from "./lib/archive.mjs";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { inTemporaryFolder } from "./lib/temporary.mjs";
import { buildPlugin, EXECUTABLE } from "./plugin.mjs";

const PLATFORMS = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64", "windows-arm64"];

/**
 * @param {string} target Folder for the archives.
 * @returns The metafile of the plugin.
 */
export function packPlugin(target) {
  const { version } = readManifest();
  // Not in the published folder: an engine may be running the plugin there.
  return inTemporaryFolder(async (folder) => {
    const built = join(folder, "plugin");
    const metafile = await buildPlugin(built);
    for (const platform of PLATFORMS) {
      await packFolder(join(target, `${EXECUTABLE}-v${version}-${platform}.tar.gz`), built);
    }
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
