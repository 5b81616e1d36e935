// @ts-check
import { chmodSync, copyFileSync, mkdirSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { runInModule } from "../lib/go.mjs";
import { ROOT, readManifest, since } from "../lib/root.mjs";
import { inTemporaryFolder } from "../lib/temporary.mjs";

/** The version of the Pulumi CLI for this repository. */
export const VERSION = readManifest().config.pulumi;

/**
 * The folder of a CLI in the cache of Pulumi's Automation API.
 *
 * @param {string} version
 */
export const rootOf = (version) =>
  join(resolve(process.env.PULUMI_HOME || join(homedir(), ".pulumi")), "versions", version);

/** @param {string} name */
export const executable = (name) => (process.platform === "win32" ? `${name}.exe` : name);

const SDK = "github.com/pulumi/pulumi/sdk/v3";

/**
 * A program of a module on the Go module proxy.
 *
 * @typedef {object} Build
 * @property {string} path
 * @property {string} version
 * @property {string} [module] The module of `path`, if a file of it has to be beside the program.
 * @property {string} [file] A script that the program looks for beside itself: in `module`, else in the repository.
 */

/**
 * The CLI, and the hosts of the languages in which the tests have programs. An official CLI has all hosts. A host is of the
 * last version that is part of a module which the proxy serves; it also runs programs for newer CLIs, except hooks and
 * transforms of a whole stack.
 *
 * @satisfies {Record<string, Build>}
 */
const BUILDS = {
  pulumi: {
    path: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    version: `v${VERSION}`,
    // If it is on PATH only, the CLI warns.
    file: "node_modules/@pulumi/pulumi/pulumi-resource-pulumi-nodejs",
  },
  "pulumi-language-nodejs": { path: `${SDK}/nodejs/cmd/pulumi-language-nodejs`, version: "v3.68.0" },
  "pulumi-language-yaml": {
    path: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    version: "v1.32.0",
  },
  "pulumi-language-python": {
    path: `${SDK}/python/cmd/pulumi-language-python`,
    version: "v3.68.0",
    module: SDK,
    file: "python/cmd/pulumi-language-python-exec",
  },
  "pulumi-language-go": { path: `${SDK}/go/pulumi-language-go`, version: "v3.60.0" },
};

/** @typedef {keyof typeof BUILDS} Program */

/**
 * Builds a program into a folder. It comes into place last: if it exists, the files that it needs do too.
 *
 * @param {Program} name
 * @param {string} bin
 * @param {string} [version] Another one than that of the table.
 */
export async function buildInto(name, bin, version = BUILDS[name].version) {
  const startedAt = performance.now();
  /** @type {Build} */
  const { path, module, file } = BUILDS[name];
  console.error(`Building ${name} ${version} with Go (2 to 4 minutes, once) …`);
  mkdirSync(bin, { recursive: true });
  // On the same file system, so that a rename is one step.
  await inTemporaryFolder(async (folder) => {
    const program = join(folder, executable(name));
    const flags = `-s -w -X ${SDK}/go/common/version.Version=${version}`;
    const source = await runInModule(folder, [
      ["get", `${path}@${version}`],
      ["build", "-trimpath", "-ldflags", flags, "-o", program, path],
      ...(module === undefined ? [] : [["list", "-m", "-f", "{{.Dir}}", module]]),
    ]);
    if (file !== undefined) {
      const target = join(bin, basename(file));
      copyFileSync(join(module === undefined ? ROOT : source, file), target);
      // Files of Go's cache are neither writable nor executable.
      chmodSync(target, 0o755);
    }
    renameSync(program, join(bin, executable(name)));
  }, bin);
  console.error(`  built in ${since(startedAt)}`);
}
