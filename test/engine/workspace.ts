import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { manifest, read, repository } from "../support/repository";

/** The folder of the real CLI: set by `npm test`; if Jest runs by hand, the folder of `scripts/pulumi-cli.mjs`. */
export const cliRoot = findCliRoot();

function findCliRoot(): string {
  const home = process.env["PULUMI_HOME"] ?? join(homedir(), ".pulumi");
  const root = process.env["PULUMI_CLI_ROOT"] ?? join(home, "versions", manifest.config.pulumi);
  if (existsSync(join(root, "bin"))) return root;
  throw new Error("The Pulumi CLI is not installed yet: run `node scripts/pulumi-cli.mjs`, or `npm test`");
}

/** A running command; of Pulumi, `signal` and `kill` reach the CLI only, as Ctrl-C in a terminal reaches it first. */
export interface Running {
  readonly pid: number;
  readonly ended: Promise<Run>;
  signal(name: NodeJS.Signals): void;
  kill(): void;
  output(): string;
}

/** The result of one command. */
export interface Run {
  readonly code: number | null;
  /** Standard output and standard error, in the order of their arrival. */
  readonly output: string;
}

export interface WorkspaceOptions {
  /** Variables for the CLI, the program and the provider. */
  readonly env: Record<string, string>;
  /** The program: CommonJS text, with `pulumi`, `gpu` and `config` defined. */
  readonly program: string;
  /** The name in `Pulumi.yaml`, if the test brings its own; default `engine-test`. */
  readonly project?: string | undefined;
}

const head = `const pulumi = require("@pulumi/pulumi");
const gpu = require("pulumi-gpucluster");
const config = new pulumi.Config();
`;

/** The lines of docs/guides/languages.md with which the engine finds the plugin in the npm package. */
export const pluginLines = `plugins:
  providers:
    - { name: gpucluster, path: node_modules/pulumi-gpucluster/plugin }
`;

/** The project of a Node program; it names the plugin if the program has native clusters. */
function projectOf(program: string, options: object): string {
  const runtime = `name: engine-test\nruntime: ${JSON.stringify({ name: "nodejs", options })}\n`;
  return program.includes("pulumi-gpucluster/native") ? runtime + pluginLines : runtime;
}

/** Links only the two packages of a program, because the engine walks through every package that it finds. */
function linkPackages(folder: string): void {
  const modules = join(folder, "node_modules");
  const own = join(modules, "pulumi-gpucluster");
  mkdirSync(join(modules, "@pulumi"), { recursive: true });
  symlinkSync(join(repository, "node_modules/@pulumi/pulumi"), join(modules, "@pulumi/pulumi"));
  mkdirSync(own);
  copyFileSync(join(repository, "package.json"), join(own, "package.json"));
  for (const part of ["dist", "plugin"]) symlinkSync(join(repository, part), join(own, part));
}

/** A Pulumi project in its own folder, with a file backend, run by the real CLI. */
export class Workspace {
  readonly folder = mkdtempSync(join(tmpdir(), "gpucluster-engine-"));
  /** Folder of the state. */
  readonly #backend = join(this.folder, "backend");
  readonly #project: string;
  /** Folder of the project's stacks in the backend. */
  readonly #stacks: string;
  readonly env: Record<string, string>;

  constructor({ env, program, project = "engine-test" }: WorkspaceOptions) {
    this.#project = project;
    this.#stacks = join(this.#backend, ".pulumi/stacks", project);
    mkdirSync(this.#backend);
    linkPackages(this.folder);
    this.env = {
      ...env,
      PULUMI_BACKEND_URL: pathToFileURL(this.#backend).href,
      PULUMI_CONFIG_PASSPHRASE: "for-tests",
      PULUMI_STACK: "test",
    };
    this.program(program);
  }

  /** Replaces the program. */
  program(text: string): void {
    writeFileSync(join(this.folder, "package.json"), JSON.stringify({ name: "engine-test", main: "index.js" }));
    // Without the compiler, which takes longer to load than everything else.
    writeFileSync(join(this.folder, "Pulumi.yaml"), projectOf(text, { typescript: false }));
    writeFileSync(join(this.folder, "index.js"), head + text);
  }

  /** Uses a TypeScript program of the repository instead of the string; `npm run check` has checked its types. */
  programFile(path: string): void {
    this.withoutTypes();
    this.typeScript(read(path));
  }

  /** Uses a whole TypeScript program instead of the text; the engine's host checks its types. */
  typeScript(text: string): void {
    rmSync(join(this.folder, "index.js"), { force: true });
    writeFileSync(join(this.folder, "Pulumi.yaml"), projectOf(text, {}));
    writeFileSync(join(this.folder, "package.json"), JSON.stringify({ name: "engine-test", main: "index.ts" }));
    writeFileSync(join(this.folder, "index.ts"), text);
  }

  /** From now on the engine's host does not check types, which saves seconds. */
  withoutTypes(): void {
    this.env["PULUMI_NODEJS_TRANSPILE_ONLY"] = "true";
  }

  /** Uses a YAML program instead of the text; the engine uses the plugin that was built here. */
  yaml(program: object): void {
    this.#native("yaml", program);
  }

  /** Uses a Python program instead of the text; the engine uses the plugin that was built here. */
  python(text: string): void {
    this.#native("python");
    writeFileSync(join(this.folder, "__main__.py"), text);
  }

  #native(runtime: string, program: object = {}): void {
    rmSync(join(this.folder, "index.js"), { force: true });
    const plugins = { providers: [{ name: "gpucluster", path: join(repository, "plugin") }] };
    // JSON is YAML.
    const project = { name: "engine-test", runtime, plugins, ...program };
    writeFileSync(join(this.folder, "Pulumi.yaml"), JSON.stringify(project));
  }

  /** Runs a command to its end. */
  pulumi(...args: string[]): Promise<Run> {
    return this.start(...args).ended;
  }

  /** Starts a command. */
  start(...args: string[]): Running {
    const bin = join(cliRoot, "bin");
    const path = [bin, this.env["PATH"] ?? process.env["PATH"]].join(delimiter);
    return this.#start(join(bin, "pulumi"), [...args, "--non-interactive", "--color=never"], path);
  }

  /** Runs the command of the package in the folder of the project, as a user does; with a `path`, where that finds commands. */
  command(args: readonly string[], path = [join(cliRoot, "bin"), process.env["PATH"]].join(delimiter)): Promise<Run> {
    return this.#start(process.execPath, [join(repository, "dist/sdk/command.js"), ...args], path).ended;
  }

  #start(command: string, args: readonly string[], path: string): Running {
    return startProcess(command, args, { cwd: this.folder, env: { ...cleanEnv(), ...this.env, PATH: path } });
  }

