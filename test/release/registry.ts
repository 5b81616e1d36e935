import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../install/run";

const source = join(__dirname, "registry");
const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"];

/** A real registry of npm on this machine, which fetches all other packages from the configured one. */
export class Registry {
  readonly #folder: string;
  #process: ChildProcess | undefined;
  #settings = "";

  /** @param folder A new folder. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async start(): Promise<this> {
    cpSync(source, this.#folder, { recursive: true });
    await run(["npm", "ci", ...quiet], this.#folder);
    const upstream = (await run(["npm", "config", "get", "registry"], this.#folder)).trim();
    mkdirSync(join(this.#folder, "storage"));
    const child = fork("serve.cjs", [join(this.#folder, "storage"), upstream], {
      cwd: this.#folder,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#process = child;
    const ended = once(child, "exit").then(() => Promise.reject(new Error("The registry could not be started.")));
    const [port] = await Promise.race([once(child, "message"), ended]);
    // npm publishes only with a token; this registry takes any.
    this.#settings = `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=none\n`;
    writeFileSync(join(this.#folder, ".npmrc"), this.#settings);
    return this;
  }

  /** Publishes a file as CONTRIBUTING.md tells for the first version of a package. */
  async publish(file: string): Promise<void> {
    await run(["npm", "publish", file, "--provenance=false"], this.#folder);
  }

  /** Installs packages in a folder, with an empty cache. */
  async install(folder: string, ...packages: string[]): Promise<void> {
    writeFileSync(join(folder, ".npmrc"), this.#settings);
    await run(["npm", "install", ...quiet, "--cache", join(this.#folder, "cache"), ...packages], folder);
  }

  /** The variables with which npm uses this registry. */
  get env(): readonly string[] {
    return [`NPM_CONFIG_USERCONFIG=${join(this.#folder, ".npmrc")}`, `NPM_CONFIG_CACHE=${join(this.#folder, "cache")}`];
  }

  stop(): void {
    this.#process?.kill();
  }
}
