import { major } from "./versions";

export type Runtime = `node ${string}` | `bun ${string}`;

export const node20 = "node 20.20.2";
export const node24 = "node 24.21.0";
export const bun = "bun 1.4.5";

const platform = process.platform === "win32" ? "windows" : process.platform;
/** The packages of npm with the platform's binary of Node and of Bun. */
const binaries = {
  node: { name: `node-${platform.replace("windows", "win")}-${process.arch}`, file: "bin/node" },
  bun: { name: `@oven/bun-${platform}-${process.arch.replace("arm64", "aarch64")}`, file: "bin/bun" },
};

/** The package with the program of a runtime; `undefined` if this process runs on one of the same major version. */
export function binaryOf(runtime: Runtime) {
  const [kind, version] = runtime.split(" ") as [keyof typeof binaries, string];
  const isThis = kind === "node" && major(process.versions.node) === major(version);
  return isThis ? undefined : { kind, version, ...binaries[kind] };
}
