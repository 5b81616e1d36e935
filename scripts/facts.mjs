// @ts-check
// Writes the facts of release.json into package.json, and into the documents, with the version. `npm run facts` writes the schema too.
// `--check` only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withPart } from "./lib/parts.mjs";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { facts } from "./release/facts.mjs";

/** @typedef {import("./release/facts.mjs").Facts} Facts */

const { version } = readManifest();

/**
 * The files that name a fact, and their texts as they have to be.
 *
 * @type {Record<string, (text: string, facts: Facts) => string>}
 */
const files = {
  "package.json": (text, { manifest }) => `${JSON.stringify({ ...JSON.parse(text), ...manifest }, null, 2)}\n`,
  "docs/_index.md": withGoImport,
  "docs/installation-configuration.md": (text, { schema }) =>
    withVersion(withPart(text, { name: "plugin", command: "facts", text: installationOf(schema.pluginDownloadURL) })),
  "docs/guides/languages.md": withVersion,
  "templates/typescript/package.json": withVersion,
  "templates/yaml/package.json": withVersion,
  "templates/yaml/Pulumi.yaml": withVersion,
  "templates/python/package.json": withVersion,
  "templates/python/Pulumi.yaml": withVersion,
};

/** @param {string} text A file with commands, or a dependency, that name the version. */
function withVersion(text) {
  return text.replace(/(gpucluster[ @]|gpucluster": "|`version: )\d+\.\d+\.\d+/g, `$1${version}`);
}

/**
 * @param {string} text
 * @param {Facts} facts
 */
function withGoImport(text, { goImport }) {
  return text.replace(/"[^"\s]+\/sdk\/go\/gpucluster"/g, `"${goImport}"`);
}

/**
 * How the plugin is installed: from the place of its downloads, or from the npm package as long as there is none.
 *
 * @param {string | undefined} address
 */
function installationOf(address) {
  const command = `pulumi plugin install resource gpucluster ${version}`;
  if (address === undefined)
    return `\`\`\`sh\n${command} --file node_modules/pulumi-gpucluster/plugin/pulumi-resource-gpucluster\n\`\`\``;
  return `\`\`\`sh\n${command} --server ${address}\n\`\`\`

In YAML, the \`options\` of a resource may name the place instead: \`version: ${version}\` and \`pluginDownloadURL: ${address}\`.`;
}

async function main() {
  for (const [name, write] of Object.entries(files)) {
    const file = join(ROOT, name);
    const text = readFileSync(file, "utf8");
    const written = write(text, facts);
    if (process.argv[2] !== "--check") writeFileSync(file, written);
    else if (text !== written) throw new Error(`${name} is not up to date: run \`npm run facts\`.`);
  }
}

if (isMain(import.meta.url)) await runMain(main);
