// @ts-check
// Converts a YAML program into TypeScript, Python, Go and C#, as `pulumi convert` does: convert.mjs PROGRAM FOLDER. The CLI's
// own converters are plugins that it downloads; this needs only Go and its module proxy.
import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { runInModule, whyNoGo } from "./lib/go.mjs";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { inTemporaryFolder } from "./lib/temporary.mjs";
import { SCHEMA } from "./sdks.mjs";

/** In this order: the first one writes the intermediate language, which the second one reads. */
const PROGRAMS = [
  // It decides the version of the generators: it does not compile with later ones.
  { source: "convertYaml.go", module: "github.com/pulumi/pulumi-yaml@v1.32.0" },
  // Later releases have no generator for C#.
  { source: "convertCsharp.go", module: "github.com/pulumi/pulumi/pkg/v3@v3.220.0" },
];

/**
 * @param {string} program A file with `resources` and `outputs` in YAML.
 * @param {string} target An existing folder: receives one file for each language, named after it.
 */
async function convert(program, target) {
  const missing = await whyNoGo();
  if (missing !== undefined) throw new Error(`${missing}: install Go 1.25 or newer (https://go.dev/doc/install).`);
  await inTemporaryFolder(async (folder) => {
    let input = program;
    for (const { source, module } of PROGRAMS) {
      const build = join(folder, source);
      mkdirSync(build);
      for (const file of ["spec.go", "convert.go", source])
        copyFileSync(join(ROOT, "scripts/sdks", file), join(build, file));
      const args = [SCHEMA, readManifest().version, input, target];
      const reason = await runInModule(build, [
        ["get", module],
        ["run", ".", ...args],
      ]);
      if (reason !== undefined) throw new Error(`The program could not be converted: ${reason}`);
      input = join(target, "program.pp");
    }
  });
}

if (isMain(import.meta.url)) {
  const [program, target] = process.argv.slice(2);
  await runMain(async () => {
    if (program === undefined || target === undefined)
      throw new Error("Usage: node scripts/convert.mjs PROGRAM FOLDER");
    await convert(resolve(program), resolve(target));
  });
}
