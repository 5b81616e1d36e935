import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";

/** The bounds that Biome has no rule for, and the picture of the layers; the layers themselves are in biome.json. */
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

describe("ARCHITECTURE.md", () => {
  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const picture = /```mermaid\n([\s\S]*?)```/.exec(page)?.[1] ?? "";

  /** The folders that each folder imports by the picture: `a --> b & c`. */
  const drawn = new Map<string, string[]>();
  for (const line of picture.split("\n").filter((line) => line.includes("-->"))) {
    const steps = line.split("-->").map((step) => step.split("&").map((name) => name.trim()));
    steps.forEach((names, at) => {
      for (const name of names) drawn.set(name, [...(drawn.get(name) ?? []), ...(steps[at + 1] ?? [])]);
    });
  }

  /** The folder of a file, as the picture names it. */
  function roomOf(file: string): string {
    const [top = "", ...inside] = file.replace(/\.ts$/, "").split(/[\\/]/);
    const [folder = "", room = ""] = inside;
    return top !== "provider" ? top : folder === "cluster" ? room : folder;
  }

  const imports = files
    .filter((file) => !file.startsWith("simulator"))
    .flatMap((file) => {
      const found = readFileSync(join(root, file), "utf8").matchAll(/ from "(\.[^"]+)"/g);
      const rooms = [...found].map(([, path = ""]) => {
        const target = relative(root, join(root, dirname(file), path));
        return roomOf(target === "provider" ? join(target, "index") : target);
      });
      return rooms.filter((room) => room !== roomOf(file)).map((room) => `${roomOf(file)} --> ${room}`);
    });

  function reaches(from: string, to: string): boolean {
    return (drawn.get(from) ?? []).some((next) => next === to || reaches(next, to));
  }

  test("draws a way for every import between folders", () => {
    const missing = imports.filter((each) => {
      const [from = "", to = ""] = each.split(" --> ");
      return to !== "schema" && !reaches(from, to);
    });
    expect([...new Set(missing)]).toEqual([]);
  });

  test("draws no arrow without an import", () => {
    const arrows = [...drawn].flatMap(([from, all]) => all.map((to) => `${from} --> ${to}`));
    expect(arrows.length).toBeGreaterThan(10);
    expect(arrows.filter((arrow) => !imports.includes(arrow))).toEqual([]);
  });

  test("names files that exist, on one page", () => {
    const names = [...page.matchAll(/`([\w/]+\.ts)`/g)].map(([, name = ""]) => name);
    const all = files.concat(names.filter((name) => name.startsWith("test/") && existsSync(join(root, name))));
    expect(names.filter((name) => !all.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
    expect(page.length).toBeLessThan(6_000);
  });
});
