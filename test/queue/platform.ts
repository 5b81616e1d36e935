import { type ChildProcess, execFile, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { killFamily } from "../engine/processes";
import { cliRoot, Workspace } from "../engine/workspace";

const repository = resolve(__dirname, "../..");
const example = join(repository, "examples/queue");

/** One call of the Pulumi CLI by a worker. */
export interface Call {
  readonly command: string;
  readonly stack: string;
  /** Process id of the worker. */
  readonly worker: number;
  /** For `up`: how many runs with the same API key went on at its start, with itself. */
  readonly atOnce: number;
}

/**
 * Takes the place of the CLI: writes each call down, and becomes the CLI. A run writes itself down before it counts the
 * others, so the highest count is right, whatever the order.
 */
const recorder = `#!/bin/sh
here=$(dirname "$0")
count=0
if [ "$1" = up ]; then
  echo "$GPUCLUSTER_API_KEY" >"$here/runs/$$"
  for run in $(grep -lx "$GPUCLUSTER_API_KEY" "$here"/runs/*); do
    # A zombie has ended.
    if grep -qs '^State:.[^ZX]' "/proc/\${run##*/}/status"; then count=$((count + 1)); fi
  done
fi
echo "$PPID $count $*" >>"$here/calls"
exec "${join(cliRoot, "bin/pulumi")}" "$@"
`;

/** The folder of examples/queue, built, with all that its workers need. */
export class Platform {
  readonly #workspace: Workspace;
  readonly #bin: string;
  readonly #workers: Worker[] = [];

  constructor(env: Record<string, string>) {
    this.#workspace = new Workspace({ env, program: "" });
    const { folder } = this.#workspace;
    for (const name of readdirSync(example).filter((file) => file.endsWith(".ts"))) {
      const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
      const text = readFileSync(join(example, name), "utf8");
      const { outputText } = ts.transpileModule(text, { compilerOptions });
      writeFileSync(join(folder, name.replace(".ts", ".js")), outputText);
    }
    for (const name of ["bullmq", "ioredis"]) {
      symlinkSync(join(repository, "node_modules", name), join(folder, "node_modules", name));
    }
    this.#bin = join(folder, "bin");
    mkdirSync(join(this.#bin, "runs"), { recursive: true });
    appendFileSync(join(this.#bin, "calls"), "");
    writeFileSync(join(this.#bin, "pulumi"), recorder, { mode: 0o755 });
  }

  /** Runs add.ts. */
  async add(...stacks: string[]): Promise<void> {
    await promisify(execFile)(process.execPath, ["add.js", ...stacks], this.#options());
  }

  /** Starts worker.ts. */
  startWorker(): Worker {
    const worker = new Worker(spawn(process.execPath, ["worker.js"], this.#options()));
    this.#workers.push(worker);
    return worker;
  }

  /** All calls of the CLI about a stack, in their order. */
  calls(): Call[] {
    const lines = readFileSync(join(this.#bin, "calls"), "utf8").trimEnd().split("\n");
    return lines.flatMap((line) => {
      const [, worker, atOnce, command = "", stack = ""] = /^(\d+) (\d+) (\w+).* --stack (\S+)/.exec(line) ?? [];
      return worker === undefined ? [] : [{ command, stack, worker: Number(worker), atOnce: Number(atOnce) }];
    });
  }

  /** The ids of the clusters in the state of each stack. */
  states(): Record<string, string[]> {
    const folder = fileURLToPath(`${this.#workspace.env["PULUMI_BACKEND_URL"]}/.pulumi/stacks/gpucluster-queue`);
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
    return Object.fromEntries(
      files.map((name) => {
        const { checkpoint } = JSON.parse(readFileSync(join(folder, name), "utf8"));
        const resources: { id: string; type: string }[] = checkpoint.latest?.resources ?? [];
        const clusters = resources.filter(({ type }) => type.endsWith("Cluster")).map(({ id }) => id);
        return [name.replace(".json", ""), clusters];
      }),
    );
  }

  async close(): Promise<void> {
    for (const worker of this.#workers) worker.kill();
    await Promise.all(this.#workers.map(({ ended }) => ended));
    this.#workspace.remove();
  }

  #options() {
    const PATH = [this.#bin, process.env["PATH"]].join(delimiter);
    const { HOME, TMPDIR, PULUMI_HOME } = process.env;
    const env = { HOME, TMPDIR, PULUMI_HOME, PULUMI_SKIP_UPDATE_CHECK: "true", ...this.#workspace.env, PATH };
    return { cwd: this.#workspace.folder, env };
  }
}

/** A running worker, with all that it has started: a machine. */
export class Worker {
  output = "";
  readonly pid: number;
  readonly ended: Promise<number | null>;

  constructor(readonly child: ChildProcess) {
    const { pid, stdout, stderr } = child;
    if (pid === undefined) throw new Error("the worker could not be started");
    this.pid = pid;
    for (const stream of [stdout, stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
    }
    this.ended = new Promise((done) => child.on("close", done));
  }

  /** Loses the machine. */
  kill(): void {
    if (this.child.exitCode === null && this.child.signalCode === null) killFamily(this.pid);
  }

  /** Asks the worker to end. */
  stop(): Promise<number | null> {
    this.child.kill("SIGTERM");
    return this.ended;
  }
}