  /**
   * Writes the files of an empty stack. `pulumi stack init test` takes 0.4 s of processor time (measured), in each of about 60
   * tests; the tests of templates and guides run that command.
   */
  init(): void {
    mkdirSync(this.#stacks, { recursive: true });
    writeFileSync(join(this.#backend, ".pulumi/meta.yaml"), "version: 1\n");
    const stack = { version: 3, checkpoint: { stack: `organization/${this.#project}/test` } };
    writeFileSync(join(this.#stacks, "test.json"), JSON.stringify(stack));
  }

  /** Runs a command that has to succeed. */
  async succeed(...args: string[]): Promise<string> {
    const { code, output } = await this.pulumi(...args);
    if (code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${code}:\n${output}`);
    return output;
  }

  up(...args: string[]): Promise<Run> {
    return this.pulumi("up", "--yes", "--skip-preview", ...args);
  }

  preview(...args: string[]): Promise<Run> {
    return this.pulumi("preview", "--diff", ...args);
  }

  refresh(...args: string[]): Promise<Run> {
    return this.pulumi("refresh", "--yes", "--skip-preview", "--diff", ...args);
  }

  destroy(): Promise<Run> {
    return this.pulumi("destroy", "--yes", "--skip-preview");
  }

  /** The stored state with encrypted secrets: the backend's file, which costs no command. */
  stateText(): string {
    return readFileSync(join(this.#stacks, `${this.env["PULUMI_STACK"]}.json`), "utf8");
  }

  /** The clusters in the state. */
  storedClusters(): StoredResource[] {
    const { checkpoint } = JSON.parse(this.stateText());
    const resources: StoredResource[] = checkpoint.latest?.resources ?? [];
    return resources.filter(({ type }) => allTypes.includes(type));
  }

  /** Makes the clusters in the state years old. A cluster that is not shown within two minutes of its creation is not gone yet. */
  async makeOld(): Promise<void> {
    const file = join(this.folder, "old.json");
    const state = await this.succeed("stack", "export");
    writeFileSync(file, state.replace(/("__createdAt": ")\d{4}/g, "$12020"));
    await this.succeed("stack", "import", "--file", file);
  }

  /** Whether a killed command has left its lock, which `pulumi cancel` removes. */
  isLocked(): boolean {
    const locks = join(this.#backend, ".pulumi/locks");
    return existsSync(locks) && readdirSync(locks, { recursive: true }).some((name) => String(name).endsWith(".json"));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface StoredResource {
  readonly urn: string;
  readonly id: string;
  readonly type: string;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown>;
  readonly initErrors?: string[];
  readonly dependencies?: string[];
}

/** The type of a cluster for each adapter. */
export const clusterTypes = {
  dynamic: "pulumi-nodejs:dynamic/gpucluster:Cluster",
  native: "gpucluster:index:Cluster",
} as const;
const allTypes: readonly string[] = Object.values(clusterTypes);

/** Starts a command and collects its output in whole lines: the output of the other stream must not split a line. */
export function startProcess(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env" | "detached">,
): Running {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    let begun = "";
    stream.setEncoding("utf8").on("data", (text: string) => {
      const all = begun + text;
      const end = all.lastIndexOf("\n") + 1;
      output += all.slice(0, end);
      begun = all.slice(end);
    });
    stream.on("end", () => {
      output += begun;
    });
  }
  const ended = new Promise<Run>((done) => child.on("close", (code) => done({ code, output })));
  const { pid } = child;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  return { pid, ended, signal: (name) => void child.kill(name), kill: () => killHard(child), output: () => output };
}

/** Kills the CLI at once, and the language host that it leaves behind; the provider has to end by itself. */
function killHard(child: ChildProcess): void {
  const { stdout } = spawnSync("pgrep", ["-P", String(child.pid), "-f", "pulumi-language-nodejs"], {
    encoding: "utf8",
  });
  child.kill("SIGKILL");
  for (const pid of stdout.split("\n").filter(Boolean)) process.kill(Number(pid), "SIGKILL");
}

/** The environment without variables that a developer's shell or a CI may have set. */
function cleanEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(GPUCLUSTER_|PULUMI_(?!HOME))/.test(name));
  return { ...Object.fromEntries(kept), PULUMI_SKIP_UPDATE_CHECK: "true" };
}
