// @ts-check
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { whyNoGo } from "../lib/go.mjs";
import { since } from "../lib/root.mjs";
import { run } from "../lib/run.mjs";
import { executable, hasLanguageHost } from "./find.mjs";
import { build } from "./goBuild.mjs";

/** A program of a module on the Go module proxy, and the scripts of that module that the program looks for beside itself. */
/** @typedef {{ name: string, path: string, version: string, module?: string, scripts?: string[] }} Host */

/** The hosts of the other languages, besides Node, in which the tests have programs. */
const HOSTS = {
  yaml: {
    name: "pulumi-language-yaml",
    path: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    version: "v1.32.0",
  },
  python: {
    name: "pulumi-language-python",
    path: "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
    // The last version in which the host is part of this module, as for Node.
    version: "v3.68.0",
    module: "github.com/pulumi/pulumi/sdk/v3",
    scripts: ["python/cmd/pulumi-language-python-exec"],
  },
  go: {
    name: "pulumi-language-go",
    path: "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go",
    // A version in which the host is part of this module; in 3.68.0 it is not.
    version: "v3.60.0",
  },
};

/** @typedef {keyof typeof HOSTS} Language */

/**
 * Builds the missing hosts of other languages beside the CLI. An official CLI has all hosts; a CLI built here has only the
 * host of Node.
 *
 * @param {string} root
 * @param {Language[]} languages
 * @param {(line: string) => void} report
 */
export async function ensureHosts(root, languages, report) {
  const hosts = languages.map((language) => HOSTS[language]);
  for (const host of hosts.filter(({ name }) => !hasLanguageHost(root, name))) {
    const startedAt = performance.now();
    report(`Building ${host.name} ${host.version} with Go (about 2 minutes, once) …`);
    const reason = (await whyNoGo()) ?? (await buildInto(root, host));
    if (reason !== undefined) throw new Error(`${host.name} is missing beside the Pulumi CLI: ${reason}`);
    report(`  built in ${since(startedAt)}`);
  }
}

/**
 * @param {string} root
 * @param {Host} host
 */
async function buildInto(root, host) {
  // On the same file system, so that a rename moves the host into place in one step.
  const folder = mkdtempSync(join(root, ".building-"));
  try {
    const [module, bin] = [join(folder, "module"), join(folder, "bin")];
    mkdirSync(bin);
    const reason = (await build(host, module, bin)) ?? (await copyScripts(host, module, bin));
    if (reason !== undefined) return reason;
    // The host comes last: if it exists, all other files do too.
    const files = readdirSync(bin).sort((one) => (one === executable(host.name) ? 1 : -1));
    for (const file of files) renameSync(join(bin, file), join(root, "bin", file));
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * @param {Host} host
 * @param {string} folder Folder of a module that requires the module with the scripts.
 * @param {string} bin
 * @returns {Promise<string | undefined>} Why it failed.
 */
async function copyScripts({ module, scripts = [] }, folder, bin) {
  if (module === undefined) return undefined;
  const { code, output } = await run("go", ["list", "-m", "-f", "{{.Dir}}", module], { cwd: folder });
  if (code !== 0) return `go list: ${output}`;
  for (const script of scripts) {
    const target = join(bin, basename(script));
    copyFileSync(join(output, script), target);
    // Files of the module cache are neither writable nor executable.
    chmodSync(target, 0o755);
  }
  return undefined;
}
