import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

/** Words that only builders of this package understood, and the field's words for them. */
const privateWords: readonly (readonly [RegExp, string])[] = [
  [/\bdoors?\b/i, "adapter"],
  [/\bturnstile\b/i, "rate limiter"],
  [/\blanes?\b/i, "priority"],
  [/\bshelf\b/i, "cache"],
  [/\bnewcomers?\b/i, "a cluster that was just created"],
  [/\bstrangers?\b/i, "another key or address"],
  [/\bechoe?s?\b/i, "the observed form"],
  [/\bcan(not)? be had\b/i, "available"],
  [/\bin clear\b/i, "in plain text"],
  [/\bpatience\b/i, "time limit, deadline"],
  [/\b(a|one|last|each|first|next|no) looks?\b/i, "poll, lookup, observation"],
  [/(^|[.:;] )Who\b(?!.*\?)/, "the noun: a caller, a wait, a process"],
];

const root = join(__dirname, "../..");

function filesOf(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending) && !file.includes("node_modules"))
    .map((file) => join(root, folder, file));
}

/** The comments and the texts of a source file, each with its line. Paths of imports and names of properties are neither. */
function textsOf(file: string): { line: number; text: string }[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const texts: { at: number; text: string }[] = [];
  const comments = new Set<number>();
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? []) {
      if (!comments.has(pos)) texts.push({ at: pos, text: source.text.slice(pos, end) });
      comments.add(pos);
    }
    const isMessage =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isMessage && /\s/.test(node.text)) texts.push({ at: node.getStart(), text: node.text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line + 1;
  return texts.map(({ at, text }) => ({
    line: lineOf(at),
    text: text.replace(/\s*\n\s*\*?\s*/g, " ").replace(/^\/\*\*\s*|^\/\/\s*/, ""),
  }));
}

function privateWordsIn(texts: readonly { line: number; text: string }[]): string[] {
  return texts.flatMap(({ line, text }) =>
    privateWords
      .filter(([word]) => word.test(text))
      .map(([word, better]) => `line ${line}: ${word.exec(text)?.[0]} (${better})`),
  );
}

const sources = ["provider", "sdk", "simulator"].flatMap((folder) => filesOf(folder, ".ts"));
const documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
  .map((file) => join(root, file))
  .concat(filesOf("docs", ".md"));

test.each(sources.map((file) => relative(root, file)))("%s is written in the field's words", (file) => {
  expect(privateWordsIn(textsOf(join(root, file)))).toEqual([]);
});

test.each(documents.map((file) => relative(root, file)))("%s is written in the field's words", (file) => {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  expect(privateWordsIn(lines.map((text, index) => ({ line: index + 1, text })))).toEqual([]);
});

test("a private word in a comment or a message is found, a name of a property is not", () => {
  const texts = [{ line: 1, text: "It goes through the door." }];
  expect(privateWordsIn(texts)).toEqual(["line 1: door (adapter)"]);
});
