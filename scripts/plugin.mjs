// @ts-check
// Makes the plugin: one file that any Node runs, for the engine to start. See provider/doors/plugin.ts.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { noticesOf } from "./plugin/notices.mjs";
import { slim } from "./plugin/slim.mjs";

/** Where the plugin is built, and published from. */
export const PLUGIN = join(ROOT, "plugin");

/** Beside it: the licences of what is bundled. */
const NOTICES = "THIRD-PARTY-NOTICES.txt";

/** The name by which the engine looks for the plugin. */
export const EXECUTABLE = "pulumi-resource-gpucluster";

/**
 * Without `@pulumi/pulumi` itself, whose index takes four times as long to load as all of this.
 *
 * @param {string} folder What is there goes away.
 * @returns What of which file is in it.
 */
export async function buildPlugin(folder = PLUGIN) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const outfile = join(folder, EXECUTABLE);
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["provider/doors/plugin.ts"],
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
  writeFileSync(join(folder, NOTICES), noticesOf(metafile, ROOT));
  writeFileSync(`${outfile}.cmd`, `@node "%~dp0${EXECUTABLE}" %*\r\n`);
  const { version } = readManifest();
  // Without a type: the file has no ending, and would be taken for an ES module inside a package of those.
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name: EXECUTABLE, version, private: true }, null, 2)}\n`,
  );
  return metafile;
}

if (isMain(import.meta.url)) await runMain(() => buildPlugin().then(() => {}));
