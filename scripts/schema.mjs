// @ts-check
// Writes provider/schema/schema.json, which describes the native package to every language, from the package's sources.
// `--check` only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, ROOT, runMain } from "./lib/root.mjs";
import { packageSchema } from "./schema/package.mjs";

async function main() {
  const file = join(ROOT, "provider/schema/schema.json");
  const written = `${JSON.stringify(await packageSchema(), undefined, 2)}\n`;
  if (process.argv[2] !== "--check") writeFileSync(file, written);
  else if (readFileSync(file, "utf8") !== written)
    throw new Error("The schema is not up to date: run `npm run schema`.");
}

if (isMain(import.meta.url)) await runMain(main);
