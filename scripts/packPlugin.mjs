// @ts-check
// Packs the plugin for a release: an archive for each platform, under the name that `pulumi plugin install` requests. The
// target is the folder `release`, or the argument. All archives hold the same files, because the user's Node runs them.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { run } from "./lib/run.mjs";
import { buildPlugin, EXECUTABLE } from "./plugin.mjs";

const PLATFORMS = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64", "windows-amd64", "windows-arm64"];

/** @param {string} target Folder for the archives; its present content is deleted. */
async function packPlugin(target) {
  // Not in the published folder: an engine may be running the plugin there.
  const built = mkdtempSync(join(tmpdir(), "gpucluster-plugin-"));
  try {
    await buildPlugin(built);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target);
    for (const platform of PLATFORMS) await pack(built, target, platform);
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}

/**
 * @param {string} built
 * @param {string} target
 * @param {string} platform
 */
async function pack(built, target, platform) {
  const archive = join(target, `${EXECUTABLE}-v${readManifest().version}-${platform}.tar.gz`);
  const { code, output } = await run("tar", ["-czf", archive, "-C", built, "."]);
  if (code !== 0) throw new Error(`${archive} was not packed: ${output}`);
  console.log(archive);
}

if (isMain(import.meta.url)) await runMain(() => packPlugin(resolve(process.argv[2] ?? join(ROOT, "release"))));
