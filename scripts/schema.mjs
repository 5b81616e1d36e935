// @ts-check
// Writes provider/schema/schema.json, which describes the native package to every language, from the package's sources.
// `--check FILE` only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, ROOT, runMain } from "./lib/root.mjs";
import { facts } from "./release/facts.mjs";
import { packageSchema } from "./schema/package.mjs";

async function main() {
  const [flag, file = join(ROOT, "provider/schema/schema.json")] = process.argv.slice(2);
  const written = `${JSON.stringify(await packageSchema(facts), undefined, 2)}\n`;
  if (flag !== "--check") writeFileSync(file, written);
  else if (readFileSync(file, "utf8") !== written)
    throw new Error("The schema is not up to date: run `npm run schema`.");
}

if (isMain(import.meta.url)) await runMain(main);
