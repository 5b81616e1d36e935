// @ts-check
// Packs the plugin for a release: an archive for each platform under the name that `pulumi plugin install` asks a server for.
// All hold the same files, for the user's own Node runs them.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { run } from "./lib/run.mjs";
import { buildPlugin, EXECUTABLE, PLUGIN } from "./plugin.mjs";

const PLATFORMS = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64", "windows-arm64"];

/** @param {string} folder Where the archives go; what is there goes away. */
export async function packPlugin(folder = join(ROOT, "release")) {
  await buildPlugin();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const { version } = readManifest();
  for (const platform of PLATFORMS) {
    const archive = join(folder, `${EXECUTABLE}-v${version}-${platform}.tar.gz`);
    const { code, output } = await run("tar", ["-czf", archive, "-C", PLUGIN, "."]);
    if (code !== 0) throw new Error(`${archive} was not packed: ${output}`);
    console.log(archive);
  }
}

if (isMain(import.meta.url)) await runMain(() => packPlugin());
