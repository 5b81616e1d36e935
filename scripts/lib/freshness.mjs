// @ts-check
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./root.mjs";

/** All inputs of the build. */
const SOURCES = [
  ...["provider", "sdk", "simulator", "scripts/plugin", "scripts/plugin.mjs"],
  ...["tsconfig.json", "package.json", "package-lock.json"],
];

/** A file that each of the two steps of the build writes, the plugin's as its last one. */
const RESULTS = ["dist/sdk/index.js", "plugin/package.json"];

/** Whether npm has installed what package-lock.json says: it writes its own record at the end of each installation. */
export function isInstalled() {
  return timeOf("package-lock.json") <= timeOf("node_modules/.package-lock.json");
}

/** Whether the results are newer than their sources. A file that was removed has changed the time of its folder. */
export function isBuilt() {
  const built = Math.min(...RESULTS.map(timeOf));
  return SOURCES.flatMap(withContent).every((path) => timeOf(path) <= built);
}

/** @param {string} path */
function timeOf(path) {
  return statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * A path, and all below it if it is a folder.
 *
 * @param {string} path
 */
function withContent(path) {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  const names = readdirSync(join(ROOT, path), { recursive: true, encoding: "utf8" });
  return [path, ...names.map((name) => join(path, name))];
}
