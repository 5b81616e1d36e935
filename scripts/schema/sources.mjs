// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../lib/root.mjs";

/** Where the types stand, and what they are made of. */
const TYPES = ["cluster/fields.ts", "types.ts", "config.ts", "connections.ts", "providerArgs.ts", "index.ts"];

const files = [
  ...TYPES.map((file) => join(ROOT, "provider", file)),
  // Their documentation is for users, so that of functions and resources is taken from there.
  ...readdirSync(join(ROOT, "sdk"), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(ROOT, "sdk", entry.name)),
];

// No libraries but the language's own: none of what is read here is theirs.
const program = ts.createProgram(files, { noResolve: true, types: [], strict: true, target: ts.ScriptTarget.ES2022 });
export const checker = program.getTypeChecker();

/**
 * What a file exports by that name: an interface, or something documented.
 *
 * @param {string} file In the repository.
 * @param {string} name
 */
export function exported(file, name) {
  const source = program.getSourceFile(join(ROOT, file));
  const module = source && checker.getSymbolAtLocation(source);
  const symbol = module && checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
  if (symbol === undefined) throw new Error(`${file} has no ${name}.`);
  return symbol;
}

/** A reference to the specification, which users do not have: `(Specification, section 2.)`, `(section 4, …)`. */
const REFERENCE = / ?\((Specification, )?sections? \d[^)]*\)/g;
/** What a word of a choice means, on lines of their own: `- \`stop\`: leaves a stopped cluster.` */
const MEANING = /^- `([^`]+)`: (.*(?:\n(?!- ).*)*)/gm;

/**
 * What the words of a choice mean, by the word.
 *
 * @param {ts.Symbol} symbol
 */
export function meanings(symbol) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  return new Map(
    [...text.matchAll(MEANING)].map(([, word = "", meaning = ""]) => [word, meaning.replaceAll("\n", " ")]),
  );
}

/**
 * The documentation of something, each paragraph on one line. Without examples: they are in one language only.
 *
 * @param {ts.Symbol} symbol
 */
export function documentation(symbol) {
  const text = ts
    .displayPartsToString(symbol.getDocumentationComment(checker))
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(MEANING, "");
  return text
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll("\n", " ").replace(REFERENCE, "").trim())
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

/**
 * The values that a source exports, which imports nothing but types.
 *
 * @param {string} file In the repository.
 */
export async function valuesOf(file) {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(readFileSync(join(ROOT, file), "utf8"), { compilerOptions });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}
