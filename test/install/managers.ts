import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { run } from "./run";

/** How a package manager installs what the package.json of a folder asks for. */
interface Manager {
  /** The program, and what comes before the arguments. */
  readonly command: readonly [string, ...string[]];
  readonly args: readonly string[];
  /** Files that it needs beside package.json. */
  readonly files?: Readonly<Record<string, string>>;
}

const installed = (path: string) => [process.execPath, resolve(__dirname, "../../node_modules", path)] as const;

/** None runs the scripts of dependencies, and each keeps the cache that it always has, so that a second run is quick. */
const managers = {
  npm: {
    command: ["npm"],
    args: ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--no-update-notifier"],
  },
  pnpm: {
    command: installed("pnpm/bin/pnpm.cjs"),
    args: ["install", "--ignore-scripts", "--prefer-offline", "--no-frozen-lockfile", "--config.update-notifier=false"],
  },
  yarn: {
    command: installed("@yarnpkg/cli-dist/bin/yarn.js"),
    args: ["install"],
    files: {
      // Its own project, whatever lies further up.
      "yarn.lock": "",
      ".yarnrc.yml": [
        "nodeLinker: node-modules",
        "enableScripts: false",
        "enableTelemetry: false",
        "enableImmutableInstalls: false",
        "",
      ].join("\n"),
    },
  },
} as const satisfies Record<string, Manager>;

export type ManagerName = keyof typeof managers;

/** Installs what the package.json of a folder asks for. */
export async function install(name: ManagerName, folder: string): Promise<void> {
  const { command, args, files = {} }: Manager = managers[name];
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  await run([...command, ...args], folder);
}
