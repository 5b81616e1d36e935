// @ts-check
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./root.mjs";

/** All inputs of the build. */
const SOURCES = [
  ...["provider", "sdk", "simulator", "scripts/plugin", "scripts/plugin.mjs"],
  ...["tsconfig.json", "package.json", "package-lock.json"],
];

/** The outputs of the build. */
const RESULTS = ["dist", "plugin"];

/** Not inside a folder of results: npm publishes every file there. */
const STAMP = join(ROOT, "node_modules", ".cache", "pulumi-gpucluster", "build.sha256");

/** @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean }} LockedPackage */

/**
 * Whether node_modules matches package-lock.json, judged by the record that npm writes at the end of every installation.
 * So an installation by hand counts, and an interrupted one does not.
 */
export function isInstalled() {
  const wanted = readLock("package-lock.json");
  const installed = readLock("node_modules/.package-lock.json");
  if (wanted === undefined || installed === undefined) return false;
  const paths = new Set([...Object.keys(wanted), ...Object.keys(installed)]);
  paths.delete(""); // The repository itself, which the record does not contain.
  return [...paths].every((path) => isAsLocked(wanted[path], installed[path]));
}

/**
 * @param {LockedPackage | undefined} wanted
 * @param {LockedPackage | undefined} installed
 */
function isAsLocked(wanted, installed) {
  if (wanted === undefined) return false;
  // Optional packages for other operating systems are never installed.
  if (installed === undefined) return wanted.optional === true;
  return (
    wanted.version === installed.version && wanted.integrity === installed.integrity && wanted.link === installed.link
  );
}

/**
 * @param {string} path
 * @returns {Record<string, LockedPackage> | undefined}
 */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(join(ROOT, path), "utf8")).packages;
  } catch {
    return undefined;
  }
}

/**
 * Whether the results are the build of the present sources. By content, not by time: a checkout of another branch changes
 * times at will. The digest covers the results too, so that changed or partly removed results are built again.
 */
export function isBuilt() {
  const areThere = [STAMP, ...RESULTS.map((folder) => join(ROOT, folder))].every((path) => existsSync(path));
  return areThere && readFileSync(STAMP, "utf8") === digest();
}

/** Records that the results belong to the present sources. */
export function markBuilt() {
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, digest());
}

function digest() {
  const hash = createHash("sha256");
  for (const path of [...SOURCES, ...RESULTS].flatMap(listFiles)) {
    const content = readFileSync(join(ROOT, path));
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/**
 * The files at or below a path, sorted, relative to the repository.
 *
 * @param {string} path
 * @returns {string[]}
 */
function listFiles(path) {
  const stats = statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return [path];
  const names = readdirSync(join(ROOT, path)).sort();
  return names.flatMap((name) => listFiles(`${path}/${name}`));
}
