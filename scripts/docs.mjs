// @ts-check
// Writes the parts of documents that are made of the code: the table of settings, from the schema, and the table of assumptions,
// from the lines tagged in provider/api. `--check FOLDER` only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withPart } from "./lib/parts.mjs";
import { isMain, ROOT, runMain } from "./lib/root.mjs";

/** The only files that may contain an assumption about the API. */
const sources = ["endpoints", "names", "records", "requests", "states"].map((name) => `provider/api/${name}.ts`);

/** @typedef {{ description?: string, secret?: boolean }} Setting */

function settings() {
  const schema = JSON.parse(readFileSync(join(ROOT, "provider/schema/schema.json"), "utf8"));
  /** @type {[string, Setting][]} */
  const variables = Object.entries(schema.config.variables);
  const rows = variables.map(([name, { description = "", secret }]) => {
    const text = description.replaceAll("\n\n", " ").replaceAll("|", "\\|");
    return `| \`${name}\`${secret ? " (secret)" : ""} | ${text} |`;
  });
  return ["| option | |", "|---|---|", ...rows].join("\n");
}

/**
 * The tagged lines of a file, each with the name of the next declaration below it.
 *
 * @param {string} file
 */
function assumptionsOf(file) {
  const lines = readFileSync(join(ROOT, file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    const [, text] = /^\/\*\* @assumption (.+) \*\/$/.exec(line) ?? [];
    if (text === undefined) return [];
    const rest = lines.slice(index).join("\n");
    const [, name = ""] = /^(?:export )?const (\w+)/m.exec(rest) ?? [];
    return [`| ${text.replaceAll("|", "\\|")} | [\`${name}\`](../${file}) |`];
  });
}

const assumptions = () => ["| assumption | in the code |", "|---|---|", ...sources.flatMap(assumptionsOf)].join("\n");

/** The pages with such a part: the name of its marks, and what stands between them. */
const parts = [
  { page: "installation-configuration.md", name: "settings", write: settings },
  { page: "assumptions.md", name: "assumptions", write: assumptions },
];

async function main() {
  const [flag, folder = join(ROOT, "docs")] = process.argv.slice(2);
  for (const { page, name, write } of parts) {
    const file = join(folder, page);
    const present = readFileSync(file, "utf8");
    const written = withPart(present, { name, command: "docs", text: write() });
    if (flag !== "--check") writeFileSync(file, written);
    else if (present !== written) throw new Error(`docs/${page} is not up to date: run \`npm run docs\`.`);
  }
}

if (isMain(import.meta.url)) await runMain(main);
