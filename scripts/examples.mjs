// @ts-check
// Writes the examples of the schema's functions in each language, beside the programs in YAML of which they are made:
// scripts/schema/examples/*.yaml. Needs Go. `--check` only compares.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, ROOT, runMain } from "./lib/root.mjs";
import { inTemporaryFolder } from "./lib/temporary.mjs";
import { generate } from "./sdks.mjs";

const EXAMPLES = join(ROOT, "scripts/schema/examples");
const LANGUAGES = ["typescript", "python", "go", "csharp"];

async function main() {
  const names = readdirSync(EXAMPLES).flatMap((file) => /^(\w+)\.yaml$/.exec(file)?.[1] ?? []);
  await inTemporaryFolder(async (folder) => {
    const tasks = names.map((name) => ({ program: join(EXAMPLES, `${name}.yaml`), folder: join(folder, name) }));
    await generate(tasks);
    for (const { program, folder } of tasks) {
      const blocks = LANGUAGES.map((language) => blockOf(language, readFileSync(join(folder, language), "utf8")));
      const written = `${[...blocks, blockOf("yaml", readFileSync(program, "utf8"))].join("\n\n")}\n`;
      const file = program.replace(/yaml$/, "md");
      if (process.argv[2] !== "--check") writeFileSync(file, written);
      else if (readFileSync(file, "utf8") !== written)
        throw new Error(`${file} is not up to date: run \`npm run examples\`.`);
    }
  });
}

/**
 * Without spaces at the ends of lines and an import that is not used.
 *
 * @param {string} language
 * @param {string} code
 */
function blockOf(language, code) {
  const unused = /^import \* as pulumi from .*\n(?![\s\S]*\bpulumi\.)/;
  return `\`\`\`${language}\n${code
    .replace(/[ \t]+$/gm, "")
    .replace(unused, "")
    .trim()}\n\`\`\``;
}

if (isMain(import.meta.url)) await runMain(main);
