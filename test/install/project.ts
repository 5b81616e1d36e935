import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Workspace } from "../engine/workspace";
import { install, type ManagerName } from "./managers";
import { run } from "./run";
import { binaryOf, type Runtime } from "./runtimes";
import type { Tarball } from "./tarball";
import { major } from "./versions";

/** One row of the matrix. */
export interface Row {
  readonly manager: ManagerName;
  /** `workspace`: the package lies beside the program, and both belong to one npm workspace. */
  readonly source: "tarball" | "workspace";
  /** `TypeScriptModule` runs without a compiler: Node removes the types. */
  readonly program: "CommonJS" | "ESM" | "TypeScript" | "TypeScriptModule" | "Bundle";
  /** Version of TypeScript; default: the newest 5. */
  readonly typescript?: string;
  /** Version of the Pulumi SDK. */
  readonly sdk: string;
  /** Version of Node; another one of the same major version will do. Or of Bun, which runs the program: the provider needs Node. */
  readonly runtime: Runtime;
}

type Dependencies = Record<string, string>;

/** A Pulumi project with its own installed dependencies: an empty folder, a program, and what its user would install. */
export class Project extends Workspace {
  readonly #row: Row;

  constructor(row: Row, env: Record<string, string>) {
    super({ env, program: "" });
    this.#row = row;
    rmSync(join(this.folder, "node_modules"), { recursive: true });
    rmSync(join(this.folder, "index.js"));
    writeFileSync(join(this.folder, "Pulumi.yaml"), "name: engine-test\nruntime: nodejs\n");
    this.env["PATH"] = [join(this.folder, "bin"), process.env["PATH"]].join(delimiter);
  }

  /** The program that runs the provider. */
  get node(): string {
    return binaryOf(this.#row.runtime)?.kind === "node" ? join(this.folder, "bin/node") : process.execPath;
  }

  async install(tarball: Tarball): Promise<void> {
    if (this.#row.source === "tarball") this.#writeProgram(`file:${await tarball.path()}`);
    else await this.#writeWorkspace(tarball);
    await install(this.#row.manager, this.folder);
    this.#linkRuntime();
    await run(["npm", "run", "build", "--if-present"], join(this.folder, this.#place));
  }

  /** Puts a script where the CLI looks for Node, which starts the runtime of the row. */
  #linkRuntime(): void {
    const binary = binaryOf(this.#row.runtime);
    const target = binary ? join(this.folder, "node_modules", binary.name, binary.file) : process.execPath;
    const lines = [`exec "${target}" "$@"`];
    // As under Pulumi's host for Bun, the provider has Node.
    if (binary?.kind === "bun")
      lines.unshift(`case "$*" in *dynamic-provider*) exec "${process.execPath}" "$@";; esac`);
    // The host of these tests is older than the CLI, which does not tell it this option of Pulumi.yaml.
    if (existsSync(join(__dirname, "programs", this.#row.program, "Pulumi.yaml")))
      lines.unshift("export PULUMI_NODEJS_TYPESCRIPT=false");
    mkdirSync(join(this.folder, "bin"), { recursive: true });
    writeFileSync(join(this.folder, "bin/node"), ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
  }

  async #writeWorkspace(tarball: Tarball): Promise<void> {
    await tarball.unpack(join(this.folder, "gpucluster"));
    mkdirSync(join(this.folder, this.#place));
    this.#writeProgram("*");
    const workspaces = ["gpucluster", this.#place];
    writeFileSync(join(this.folder, "package.json"), JSON.stringify({ private: true, workspaces }));
    writeFileSync(join(this.folder, "Pulumi.yaml"), "name: engine-test\nruntime: nodejs\nmain: program\n");
  }

  /** The folder of the program in that of the project. */
  get #place(): string {
    return this.#row.source === "workspace" ? "program" : "";
  }

  #writeProgram(gpucluster: string): void {
    const { program, typescript, sdk } = this.#row;
    const folder = join(this.folder, this.#place);
    cpSync(join(__dirname, "programs", program), folder, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const dependencies: Dependencies = { "@pulumi/pulumi": sdk, "pulumi-gpucluster": gpucluster };
    const binary = binaryOf(this.#row.runtime);
    if (binary) dependencies[binary.name] = binary.version;
    const devDependencies: Dependencies = { ...manifest.devDependencies, ...compilerOf(typescript) };
    const written = { private: true, ...manifest, dependencies, devDependencies };
    writeFileSync(join(folder, "package.json"), JSON.stringify(written));
  }
}

/** Pulumi's SDK refuses TypeScript 7 under its own name, because it cannot load it; under another one, it checks the types. */
function compilerOf(version: string | undefined): Dependencies {
  if (version === undefined) return {};
  return major(version) === "7" ? { "typescript-7": `npm:typescript@${version}` } : { typescript: version };
}
