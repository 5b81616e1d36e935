// @ts-check
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { whyNoGo } from "../lib/go.mjs";
import { since } from "../lib/root.mjs";
import { executable, hasLanguageHost } from "./find.mjs";
import { build } from "./goBuild.mjs";

/** Those of an official installation that the tests need beyond Node's, as the Go module proxy has them. */
const HOSTS = [
  {
    name: "pulumi-language-yaml",
    path: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    version: "v1.32.0",
  },
];

/**
 * Builds the missing hosts of other languages beside the CLI. An official CLI has them all; one that was built here has only
 * that of Node.
 *
 * @param {string} root
 * @param {(line: string) => void} report
 */
export async function ensureHosts(root, report) {
  for (const host of HOSTS.filter(({ name }) => !hasLanguageHost(root, name))) {
    const startedAt = performance.now();
    report(`Building ${host.name} ${host.version} with Go (about 2 minutes, once) …`);
    const reason = (await whyNoGo()) ?? (await buildInto(root, host));
    if (reason !== undefined) throw new Error(`${host.name} is missing beside the Pulumi CLI: ${reason}`);
    report(`  built in ${since(startedAt)}`);
  }
}

/**
 * @param {string} root
 * @param {typeof HOSTS[number]} host
 */
async function buildInto(root, host) {
  // On the same file system, so that the host is there in one step.
  const folder = mkdtempSync(join(root, ".building-"));
  try {
    const [module, bin] = [join(folder, "module"), join(folder, "bin")];
    mkdirSync(bin);
    const reason = await build(host, module, bin);
    if (reason === undefined) renameSync(join(bin, executable(host.name)), join(root, "bin", executable(host.name)));
    return reason;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
