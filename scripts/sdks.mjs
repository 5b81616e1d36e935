// @ts-check
// Generates the SDKs of the native package for other languages from its schema. The target is the folder `sdks`, or the
// argument.
import { copyFileSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { VERSION } from "./cli/find.mjs";
import { runInModule, whyNoGo } from "./lib/go.mjs";
import { isMain, ROOT, readManifest, runMain, since } from "./lib/root.mjs";
import { inTemporaryFolder } from "./lib/temporary.mjs";

export const SCHEMA = join(ROOT, "provider/schema/schema.json");
export const MODULE = "github.com/pulumi/pulumi/pkg/v3";

/** A release of Pulumi that still has the generators for C#; later ones have not. */
export const C_SHARP_VERSION = "v3.220.0";

/** The releases of Pulumi whose generators are used, and the source files that name those. Each becomes one program. */
const PROGRAMS = [
  { source: "current.go", version: `v${VERSION}` },
  { source: "csharp.go", version: C_SHARP_VERSION },
];

/** @param {string} target Receives a folder for each language, which replaces an older one. */
async function writeSdks(target) {
  const missing = await whyNoGo();
  if (missing !== undefined) throw new Error(`${missing}: install Go 1.25 or newer (https://go.dev/doc/install).`);
  await inTemporaryFolder(async (folder) => {
    for (const program of PROGRAMS) await generate(program, join(folder, program.source), target);
  });
}

/**
 * @param {{ source: string, version: string }} program
 * @param {string} module
 * @param {string} target
 */
async function generate({ source, version }, module, target) {
  const startedAt = performance.now();
  mkdirSync(module);
  for (const file of ["spec.go", "generate.go", source])
    copyFileSync(join(ROOT, "scripts/sdks", file), join(module, file));
  copyFileSync(join(ROOT, "docs/logo.png"), join(module, "logo.png"));
  const reason = await runInModule(module, [
    ["get", `${MODULE}@${version}`],
    ["run", ".", SCHEMA, readManifest().version, target],
  ]);
  if (reason !== undefined) throw new Error(`The SDKs of ${source} could not be generated: ${reason}`);
  console.log(`${source}, with the generators of ${version}: ${since(startedAt)}`);
}

if (isMain(import.meta.url)) await runMain(() => writeSdks(resolve(process.argv[2] ?? join(ROOT, "sdks"))));
