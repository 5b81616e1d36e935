// @ts-check
// Writes the table of settings in docs/installation-configuration.md, from the schema. `--check` only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withPart } from "./lib/parts.mjs";
import { isMain, ROOT, runMain } from "./lib/root.mjs";

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

async function main() {
  const file = join(ROOT, "docs/installation-configuration.md");
  const present = readFileSync(file, "utf8");
  const written = withPart(present, { name: "settings", command: "docs", text: settings() });
  if (process.argv[2] !== "--check") writeFileSync(file, written);
  else if (present !== written) throw new Error("The table of settings is not up to date: run `npm run docs`.");
}

if (isMain(import.meta.url)) await runMain(main);
