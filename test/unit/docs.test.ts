import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "../..");
const sources = ["endpoints", "names", "records", "requests", "states"].map((name) => `api/${name}.ts`);
const read = (file: string) => readFileSync(join(root, file), "utf8");
const tags = sources.flatMap((file) => read(`provider/${file}`).match(/@assumption .*/g) ?? []);
const page = read("docs/assumptions.md");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "docs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Whether the script takes these pages for complete. */
function isComplete(assumptions: string, settings = read("docs/installation-configuration.md")): boolean {
  writeFileSync(join(folder, "assumptions.md"), assumptions);
  writeFileSync(join(folder, "installation-configuration.md"), settings);
  return spawnSync(process.execPath, [join(root, "scripts/docs.mjs"), "--check", folder]).status === 0;
}

test("the table of settings is that of the schema", () => {
  expect(isComplete(page)).toBe(true);
  const settings = read("docs/installation-configuration.md");
  expect(isComplete(page, settings.replace("| `resume` |", "| `resumed` |"))).toBe(false);
});

test("docs/assumptions.md has every assumption of the code, and no other", () => {
  expect(isComplete(page)).toBe(true);
  expect(page.match(/^\| .* \| \[`\w+`\]\(\.\.\/provider\/api\/\w+\.ts\) \|$/gm)).toHaveLength(tags.length);
});

test.each<[string, (rows: string[]) => string[]]>([
  ["misses one", (rows) => rows.slice(1)],
  ["has one too many", (rows) => [...rows, ...rows.slice(0, 1)]],
  ["words one otherwise", (rows) => rows.map((row) => row.replace("A", "Not a"))],
])("a page that %s is not up to date", (_what, change) => {
  const rows = page.match(/^\| .* \| \[`.*$/gm) ?? [];
  expect(isComplete(page.replace(rows.join("\n"), change(rows).join("\n")))).toBe(false);
});

test("each assumption is one whole sentence on one tagged line", () => {
  expect(tags.length).toBeGreaterThan(30);
  for (const tag of tags) expect(tag).toMatch(/^@assumption [A-Z`].*\. \*\/$/);
});

test("no other file guesses", () => {
  const files = readdirSync(join(root, "provider"), { recursive: true, encoding: "utf8" });
  const guessing = files.filter((file) => file.endsWith(".ts") && read(`provider/${file}`).includes("@assumption"));
  expect(guessing.sort()).toEqual(sources);
});
