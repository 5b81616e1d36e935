// @ts-check
// Builds the plugin: one file that the engine starts, for any supported Node. See provider/adapters/plugin.ts.
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { noticesOf } from "./plugin/notices.mjs";
import { slim } from "./plugin/slim.mjs";

/** The folder in which the plugin is built, and from which it is published. */
export const PLUGIN = join(ROOT, "plugin");

/** The licences of the bundled packages, beside the plugin. */
const NOTICES = "THIRD-PARTY-NOTICES.txt";

/** The file name under which the engine looks for the plugin. */
export const EXECUTABLE = "pulumi-resource-gpucluster";

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
    plugins: [slim],
    platform: "node",
    target: "node20",
    format: "cjs",
    legalComments: "none",
    metafile: true,
    banner: { js: "#!/usr/bin/env node" },
  });
  chmodSync(outfile, 0o755);
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  writeFileSync(join(folder, NOTICES), noticesOf(metafile, ROOT));
  writeFileSync(`${outfile}.cmd`, `@node "%~dp0${EXECUTABLE}" %*\r\n`);
  const { version } = readManifest();
  // Without `type`: inside a package of ES modules, Node would load a file without an extension as an ES module.
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name: EXECUTABLE, version, private: true }, null, 2)}\n`,
  );
  return metafile;
}

if (isMain(import.meta.url)) await runMain(() => buildPlugin().then(() => {}));
