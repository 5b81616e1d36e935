// @ts-check
// Checks the prose of all documents with textlint, which reads Markdown: `npm test -- --only prose`. Arguments are files.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { TextlintKernel } from "@textlint/kernel";
import markdownModule from "@textlint/textlint-plugin-markdown";
import { isMain, ROOT, runMain } from "./lib/root.mjs";
import { rules } from "./prose/rules.mjs";

// The module is CommonJS with a default export, which Node puts into the default export.
const markdown = markdownModule.default ?? markdownModule;

/** All documents: those of the repository and of these folders. */
function documents() {
  const inFolders = [".github", "docs", "examples"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  return [...readdirSync(ROOT), ...inFolders].filter((file) => file.endsWith(".md") && !file.includes("node_modules"));
}

/**
 * The findings in one text. Of a changelog, only the newest version is read: the others are history.
 *
 * @param {string} file
 * @param {string} text
 */
export async function proseOf(file, text) {
  const present = file.endsWith("CHANGELOG.md")
    ? text
        .split(/^(?=## )/m)
        .slice(0, 2)
        .join("")
    : text;
  const { messages } = await new TextlintKernel().lintText(present, {
    filePath: file,
    ext: ".md",
    plugins: [{ pluginId: "markdown", plugin: markdown }],
    rules: Object.entries(rules).map(([ruleId, rule]) => ({ ruleId, rule })),
  });
  return messages.map(({ loc, message }) => `${file}:${loc.start.line}:${loc.start.column}: ${message}`);
}

async function main() {
  const named = process.argv.slice(2);
  const files = named.length > 0 ? named.map((file) => relative(ROOT, resolve(file))) : documents();
  const found = [];
  for (const file of files) found.push(...(await proseOf(file, readFileSync(join(ROOT, file), "utf8"))));
  if (found.length > 0) throw new Error(`${found.join("\n")}\n${found.length} findings in the documents.`);
}

if (isMain(import.meta.url)) await runMain(main);
