// @ts-check
// Makes all files of a release: `npm run release -- --dry-run OUT`. The workflow of releases publishes them; nothing else does.
import { hash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isMain, ROOT, readManifest, runMain, since } from "./lib/root.mjs";
import { run, succeed } from "./lib/run.mjs";
import { packPlugin } from "./packPlugin.mjs";
import { bundledPackages } from "./plugin/notices.mjs";
import { disagreements, NO_REPOSITORY } from "./release/agreement.mjs";
import { billOf } from "./release/bom.mjs";
import { setup } from "./setup.mjs";

/** @param {string} path */
const read = (path) => readFileSync(join(ROOT, path), "utf8");

/** The tags of this commit that name a version; none outside of Git. In a workflow, also the tag that started it. */
async function versionTags() {
  const { code, output } = await run("git", ["tag", "--points-at", "HEAD"]);
  const { GITHUB_REF_TYPE, GITHUB_REF_NAME = "" } = process.env;
  const tags = code === 0 ? output.split("\n") : [];
  return [...new Set([...tags, GITHUB_REF_TYPE === "tag" ? GITHUB_REF_NAME : ""])].filter((tag) => /^v\d/.test(tag));
}

async function checkAgreement() {
  const { version, repository } = readManifest();
  const { version: locked } = JSON.parse(read("package-lock.json"));
  const tags = await versionTags();
  const found = disagreements({ version, locked, repository, changelog: read("CHANGELOG.md"), tags });
  if (found.length > 0) throw new Error(found.join("\n"));
}

/**
 * @param {import("esbuild").Metafile} metafile
 * @param {string} file
 */
async function writeBill(metafile, file) {
  const { name, dependencies } = JSON.parse(read("package.json"));
  const needed = Object.keys(dependencies).map((dependency) => `node_modules/${dependency}`);
  const parts = [...needed, ...bundledPackages(metafile)].map((folder) => {
    const part = JSON.parse(read(`${folder}/package.json`));
    return `${part.name}@${part.version}`;
  });
  const whole = await succeed("npm sbom", run("npm", ["sbom", "--sbom-format", "cyclonedx", "--loglevel", "silent"]));
  writeFileSync(file, `${JSON.stringify(billOf(JSON.parse(whole), name, parts), null, 2)}\n`);
}

/** @param {string} out */
function writeChecksums(out) {
  const names = readdirSync(out).sort();
  const lines = names.map((name) => `${hash("sha256", readFileSync(join(out, name)))}  ${name}\n`);
  writeFileSync(join(out, "SHA256SUMS"), lines.join(""));
}

/** @param {string} out */
async function makeFiles(out) {
  const startedAt = performance.now();
  if (existsSync(out) && readdirSync(out).length > 0) throw new Error(`${out} is not empty: name another folder.`);
  await checkAgreement();
  await setup();
  mkdirSync(out, { recursive: true });
  await writeBill(await packPlugin(out), join(out, "sbom.cdx.json"));
  // The build is there already.
  await succeed("npm pack", run("npm", ["pack", "--ignore-scripts", "--pack-destination", out]));
  writeChecksums(out);
  console.log(`${readdirSync(out).length} files in ${out} (${since(startedAt)}). Nothing was published.`);
  if (readManifest().repository === undefined) console.log(NO_REPOSITORY);
}

async function main() {
  const options = /** @type {const} */ ({ "dry-run": { type: "boolean", default: false } });
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (!values["dry-run"]) {
    throw new Error("Only .github/workflows/release.yml publishes, for a tag vX.Y.Z. Here: --dry-run OUT.");
  }
  const [out] = positionals;
  if (out === undefined) throw new Error("Name the folder for the files: npm run release -- --dry-run OUT.");
  await makeFiles(resolve(out));
}

if (isMain(import.meta.url)) await runMain(main);
