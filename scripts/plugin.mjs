// @ts-check
// Builds the plugin: one file that the engine starts, for any supported Node. See provider/adapters/plugin.ts.
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { noticesOf } from "./plugin/notices.mjs";

/** The folder in which the plugin is built, and from which it is published. */
const PLUGIN = join(ROOT, "plugin");

/** The file name under which the engine looks for the plugin. */
export const EXECUTABLE = "pulumi-resource-gpucluster";

const OLDEST_NODE = readManifest().engines.node.replace(/^\D+/, "");
const NEEDS = `gpucluster: the plugin needs Node.js >= ${OLDEST_NODE} on the PATH;`;

/**
 * The first lines of the plugin, which is a shell script and a program of Node in one file. The shell never reads beyond the
 * second line, which is a text and a comment for Node. `exec` keeps the process, its streams and its exit code.
 * The engine shows what a plugin writes before it ends; without these lines, that would not name Node's version.
 */
const HEAD = [
  "#!/bin/sh",
  `":" //; command -v node >/dev/null && exec node "$0" "$@"; echo "${NEEDS} none was found." >&2; exit 1`,
  `"use strict"; if (process.versions.node.localeCompare("${OLDEST_NODE}", "en", { numeric: true }) < 0) {`,
  `  console.error("${NEEDS} " + process.execPath + " is " + process.version + "."); process.exit(1); }`,
].join("\n");

/** The same for Windows. */
const WINDOWS = [
  "@echo off",
  `where node >nul 2>nul || (echo ${NEEDS.replace(">", "^>")} none was found. >&2 & exit /b 1)`,
  `node "%~dp0${EXECUTABLE}" %*`,
  "",
].join("\r\n");

/**
 * Bundles the plugin without the index of `@pulumi/pulumi`, which takes four times as long to load as the whole plugin.
 *
 * @param {string} folder Target; its present content is deleted.
 * @returns The metafile: which part of which file is in the bundle.
 */
export async function buildPlugin(folder = PLUGIN) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const outfile = join(folder, EXECUTABLE);
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["provider/adapters/plugin.ts"],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    legalComments: "none",
    metafile: true,
    banner: { js: HEAD },
  });
  chmodSync(outfile, 0o755);
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), noticesOf(metafile, ROOT));
  writeFileSync(`${outfile}.cmd`, WINDOWS);
  const { version } = readManifest();
  // Without `type`: inside a package of ES modules, Node would load a file without an extension as an ES module.
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name: EXECUTABLE, version, private: true }, null, 2)}\n`,
  );
  return metafile;
}

if (isMain(import.meta.url)) await runMain(() => buildPlugin().then(() => {}));
