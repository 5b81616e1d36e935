import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { Workspace } from "../engine/workspace";
import { install, type ManagerName } from "./managers";
import type { Tarball } from "./tarball";

/** One row of the matrix. */
export interface Row {
  readonly manager: ManagerName;
  /** `workspace`: the package lies beside the program, and both belong to one npm workspace. */
  readonly source: "tarball" | "workspace";
  readonly program: "CommonJS" | "ESM" | "TypeScript";
  /** Version of the Pulumi SDK. */
  readonly sdk: string;
  /** Version of Node; another one of the same major version will do. */
  readonly node: string;
}

type Dependencies = Record<string, string>;

/** The platform's binary of the npm package `node`. */
const nodePackage = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/** A Pulumi project with its own installed dependencies: an empty folder, a program, and what its user would install. */
export class Project extends Workspace {
  readonly #row: Row;

  constructor(row: Row, env: Record<string, string>) {
    super({ env, program: "" });
    this.#row = row;
    rmSync(join(this.folder, "node_modules"), { recursive: true });
    rmSync(join(this.folder, "index.js"));
    writeFileSync(join(this.folder, "Pulumi.yaml"), "name: engine-test\nruntime: nodejs\n");
    if (this.#needsNode()) this.env["PATH"] = [dirname(this.node), process.env["PATH"]].join(delimiter);
  }

  /** The program `node` of the row. */
  get node(): string {
    return this.#needsNode() ? join(this.folder, "node_modules", nodePackage, "bin", "node") : process.execPath;
  }

  async install(tarball: Tarball): Promise<void> {
    if (this.#row.source === "tarball") this.#writeProgram("", `file:${await tarball.path()}`);
    else await this.#writeWorkspace(tarball);
    await install(this.#row.manager, this.folder);
  }

  async #writeWorkspace(tarball: Tarball): Promise<void> {
    await tarball.unpack(join(this.folder, "gpucluster"));
    mkdirSync(join(this.folder, "program"));
    this.#writeProgram("program", "*");
    const workspaces = ["gpucluster", "program"];
    writeFileSync(join(this.folder, "package.json"), JSON.stringify({ private: true, workspaces }));
    writeFileSync(join(this.folder, "Pulumi.yaml"), "name: engine-test\nruntime: nodejs\nmain: program\n");
  }

  #writeProgram(place: string, gpucluster: string): void {
    const { program, sdk, node } = this.#row;
    const folder = join(this.folder, place);
    cpSync(join(__dirname, "programs", program), folder, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const dependencies: Dependencies = { "@pulumi/pulumi": sdk, "pulumi-gpucluster": gpucluster };
    if (this.#needsNode()) dependencies[nodePackage] = node;
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, ...manifest, dependencies }));
  }

  #needsNode(): boolean {
    return major(process.versions.node) !== major(this.#row.node);
  }
}

/** The first part of a version. */
export function major(version: string): string {
  return version.split(".")[0] ?? "";
}
