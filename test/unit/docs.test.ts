import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "../..");
const page = "installation-configuration.md";
const read = (file: string) => readFileSync(join(root, file), "utf8");

test("the table of settings is that of the schema; another one is found", () => {
  const folder = mkdtempSync(join(tmpdir(), "docs-"));
  const check = () => spawnSync(process.execPath, [join(root, "scripts/docs.mjs"), "--check", folder]).status;
  cpSync(join(root, "docs", page), join(folder, page));
  expect(check()).toBe(0);
  writeFileSync(join(folder, page), read(`docs/${page}`).replace("| `resume` |", "| `resumed` |"));
  expect(check()).toBe(1);
  rmSync(folder, { recursive: true });
});

test("assumptions about the API are in the files that docs/assumptions.md names, and nowhere else", () => {
  const named = [...read("docs/assumptions.md").matchAll(/\]\(\.\.\/provider\/(\S+)\)/g)].map(([, file]) => file);
  const files = readdirSync(join(root, "provider"), { recursive: true, encoding: "utf8" });
  const guessing = files.filter((file) => file.endsWith(".ts") && read(`provider/${file}`).includes("@assumption"));
  expect(guessing.sort()).toEqual(named.sort());
});
