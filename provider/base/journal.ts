import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "./errors";
import { maxJournalAgeMs } from "./times";

/** `[writer]` when a process joins, `[writer, entry]`, and `[writer, null]` when it leaves. */
type Line = readonly [writer: string, entry?: unknown];

/**
 * The entries of all processes of one run. The engine starts a process for each provider, and gives all of them its own address,
 * which names a file that they share. Each appends its entry before it reads, so all see the same order: of two that claim
 * something, both see the same first one.
 *
 * A later run can get the same address, and then finds old lines in the file. Providers end with their engine, so the run
 * begins at the first line whose writer is alive when this process joins or, if it was killed, was started by the same engine.
 * What is appended later counts even if its writer has ended: the engine ends a provider when its last resource is done.
 */
export class Journal {
  readonly entries: unknown[] = [];
  /** Why this process does not see the entries of others. */
  problem: string | undefined;
  #file: number | undefined;
  #bytesRead = 0;
  #writer = "";

  /** @param engineAddress Without one, this process is alone. */
  constructor(engineAddress?: string, parent = tmpdir()) {
    if (!engineAddress) return;
    const engine = engineOf(process.pid);
    this.#writer = `${identityOf(process.pid)}-${engine}-${randomBytes(4).toString("hex")}`;
    try {
      const folder = privateFolder(parent);
      sweep(folder);
      const name = createHash("sha256").update(`${hostname()} ${engineAddress}`).digest("hex").slice(0, 16);
      this.#file = openPrivate(join(folder, name));
      append(this.#file, [this.#writer]);
      this.entries.push(...entriesOfThisRun(this.#readLines(this.#file), engine));
    } catch (error) {
      this.#leave(messageOf(error));
    }
  }

  append(entry: object): void {
    this.#withFile((file) => append(file, [this.#writer, entry]));
    this.refresh();
    if (this.#file === undefined) this.entries.push(entry);
  }

  refresh(): void {
    this.#withFile((file) => this.entries.push(...this.#readLines(file).flatMap(entryOf)));
  }

  /** Ends the part of this process in the run. It keeps its entries. */
  end(): void {
    this.#withFile((file) => append(file, [this.#writer, null]));
    this.#leave(this.problem);
  }

  #withFile(work: (file: number) => void): void {
    if (this.#file === undefined) return;
    try {
      work(this.#file);
    } catch (error) {
      this.#leave(messageOf(error));
    }
  }

  #leave(problem: string | undefined): void {
    this.problem = problem;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** The lines since the last read. The last one is left for the next read if it is not complete. */
  #readLines(file: number): Line[] {
    const { size } = fstatSync(file);
    if (size <= this.#bytesRead) return [];
    const bytes = Buffer.alloc(size - this.#bytesRead);
    const count = readSync(file, bytes, 0, bytes.length, this.#bytesRead);
    const complete = bytes.subarray(0, bytes.subarray(0, count).lastIndexOf("\n") + 1);
    this.#bytesRead += complete.length;
    return complete.toString().split("\n").flatMap(parseLine);
  }
}

/** Begins with a line break, because a process that was killed may have left an incomplete line. */
function append(file: number, line: Line): void {
  const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
  if (writeSync(file, bytes) !== bytes.length) throw new Error("the disk of the temporary folder is full");
}

function entriesOfThisRun(lines: readonly Line[], engine: string): unknown[] {
  const ended = new Set(lines.flatMap(([writer, entry]) => (entry === null ? writer : [])));
  const writers = [...new Set(lines.map(([writer]) => writer))].filter((writer) => !ended.has(writer));
  const isOfEngine = (writer: string) => engine !== "" && writer.split("-")[1] === engine;
  const ours = new Set(writers.filter((writer) => isOfEngine(writer) || isAlive(writer)));
  return lines.slice(lines.findIndex(([writer]) => ours.has(writer))).flatMap(entryOf);
}

function entryOf([, entry]: Line): unknown[] {
  return entry === undefined || entry === null ? [] : [entry];
}

/** Anything that is not a line of a journal is ignored. */
function parseLine(text: string): Line[] {
  if (text === "") return [];
  try {
    const line: unknown = JSON.parse(text);
    return Array.isArray(line) && typeof line[0] === "string" ? [[line[0], line[1]]] : [];
  } catch {
    return [];
  }
}

function isAlive(writer: string): boolean {
  const [identity = ""] = writer.split("-");
  const pid = Number.parseInt(identity, 10);
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch {
    // No such process, or that of another user.
    return false;
  }
  return identityOf(pid) === identity;
}

/** The number of a process and when it began, because another process can get the number later. */
function identityOf(pid: number): string {
  return `${pid}.${shownOf(pid).start}`;
}

/** The CLI that started a process, directly or by a script; empty if there is none, or if the system does not show it. */
function engineOf(pid: number): string {
  const { name, parent } = shownOf(pid);
  if (name === "pulumi") return identityOf(pid);
  return parent > 0 ? engineOf(parent) : "";
}

/** What Linux shows of a process; other systems show nothing in this way. */
function shownOf(pid: number): { readonly name: string; readonly parent: number; readonly start: string } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [, parent, ...others] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    return { name, parent: Number(parent), start: others[17] ?? "" };
  } catch {
    return { name: "", parent: 0, start: "" };
  }
}

/** @throws Error if another user can write there. */
function privateFolder(parent: string): string {
  const folder = join(parent, `gpucluster-${process.getuid?.() ?? "run"}`);
  // An existing folder stays as it is.
  mkdirSync(folder, { mode: 0o700, recursive: true });
  const found = lstatSync(folder);
  if (!found.isDirectory() || !isPrivate(found)) throw new Error(`${folder} is not a folder of this user alone`);
  return folder;
}

/** @throws Error if another user can read or write the file, or if it is not a file. */
function openPrivate(path: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants;
  const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  const found = fstatSync(file);
  if (found.isFile() && isPrivate(found)) return file;
  closeSync(file);
  throw new Error(`${path} is not a file of this user alone`);
}

/** On Windows, the temporary folder itself belongs to the user. */
function isPrivate({ uid, mode }: Stats): boolean {
  const user = process.getuid?.();
  return user === undefined || (uid === user && (mode & 0o077) === 0);
}

/** Deletes old files: the engine kills its providers, so none can clean up. */
function sweep(folder: string): void {
  const oldestMs = Date.now() - maxJournalAgeMs;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && found.mtimeMs < oldestMs) rmSync(path, { force: true });
  }
}
