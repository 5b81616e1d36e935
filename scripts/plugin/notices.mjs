// @ts-check
// What the licences of bundled packages ask of whoever passes them on: their notices and their texts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
const TEXT = /^(?:licen[cs]e|notice|copying)/i;
const RULE = `\n${"-".repeat(80)}\n\n`;

/**
 * The folders of all packages of which code is in the bundle, such as `node_modules/undici`.
 *
 * @param {import("esbuild").Metafile} metafile
 */
export function bundledPackages({ outputs }) {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const bundled = files.flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (PACKAGE.exec(file)?.[0] ?? []) : [],
  );
  return [...new Set(bundled)].sort();
}

/**
 * The notices of all packages of which code is in the bundle.
 *
 * @param {import("esbuild").Metafile} metafile
 * @param {string} root
 */
export function noticesOf(metafile, root) {
  const notices = bundledPackages(metafile).map((folder) => noticeOf(join(root, folder)));
  return ["This program holds code of the packages below, each under its own licence.\n", ...notices].join(RULE);
}

/** @param {string} folder */
function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder).filter((file) => TEXT.test(file));
  // It must not be passed on then.
  if (texts.length === 0) throw new Error(`${name} ${version} is bundled, but ${folder} holds no text of its licence.`);
  return [
    `${name} ${version}: ${license}\n`,
    ...texts.sort().map((file) => readFileSync(join(folder, file), "utf8")),
  ].join("\n");
}
