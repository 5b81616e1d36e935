// @ts-check
import { chmodSync, copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT, since } from "../lib/root.mjs";
import { run } from "../lib/run.mjs";
import { executable, LANGUAGE_HOST, VERSION } from "./find.mjs";
import { installThrough } from "./staging.mjs";

/** Generous: a slow computer compiles for long, and prints nothing while it does. */
const TIMEOUT_MS = 45 * 60_000;

const VERSION_VARIABLE = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";

/** Built one after the other: the compiler uses every core by itself, and memory runs short with two of them. */
const BINARIES = [
  { name: "pulumi", path: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi", version: `v${VERSION}` },
  // 3.68.0 is the last version in which the host is part of this module; it runs programs under newer CLIs all the same.
  { name: LANGUAGE_HOST, path: `github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/${LANGUAGE_HOST}`, version: "v3.68.0" },
];

/** Scripts of the Node SDK that the CLI looks for beside itself, and warns about when it finds them on PATH only. */
const COMPANIONS = ["pulumi-resource-pulumi-nodejs", "pulumi-analyzer-policy"];

/**
 * Builds the CLI from its sources, which come from the Go module proxy: for networks that do not reach Pulumi's downloads.
 *
 * @param {(line: string) => void} report
 * @returns {Promise<import("./find.mjs").Attempt>}
 */
export async function buildWithGo(report) {
  const go = await run("go", ["version"], { signal: AbortSignal.timeout(30_000) });
  if (go.code !== 0) return { reason: `Go is not installed (${go.output})` };
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
 * @param {{ name: string, path: string, version: string }} binary
 * @param {string} module Folder for a throwaway module; each binary has its own, as their dependencies do not agree.
 * @param {string} bin
 * @returns {Promise<string | undefined>} Why it failed.
 */
async function build({ name, path, version }, module, bin) {
  mkdirSync(module);
  const flags = `-s -w -X ${VERSION_VARIABLE}=${version}`;
  const commands = [
    ["mod", "init", "gpucluster.invalid/cli"],
    ["get", `${path}@${version}`],
    ["build", "-trimpath", "-ldflags", flags, "-o", join(bin, executable(name)), path],
  ];
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  for (const args of commands) {
    // A workspace, a vendor folder or a cross build of the user's must not take part.
    const env = { GOFLAGS: "-mod=mod", GOWORK: "off", GOOS: undefined, GOARCH: undefined };
    const { code, output } = await run("go", args, { cwd: module, signal, env });
    if (code === 0) continue;
    return signal.aborted ? `stopped after ${TIMEOUT_MS / 60_000} minutes` : lastLines(`go ${args[0]}: ${output}`);
  }
  return undefined;
}

/** @param {string} bin */
function copyCompanions(bin) {
  const sdk = join(ROOT, "node_modules", "@pulumi", "pulumi");
  for (const name of COMPANIONS.map((companion) => (process.platform === "win32" ? `${companion}.cmd` : companion))) {
    // Their place in the package differs between its versions.
    const source = ["", "dist", "bin"].map((folder) => join(sdk, folder, name)).find((path) => existsSync(path));
    if (source === undefined) continue;
    copyFileSync(source, join(bin, name));
    chmodSync(join(bin, name), 0o755);
  }
}

/** @param {string} text */
function lastLines(text) {
  return text.split("\n").slice(-5).join("\n");
}
