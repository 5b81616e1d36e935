import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** The bounds that Biome has no rule for. */
const mostLines = { file: 400, class: 250 };

const root = join(__dirname, "../..");
const files = ["provider", "sdk", "simulator"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file)),
);

/** The file itself and its classes, as far as they are longer than their bound. */
function tooLong(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true);
  const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line;
  const found: string[] = lineOf(source.end) > mostLines.file ? [`${file}: ${lineOf(source.end)} lines`] : [];
  const visit = (node: ts.Node): void => {
    const lines = lineOf(node.end) - lineOf(node.getStart()) + 1;
    if (ts.isClassLike(node) && lines > mostLines.class)
      found.push(`${file}: class ${node.name?.text}: ${lines} lines`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test("every file and every class is short enough to be read at once", () => {
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(tooLong)).toEqual([]);
});
