import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { manifest } from "../support/repository";
import { cliRoot } from "./workspace";

/** The version of the CLI under test. */
export const cliVersion = spawnSync(join(cliRoot, "bin/pulumi"), ["version"], { encoding: "utf8" })
  .stdout.trim()
  .replace(/^v/, "");

/**
 * What differs between the oldest CLI, which `npm test` runs, and the newest, which `npm run test:newest` runs. Tests ask this
 * table, never for a version.
 */
const differences = {
  /** What the engine calls if an error hook repeats a creation that has an id. */
  repeatedCreation: { oldest: "create", newest: "update" },
  /** What a creation is that the plugin leaves to the next run; since CLI 3.272, the engine goes on with other resources. */
  noCapacity: { oldest: "failed", newest: "awaiting" },
} as const;

/** The row of the table for the CLI under test. */
export function ofThisEngine(name: keyof typeof differences): string {
  return differences[name][cliVersion === manifest.config.pulumi ? "oldest" : "newest"];
}

/** `test` for programs in a language. Skipped, by name, if no host of the language could be built for the CLI. */
export function testIn(language: "python" | "go"): typeof test | typeof test.skip {
  return existsSync(join(cliRoot, "bin", `pulumi-language-${language}`)) ? test : test.skip;
}
