// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../lib/root.mjs";

/** The files with the types of the schema, and with the types that those use. */
const TYPES = ["cluster/schema/fields.ts", "api/decode/types.ts", "config/settings.ts", "index.ts"];

const files = [
  ...TYPES.map((file) => join(ROOT, "provider", file)),
  // The documentation of functions and resources for users is in these files.
  ...readdirSync(join(ROOT, "sdk"), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(ROOT, "sdk", entry.name)),
];

// Only the libraries of the language: the schema uses no type of any other.
const program = ts.createProgram(files, { noResolve: true, types: [], strict: true, target: ts.ScriptTarget.ES2022 });
export const checker = program.getTypeChecker();

/**
 * The symbol that a file exports under a name: an interface, or a documented declaration.
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

/** The meaning of one word of a choice, on separate lines: `- \`stop\`: leaves a stopped cluster.` */
const MEANING = /^- `([^`]+)`: (.*(?:\n(?!- ).*)*)/gm;

/**
 * The meanings of the words of a choice, by word.
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
 * The documentation of a symbol, each paragraph on one line. Without examples, because they are in one language only.
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
    .map((paragraph) => paragraph.replaceAll("\n", " ").trim())
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

/**
 * The documentation of a member of an exported interface or class.
 *
 * @param {string} file
 * @param {string} owner
 * @param {string} name
 */
export function documented(file, owner, name) {
  const type = checker.getDeclaredTypeOfSymbol(exported(file, owner));
  const symbol = checker.getPropertyOfType(type, name);
  if (symbol === undefined) throw new Error(`${owner} has no ${name}.`);
  return documentation(symbol);
}

/**
 * The values that a source file exports. The file may import types only.
 *
 * @param {string} file In the repository.
 */
export async function valuesOf(file) {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(readFileSync(join(ROOT, file), "utf8"), { compilerOptions });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}
