import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** The bounds that Biome has no rule for; the layers themselves are in biome.json. */
const mostLines = { file: 400, class: 250 };

const root = join(__dirname, "../..");
const files = ["provider", "sdk", "simulator"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file)),
);

/** The file itself and its classes, as far as they are longer than their bound. */
function tooLong(text: string): string[] {
  const source = ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest, true);
  const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line;
  const found: string[] = lineOf(source.end) > mostLines.file ? [`${lineOf(source.end)} lines`] : [];
  const visit = (node: ts.Node): void => {
    const lines = lineOf(node.end) - lineOf(node.getStart()) + 1;
    if (ts.isClassLike(node) && lines > mostLines.class) found.push(`class ${node.name?.text}: ${lines} lines`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test.each(files)("%s and its classes are short enough to be read at once", (file) => {
  expect(tooLong(readFileSync(join(root, file), "utf8"))).toEqual([]);
});

test("a file or a class of one line too many is found", () => {
  const classOf = (lines: number) => `class Long {\n${"  // x\n".repeat(lines - 2)}}\n`;
  expect(tooLong(classOf(250))).toEqual([]);
  expect(tooLong(classOf(251))).toEqual(["class Long: 251 lines"]);
  expect(tooLong("\n".repeat(400))).toEqual([]);
  expect(tooLong("\n".repeat(401))).toEqual(["401 lines"]);
});
