// @ts-check
// Writes the facts of release.json into package.json, and into the documents, with the version. `npm run facts` writes the schema too.
// `--check FOLDER` only compares the files of a folder.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { goImport, manifestFacts, registryEntry, schemaFacts } from "./release/facts.mjs";

const { repoSlug, schemaFile } = registryEntry;

/** @param {string} text A page with commands that name the version. */
const withVersion = (text) => text.replace(/(gpucluster[ @]|`version: )\d+\.\d+\.\d+/g, `$1${readManifest().version}`);

/** The files that name a fact, and their texts as they have to be. */
const files = {
  "package.json": (/** @type {string} */ text) =>
    `${JSON.stringify({ ...JSON.parse(text), ...manifestFacts }, null, 2)}\n`,
  "docs/_index.md": withGoImport,
  "docs/installation-configuration.md": (/** @type {string} */ text) =>
    withVersion(text).replace(/github:\/\/[\w./-]+/g, schemaFacts.pluginDownloadURL),
  "docs/guides/languages.md": (/** @type {string} */ text) => withGoImport(withVersion(text)),
  "CONTRIBUTING.md": (/** @type {string} */ text) =>
    text.replace(/\{ "repoSlug": [^}]*\}/, `{ "repoSlug": "${repoSlug}", "schemaFile": "${schemaFile}" }`),
};

/** @param {string} text */
function withGoImport(text) {
  return text.replace(/"github\.com\/[^"]+\/sdk\/go\/gpucluster"/g, `"${goImport}"`);
}

async function main() {
  const [flag, folder = ROOT] = process.argv.slice(2);
  for (const [name, write] of Object.entries(files)) {
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    if (flag !== "--check") writeFileSync(file, write(text));
    else if (text !== write(text)) throw new Error(`${name} is not up to date: run \`npm run facts\`.`);
  }
}

if (isMain(import.meta.url)) await runMain(main);
