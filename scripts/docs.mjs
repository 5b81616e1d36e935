// @ts-check
// Writes what documents and templates take from other files: the reference from the schema, version and addresses.
// `--check` only compares.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { addressesOf } from "./schema/addresses.mjs";
import { withReference } from "./schema/reference.mjs";

const { version, description, repository } = readManifest();
const { pluginDownloadURL, importBasePath } = addressesOf(repository);

/** How the plugin is installed: from the place of its downloads, or from the npm package as long as there is none. */
function installation() {
  const command = `pulumi plugin install resource gpucluster ${version}`;
  if (pluginDownloadURL === undefined)
    return `\`\`\`sh\n${command} --file node_modules/pulumi-gpucluster/plugin/pulumi-resource-gpucluster\n\`\`\``;
  return `\`\`\`sh\n${command} --server ${pluginDownloadURL}\n\`\`\`

In YAML, the \`options\` of a resource may name the place instead: \`version: ${version}\` and \`pluginDownloadURL: ${pluginDownloadURL}\`.`;
}

/** @param {string} text A file with commands, or a dependency, that name the version. */
function withVersion(text) {
  return text.replace(/(gpucluster[ @]|gpucluster": "|`version: )\d+\.\d+\.\d+/g, `$1${version}`);
}

/** @param {string} text A program in Go; without a path, it has the one that Pulumi's generator of SDKs takes. */
function withGoImport(text) {
  const path = importBasePath ?? "example.com/pulumi-gpucluster/sdk/go/gpucluster";
  return text.replace(/"[^"\s]+\/sdk\/go\/gpucluster"/g, `"${path}"`);
}

/** The examples of the functions in each language. */
function exampleFiles() {
  const folder = "scripts/schema/examples";
  const files = readdirSync(join(ROOT, folder)).filter((file) => file.endsWith(".md"));
  return files.map((file) => `${folder}/${file}`);
}

/** The pages with their headings, a line for each, for programs that read documents. */
function listOfPages() {
  const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".md"))
    .sort();
  const lines = pages.map((file) => {
    const text = readFileSync(join(ROOT, "docs", file), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
    const title = (/^# (.+)$/m.exec(text) ?? /^title: (.+)$/m.exec(text))?.[1];
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading.replaceAll("`", ""));
    return `- [${title}](${file})${headings.length > 0 ? `: ${headings.join("; ")}` : ""}`;
  });
  return ["# pulumi-gpucluster", "", `> ${description}`, "", ...lines, ""].join("\n");
}

/**
 * Another text between the marks of a part.
 *
 * @param {string} name
 * @param {string} text
 * @returns {(page: string) => string}
 */
function part(name, text) {
  const begin = `<!-- ${name}: written by \`npm run docs\` -->`;
  const end = `<!-- /${name} -->`;
  return (page) => {
    const [before, rest] = page.split(begin);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined) throw new Error(`The page has no lines "${begin}" and "${end}".`);
    return `${before}${begin}\n${text}\n${end}${after}`;
  };
}

async function main() {
  /** @type {[string, ...((text: string) => string)[]][]} */
  const files = [
    ["docs/_index.md", withGoImport],
    ...exampleFiles().map((file) => /** @type {[string, typeof withGoImport]} */ ([file, withGoImport])),
    ["docs/installation-configuration.md", part("plugin", installation()), withVersion],
    ["docs/guides/languages.md", withVersion],
    ["docs/reference.md", withReference],
    ["docs/llms.txt", listOfPages],
    ["templates/typescript/package.json", withVersion],
    ["templates/python/Pulumi.yaml", withVersion],
  ];
  for (const [name, ...changes] of files) {
    const file = join(ROOT, name);
    const present = existsSync(file) ? readFileSync(file, "utf8") : "";
    const written = changes.reduce((text, change) => change(text), present);
    if (process.argv[2] !== "--check") writeFileSync(file, written);
    else if (present !== written) throw new Error(`${name} is not up to date: run \`npm run docs\`.`);
  }
}

if (isMain(import.meta.url)) await runMain(main);
