import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../support/repository";
import { run } from "./run";

/** The package as npm would publish it. */
export class Tarball {
  readonly #folder = mkdtempSync(join(tmpdir(), "gpucluster-tarball-"));
  #path: Promise<string> | undefined;

  /** Where it is; packed once. */
  path(): Promise<string> {
    this.#path ??= this.#pack();
    return this.#path;
  }

  /** Unpacks it as a member of a workspace, without the tools that only its build needs. */
  async unpack(folder: string): Promise<void> {
    mkdirSync(folder);
    await run(["tar", "-xzf", await this.path(), "--strip-components=1"], folder);
    const file = join(folder, "package.json");
    const { devDependencies, ...manifest } = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify(manifest));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #pack(): Promise<string> {
    // The build is there already, and other tests are using it.
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", this.#folder];
    const [{ filename }] = JSON.parse(await run(["npm", ...args], repository));
    return join(this.#folder, filename);
  }
}
