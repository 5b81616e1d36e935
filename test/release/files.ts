import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "../install/run";

const repository = resolve(__dirname, "../..");

/** The files of a release, made by a dry run. */
export class Release {
  readonly #folder = mkdtempSync(join(tmpdir(), "gpucluster-release-"));
  readonly out = join(this.#folder, "out");
  /** What the dry run has printed. */
  printed = "";

  async make(): Promise<this> {
    const script = join(repository, "scripts/release.mjs");
    this.printed = await run([process.execPath, script, "--dry-run", this.out], repository);
    return this;
  }

  /** A new folder beside the files. */
  folder(name: string): string {
    return mkdtempSync(join(this.#folder, `${name}-`));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
