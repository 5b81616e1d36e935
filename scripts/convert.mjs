// @ts-check
// Converts a YAML program into TypeScript, Python, Go and C#, as `pulumi convert` does: convert.mjs PROGRAM FOLDER. The CLI's
// own converters are plugins that it downloads; this needs only Go and its module proxy.
import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { runInModule, whyNoGo } from "./lib/go.mjs";
import { isMain, ROOT, readManifest, runMain } from "./lib/root.mjs";
import { inTemporaryFolder } from "./lib/temporary.mjs";
import { C_SHARP_VERSION, MODULE, SCHEMA } from "./sdks.mjs";

/** The release of Pulumi's YAML whose converter compiles with those generators. */
const YAML = "github.com/pulumi/pulumi-yaml@v1.25.0";

/**
 * @param {string} program A file with `resources` and `outputs` in YAML.
 * @param {string} target An existing folder: receives one file for each language, named after it.
 */
async function convert(program, target) {
  const missing = await whyNoGo();
  if (missing !== undefined) throw new Error(`${missing}: install Go 1.25 or newer (https://go.dev/doc/install).`);
  await inTemporaryFolder(async (module) => {
    for (const file of ["spec.go", "convert.go"]) copyFileSync(join(ROOT, "scripts/sdks", file), join(module, file));
    const reason = await runInModule(module, [
      ["get", YAML, `${MODULE}@${C_SHARP_VERSION}`],
      ["run", ".", SCHEMA, readManifest().version, program, target],
    ]);
    if (reason !== undefined) throw new Error(`The program could not be converted: ${reason}`);
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
