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

async function main() {
  const paths = process.argv.slice(2).map((path) => resolve(path));
  const target = paths.pop() ?? join(ROOT, "sdks");
  mkdirSync(target, { recursive: true });
  await inTemporaryFolder(async (module) => {
    copyFileSync(join(ROOT, "scripts/sdks/main.go"), join(module, "main.go"));
    const { version } = readManifest();
    const [schema, logo] = [join(ROOT, "provider/schema/schema.json"), join(ROOT, "docs/logo.png")];
    await runInModule(module, [
      ["get", ...MODULES],
      ["run", ".", schema, version, logo, target, ...paths],
    ]);
  });
  if (paths.length === 0) return;
  // The schema has the name for npm; the classes of the plugin are in an entry of that package.
  const program = join(target, "typescript");
  writeFileSync(program, readFileSync(program, "utf8").replace('"pulumi-gpucluster"', '"pulumi-gpucluster/native"'));
}

if (isMain(import.meta.url)) await runMain(main);
