// @ts-check
// With Pulumi's generators, which need only Go and its module proxy:
//   sdks.mjs [FOLDER]           the SDKs of the native package for other languages, into `sdks` or FOLDER
//   sdks.mjs PROGRAM FOLDER     a program in YAML in the other languages, as `pulumi convert` writes it
import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { VERSION } from "./cli/builds.mjs";
import { runInModule } from "./lib/go.mjs";
import { isMain, ROOT, readManifest, runMain, since } from "./lib/root.mjs";
import { inTemporaryFolder } from "./lib/temporary.mjs";

const GENERATORS = "github.com/pulumi/pulumi/pkg/v3";
/** A release that still has the generators for C#; later ones have not. */
const WITH_C_SHARP = `${GENERATORS}@v3.220.0`;

/** Programs in Go: their files in scripts/sdks, and the modules that they need. */
const SDKS = [
  { files: ["generate.go", "current.go"], modules: [`${GENERATORS}@v${VERSION}`] },
  { files: ["generate.go", "csharp.go"], modules: [WITH_C_SHARP] },
];
/** With the release of Pulumi's YAML whose converter compiles with those generators. */
const CONVERTER = { files: ["convert.go"], modules: ["github.com/pulumi/pulumi-yaml@v1.25.0", WITH_C_SHARP] };

/**
 * Compiles a program and runs it with the schema, its version, and the arguments.
 *
 * @param {{ files: string[], modules: string[] }} program
 * @param {string[]} args
 */
async function runProgram({ files, modules }, args) {
  const startedAt = performance.now();
  await inTemporaryFolder(async (module) => {
    for (const file of ["spec.go", ...files]) copyFileSync(join(ROOT, "scripts/sdks", file), join(module, file));
    copyFileSync(join(ROOT, "docs/logo.png"), join(module, "logo.png"));
    const schema = join(ROOT, "provider/schema/schema.json");
    await runInModule(module, [
      ["get", ...modules],
      ["run", ".", schema, readManifest().version, ...args],
    ]);
  });
  console.log(`${files.join(", ")} with ${modules.join(", ")}: ${since(startedAt)}`);
}

async function main() {
  const [program, folder] = process.argv.slice(2).map((path) => resolve(path));
  if (program !== undefined && folder !== undefined) return runProgram(CONVERTER, [program, folder]);
  const target = program ?? join(ROOT, "sdks");
  mkdirSync(target, { recursive: true });
  for (const sdk of SDKS) await runProgram(sdk, [target]);
}

if (isMain(import.meta.url)) await runMain(main);
