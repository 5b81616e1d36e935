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
    // The CLI that started this process, directly or by a script; none if the system does not show it.
    let ancestor = processOf(process.pid);
    while (ancestor.name !== "pulumi" && ancestor.parent > 0) ancestor = processOf(ancestor.parent);
    const engine = ancestor.name === "pulumi" ? ancestor.identity : "";
    this.#writer = `${processOf(process.pid).identity}-${engine}-${randomBytes(4).toString("hex")}`;
    try {
      this.#file = openFile(parent, engineAddress);
      this.#write(this.#file);
      const lines = this.#read(this.#file);
      const ended = new Set(lines.filter(([, entry]) => entry === null).map(([writer]) => writer));
      const writers = [...new Set(lines.map(([writer]) => writer))].filter((writer) => !ended.has(writer));
      const isOfEngine = (writer: string) => engine !== "" && writer.split("-")[1] === engine;
      const ours = new Set(writers.filter((writer) => isOfEngine(writer) || isAlive(writer)));
      this.entries.push(...entriesIn(lines.slice(lines.findIndex(([writer]) => ours.has(writer)))));
    } catch (error) {
      this.#leave(messageOf(error));
    }
  }

  append(entry: object): void {
    this.#attempt((file) => this.#write(file, entry));
    this.refresh();
    if (this.#file === undefined) this.entries.push(entry);
  }

  refresh(): void {
    this.#attempt((file) => this.entries.push(...entriesIn(this.#read(file))));
  }

  /** Ends the part of this process in the run. It keeps its entries. */
  end(): void {
    this.#attempt((file) => this.#write(file, null));
    this.#leave(this.problem);
  }

  #attempt(work: (file: number) => void): void {
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

  #write(file: number, ...entry: [(object | null)?]): void {
    // Begins with a line break, because a process that was killed may have left an incomplete line.
    const bytes = Buffer.from(`\n${JSON.stringify([this.#writer, ...entry])}\n`);
    if (writeSync(file, bytes) !== bytes.length) throw new Error("the disk of the temporary folder is full");
  }

  /** The lines since the last read. The last one is left for the next read if it is not complete. */
  #read(file: number): Line[] {
    const { size } = fstatSync(file);
    if (size <= this.#bytesRead) return [];
    const bytes = Buffer.alloc(size - this.#bytesRead);
    const count = readSync(file, bytes, 0, bytes.length, this.#bytesRead);
    const complete = bytes.subarray(0, bytes.subarray(0, count).lastIndexOf("\n") + 1);
    this.#bytesRead += complete.length;
    const lines: Line[] = [];
    for (const text of complete.toString().split("\n")) {
      try {
        const line: unknown = JSON.parse(text);
        if (Array.isArray(line) && typeof line[0] === "string") lines.push([line[0], line[1]]);
      } catch {
        // Anything that is not a line of a journal is ignored.
      }
    }
    return lines;
  }
}

function entriesIn(lines: readonly Line[]): unknown[] {
  return lines.map(([, entry]) => entry).filter((entry) => entry !== undefined && entry !== null);
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
  return processOf(pid).identity === identity;
}

/**
 * What Linux shows of a process; other systems show nothing in this way. Its identity is its number and when it began, because
 * another process can get the number later.
 */
function processOf(pid: number): { readonly name: string; readonly parent: number; readonly identity: string } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [, parent, ...others] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const name = text.slice(text.indexOf("(") + 1, text.lastIndexOf(")"));
    return { name, parent: Number(parent), identity: `${pid}.${others[17] ?? ""}` };
  } catch {
    return { name: "", parent: 0, identity: `${pid}.` };
  }
}

/** @throws Error if another user can read or write the file or its folder, or if it is not a file. */
function openFile(parent: string, engineAddress: string): number {
  const user = process.getuid?.();
  // On Windows, the temporary folder itself belongs to the user.
  const isPrivate = ({ uid, mode }: Stats) => user === undefined || (uid === user && (mode & 0o077) === 0);
  const folder = join(parent, `gpucluster-${user ?? "run"}`);
  // An existing folder stays as it is.
  mkdirSync(folder, { mode: 0o700, recursive: true });
  const found = lstatSync(folder);
  if (!found.isDirectory() || !isPrivate(found)) throw new Error(`${folder} is not a folder of this user alone`);
  // The engine kills its providers, so none can clean up.
  const oldestMs = Date.now() - maxJournalAgeMs;
  for (const name of readdirSync(folder)) {
    const old = join(folder, name);
    const stats = lstatSync(old, { throwIfNoEntry: false });
    if (stats && stats.mtimeMs < oldestMs) rmSync(old, { force: true });
  }
  const name = createHash("sha256").update(`${hostname()} ${engineAddress}`).digest("hex").slice(0, 16);
  const path = join(folder, name);
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants;
  const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  const opened = fstatSync(file);
  if (opened.isFile() && isPrivate(opened)) return file;
  closeSync(file);
  throw new Error(`${path} is not a file of this user alone`);
}
