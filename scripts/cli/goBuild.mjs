// @ts-check
import { chmodSync, copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { runInModule, whyNoGo } from "../lib/go.mjs";
import { ROOT, since } from "../lib/root.mjs";
import { executable, LANGUAGE_HOST, VERSION } from "./find.mjs";
import { installThrough } from "./staging.mjs";

const VERSION_VARIABLE = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";

/** Built one after the other: the compiler uses every core, and two compilers at once run out of memory. */
const BINARIES = [
  { name: "pulumi", path: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi", version: `v${VERSION}` },
  // 3.68.0 is the last version in which the host is part of this module; the proxy has no versions of the module that it became.
  // It also runs programs for newer CLIs, except hooks and transforms of a whole stack.
  { name: LANGUAGE_HOST, path: `github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/${LANGUAGE_HOST}`, version: "v3.68.0" },
];

/** Scripts of the Node SDK that the CLI looks for beside itself. If they are on PATH only, the CLI warns. */
const COMPANIONS = ["pulumi-resource-pulumi-nodejs", "pulumi-analyzer-policy"];

/**
 * Builds the CLI from its sources, which come from the Go module proxy, for networks that cannot reach Pulumi's downloads.
 *
 * @param {(line: string) => void} report
 * @returns {Promise<import("./find.mjs").Attempt>}
 */
export async function buildWithGo(report) {
  const missing = await whyNoGo();
  if (missing !== undefined) return { reason: missing };
  report(`Building the Pulumi CLI ${VERSION} with Go (about 4 minutes, once) …`);
  return installThrough(async (folder) => {
    const root = join(folder, "root");
    mkdirSync(join(root, "bin"), { recursive: true });
    for (const binary of BINARIES) {
      const startedAt = performance.now();
      const reason = await build(binary, join(folder, `module-${binary.name}`), join(root, "bin"));
      if (reason !== undefined) return { reason };
      report(`  ${binary.name} ${binary.version} built in ${since(startedAt)}`);
    }
    copyCompanions(join(root, "bin"));
    return { root };
  });
}

/**
 * Builds one program from its module.
 *
 * @param {{ name: string, path: string, version: string }} binary
 * @param {string} module Folder for a throwaway module.
 * @param {string} bin
 * @returns {Promise<string | undefined>} Why it failed.
 */
export function build({ name, path, version }, module, bin) {
  mkdirSync(module);
  const flags = `-s -w -X ${VERSION_VARIABLE}=${version}`;
  return runInModule(module, [
    ["get", `${path}@${version}`],
    ["build", "-trimpath", "-ldflags", flags, "-o", join(bin, executable(name)), path],
  ]);
}

/** @param {string} bin */
function copyCompanions(bin) {
  const sdk = join(ROOT, "node_modules", "@pulumi", "pulumi");
  for (const name of COMPANIONS.map((companion) => (process.platform === "win32" ? `${companion}.cmd` : companion))) {
    // The folder of the scripts differs between versions of the package.
    const source = ["", "dist", "bin"].map((folder) => join(sdk, folder, name)).find((path) => existsSync(path));
    if (source === undefined) continue;
    copyFileSync(source, join(bin, name));
    chmodSync(join(bin, name), 0o755);
  }
}
