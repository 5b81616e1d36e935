import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "./run";

const programs = resolve(__dirname, "programs/Python");

/** One step of a program, and what came of it. */
interface Step {
  step: string;
  answer: unknown;
}

/** A virtual environment of Python in a folder of its own. */
export class PythonEnvironment {
  readonly #folder = mkdtempSync(join(tmpdir(), "gpucluster-python-"));

  /** Makes the environment and installs a package from wherever pip is told to find packages. */
  async install(requirement: string): Promise<void> {
    await run(["python3", "-m", "venv", "venv"], this.#folder).catch((error: Error) => {
      const hint = "This test needs python3 on the PATH, with its modules venv and ensurepip.";
      throw new Error(`${hint}\n${error.message}`);
    });
    await run([this.#bin("pip"), "install", "--quiet", "--disable-pip-version-check", requirement], this.#folder);
  }

  /** Runs a program of `programs/Python`. Answers the steps that it prints, each as a line of JSON. */
  async run(program: string, ...args: string[]): Promise<Step[]> {
    const output = await run([this.#bin("python"), join(programs, program), ...args], this.#folder);
    return output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #bin(program: string): string {
    return join(this.#folder, "venv", process.platform === "win32" ? "Scripts" : "bin", program);
  }
}
