// @ts-check
// Writes the table of docs/assumptions.md from the lines tagged in provider/api. `--check FILE` only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, ROOT, runMain } from "./lib/root.mjs";

/** The only files that may contain an assumption about the API. */
const SOURCES = ["endpoints", "names", "records", "requestNames", "states"].map((name) => `provider/api/${name}.ts`);
const BEGIN = "<!-- assumptions: written by `npm run assumptions` -->";
const END = "<!-- /assumptions -->";

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
    return [{ text, name, file }];
  });
}

function table() {
  const rows = SOURCES.flatMap(assumptionsOf).map(({ text, name, file }) => {
    return `| ${text.replaceAll("|", "\\|")} | [\`${name}\`](../${file}) |`;
  });
  return ["| assumption | in the code |", "|---|---|", ...rows].join("\n");
}

/**
 * The page with the present table.
 *
 * @param {string} page
 */
function withTable(page) {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`The page has no lines "${BEGIN}" and "${END}".`);
  return `${before}${BEGIN}\n${table()}\n${END}${after}`;
}

async function main() {
  const [flag, file = join(ROOT, "docs/assumptions.md")] = process.argv.slice(2);
  const page = readFileSync(file, "utf8");
  const written = withTable(page);
  if (flag !== "--check") writeFileSync(file, written);
  else if (page !== written) throw new Error("The table of assumptions is not up to date: run `npm run assumptions`.");
}

if (isMain(import.meta.url)) await runMain(main);
