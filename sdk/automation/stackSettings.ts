import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConfigError, messageOf } from "../../provider/base/errors";
import type { ReadConfig, StackConfig } from "../../provider/config/settings";
import { isRecord } from "../../provider/contract";
import { factsOf } from "./error";

/** Runs a command of the Pulumi CLI about one stack, and resolves to its standard output. */
export type RunCli = (...args: string[]) => Promise<string>;

/** The settings of this package in the config of a stack. Of the secrets in it, only those of this package are read. */
export async function readSettings(run: RunCli): Promise<ReadConfig> {
  const config: unknown = JSON.parse(await run("config", "--json"));
  const settings = new Map<string, string>();
  for (const [name, entry] of Object.entries(isRecord(config) ? config : {})) {
    if (!name.startsWith("gpucluster:") || !isRecord(entry)) continue;
    const value = entry["secret"] === true ? (await run("config", "get", name)).trim() : entry["value"];
    if (typeof value === "string") settings.set(name, value);
  }
  return (name) => settings.get(name);
}

/**
 * Reads the settings of a stack by the CLI, which changes nothing.
 * @param named By default, the stack that is selected in the project of the folder; `undefined` if it is in no project.
 * @throws ConfigError that says why the stack cannot be read.
 */
export async function findStack(
  named: string | undefined,
  cwd = process.cwd(),
  env: NodeJS.ProcessEnv = process.env,
): Promise<StackConfig | undefined> {
  if (named === undefined && !isInProject(cwd)) return undefined;
  const run: RunCli = (...args) => execCli("pulumi", args, { cwd, env });
  try {
    const name = named ?? (await run("stack", "--show-name")).trim();
    return { name, readConfig: await readSettings((...args) => run(...args, "--stack", name)) };
  } catch (error) {
    const why = factsOf([], messageOf(error)).map(({ text }) => text);
    throw new ConfigError(`The config of the stack${named ? ` ${named}` : ""} is not read: ${why.join("; ")}`);
  }
}

/** The CLI takes the nearest of these files on the way up. */
const projectFiles = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

function isInProject(folder: string): boolean {
  if (projectFiles.some((name) => existsSync(join(folder, name)))) return true;
  const above = dirname(folder);
  return above !== folder && isInProject(above);
}

/** The standard output of a command of the CLI. Rejects with what it wrote to standard error. */
export function execCli(
  command: string,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  return new Promise((done, fail) => {
    const options = { ...place, maxBuffer: 2 ** 30 };
    execFile(command, [...args, "--non-interactive"], options, (error, stdout, stderr) => {
      if (!error) return done(stdout);
      fail(new Error(error.code === "ENOENT" ? "there is no Pulumi CLI on the PATH" : stderr || error.message));
    });
  });
}
