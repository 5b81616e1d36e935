import { readdirSync } from "node:fs";
import { join } from "node:path";
import { read, repository } from "./repository";

const documents = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file.replaceAll("\\", "/")}`);

/** The README and all documents, by their paths. */
export const pages = new Map(["README.md", ...documents].map((file) => [file, read(file)]));
const text = [...pages.values()].join("\n");

/** The code blocks of a language in a page; by default, in all pages. */
export function blocksOf(language: string, page = text): string[] {
  const blocks = page.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, "gm"));
  return [...blocks].map(([, code = ""]) => code);
}

/** The targets of the links of a page, outside its code blocks, that are no web address. */
export function linksIn(page: string): string[] {
  const links = page.replace(/^ *```[\s\S]*?^ *```$/gm, "").matchAll(/\]\(([^)\s]+)\)/g);
  return [...links].map(([, link = ""]) => link).filter((link) => !/^https?:/.test(link));
}

const imports = [
  'import * as pulumi from "@pulumi/pulumi";',
  'import * as gpu from "pulumi-gpucluster";',
  'import * as native from "pulumi-gpucluster/native";',
];

/**
 * The blocks `ts` are parts of one program: their imports, and one async function with everything else, because some of them
 * await, which is not allowed at the top level of this program. Blocks `typescript` are modules.
 */
export function programOf(parts: readonly string[]): { imports: string; body: string } {
  const code = parts.join("\n");
  const all = new Set([...imports, ...(code.match(/^import .*$/gm) ?? [])]);
  return { imports: [...all].join("\n"), body: code.replace(/^import .*$/gm, "").replace(/^export /gm, "") };
}
