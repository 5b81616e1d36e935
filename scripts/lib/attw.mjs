// @ts-check
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, runTool } from "./run.mjs";

/**
 * Whether the types of the packed package resolve from CommonJS, ESM, a bundler and old settings ("are the types wrong").
 * It packs without the build of `prepack`, because setup has already built. It sends no request to a registry.
 */
export async function runAttw() {
  const folder = mkdtempSync(join(tmpdir(), "gpucluster-attw-"));
  try {
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
    const packed = await run("npm", args, {
      shell: process.platform === "win32",
      env: { npm_config_loglevel: "silent" },
    });
    if (packed.code !== 0) return packed;
    const [{ filename }] = JSON.parse(packed.output);
    return await runTool("@arethetypeswrong/cli", "attw", [join(folder, filename)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
