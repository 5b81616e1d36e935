// @ts-check
// With Pulumi's generators, which need only Go and its module proxy:
//   sdks.mjs [FOLDER]           the SDKs of the native package for other languages, into `sdks` or FOLDER
//   sdks.mjs PROGRAM FOLDER     a program in YAML in the other languages, as `pulumi convert` writes it
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { runInModule } from "./lib/go.mjs";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { inTemporaryFolder } from "./lib/temporary.mjs";

/** A release that has the generators of all languages, for those of C# have moved, and the converter of YAML that is built on it. */
const MODULES = ["github.com/pulumi/pulumi/pkg/v3@v3.224.0", "github.com/pulumi/pulumi-yaml@v1.30.0"];

/**
 * Runs the generators once for each task: the SDKs into a folder, or a program in YAML in the other languages into one.
 *
 * @param {{ folder: string, program?: string }[]} tasks
 */
export async function generate(tasks) {
  const { version } = readManifest();
  const [schema, logo] = [join(ROOT, "provider/schema/schema.json"), join(ROOT, "docs/logo.png")];
  for (const { folder } of tasks) mkdirSync(folder, { recursive: true });
  await inTemporaryFolder(async (module) => {
    copyFileSync(join(ROOT, "scripts/sdks/main.go"), join(module, "main.go"));
    await runInModule(module, [
      ["get", ...MODULES],
      ...tasks.map(({ folder, program }) => ["run", ".", schema, version, logo, folder, ...(program ? [program] : [])]),
    ]);
  });
  for (const { folder, program } of tasks) {
    if (program === undefined) continue;
    // The schema has the name for npm; the classes of the plugin are in an entry of that package.
    const file = join(folder, "typescript");
    writeFileSync(file, readFileSync(file, "utf8").replace('"pulumi-gpucluster"', '"pulumi-gpucluster/native"'));
  }
}

async function main() {
  const [first, second] = process.argv.slice(2).map((path) => resolve(path));
  if (first !== undefined && second !== undefined) return generate([{ program: first, folder: second }]);
  return generate([{ folder: first ?? join(ROOT, "sdks") }]);
}

if (isMain(import.meta.url)) await runMain(main);
