import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal } from "../../../provider/base/journal";
import { newFolder } from "../../support/folders";

let parent: string;
beforeEach(() => {
  parent = newFolder();
});

const engine = "127.0.0.1:40000";
const open = (address = engine) => new Journal(address, parent);
const folder = () => join(parent, `gpucluster-${process.getuid?.() ?? "run"}`);
/** The only file, with all of its lines. */
const file = () => join(folder(), readdirSync(folder())[0] ?? "");
const entriesOf = (journal: Journal) => {
  journal.refresh();
  return journal.entries;
};
/** Writes what a process has left. */
const leave = (...lines: unknown[]) =>
  appendFileSync(file(), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

/** The number and start of a process that has ended. */
function endedWriter(): string {
  const read = `process.stdout.write(process.pid + "." + require("fs").readFileSync("/proc/self/stat", "utf8").split(") ").at(-1).split(" ")[19])`;
  return `${spawnSync(process.execPath, ["-e", read], { encoding: "utf8" }).stdout}--a`;
}

describe("the processes of one run", () => {
  it("see all entries in one order, even if they join later", () => {
    const [a, b] = [open(), open()];
    a.append({ n: 1 });
    b.append({ n: 2 });
    a.append({ n: 3 });
    const all = [{ n: 1 }, { n: 2 }, { n: 3 }];
    expect([entriesOf(a), entriesOf(b), entriesOf(open())]).toEqual([all, all, all]);
    expect(a.problem).toBeUndefined();
  });

  it("see nothing of the run of another engine", () => {
    open().append({ n: 1 });
    expect(entriesOf(open("127.0.0.1:40001"))).toEqual([]);
  });

  it("keep what a process has appended that ended after they joined, or left", () => {
    const a = open();
    leave([endedWriter()], [endedWriter(), { n: 1 }]);
    const b = open();
    b.append({ n: 2 });
    b.end();
    b.append({ n: 3 });
    expect([entriesOf(a), entriesOf(open())]).toEqual([
      [{ n: 1 }, { n: 2 }],
      [{ n: 1 }, { n: 2 }],
    ]);
    expect(b.entries).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it("are alone without an engine", () => {
    const journal = new Journal();
    journal.append({ n: 1 });
    expect([journal.entries, journal.problem]).toEqual([[{ n: 1 }], undefined]);
  });
});

describe("a later run at the same address", () => {
  it.each<[string, () => string]>([
    ["has ended", endedWriter],
    ["ended, and whose number another process has now", () => `${process.pid}.1--a`],
    ["is of another user, or no process at all", () => "0.1--a"],
  ])("sees nothing of a process that %s", (_title, writerOf) => {
    open().end();
    const writer = writerOf();
    writeFileSync(file(), "");
    leave([writer], [writer, { stale: 1 }]);
    const journal = open();
    journal.append({ n: 1 });
    expect([entriesOf(journal), entriesOf(open())]).toEqual([[{ n: 1 }], [{ n: 1 }]]);
  });

  it("sees nothing of a process that has left the earlier run and lives on, as in a debugger", () => {
    const earlier = open();
    earlier.append({ stale: 1 });
    earlier.end();
    expect(entriesOf(open())).toEqual([]);
  });

  it("sees nothing of a process that was killed while it wrote a line", () => {
    open().end();
    const writer = endedWriter();
    writeFileSync(file(), `["${writer}"]\n["${writer}",{"stale":1}]\n["${writer}",{"st`);
    const journal = open();
    journal.append({ n: 1 });
    expect([entriesOf(journal), entriesOf(open())]).toEqual([[{ n: 1 }], [{ n: 1 }]]);
  });
});

describe("the file of a run", () => {
  it("is readable for this user alone", () => {
    open().append({ n: 1 });
    expect([statSync(folder()).mode & 0o777, statSync(file()).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it("is deleted a day after the last line", () => {
    open("127.0.0.1:1");
    utimesSync(file(), 1, 1);
    open();
    expect(readdirSync(folder())).toHaveLength(1);
  });

  it("may hold anything: what is no line is ignored, and an incomplete line is read when it is complete", () => {
    const journal = open();
    appendFileSync(file(), '\nx\n{}\n[]\n[1,{"n":0}]\n["w",{"n":');
    expect(entriesOf(journal)).toEqual([]);
    appendFileSync(file(), "1}]\n");
    expect(entriesOf(journal)).toEqual([{ n: 1 }]);
  });
});

describe("a process that cannot use the file", () => {
  const reason = /is not a (folder|file) of this user alone|ELOOP|EEXIST|EISDIR/;

  it.each<[string, (path: string) => void]>([
    ["is a link", (path) => symlinkSync("/dev/null", path)],
    [
      "is a link to a private file",
      (path) => {
        writeFileSync(join(parent, "private"), "", { mode: 0o600 });
        symlinkSync(join(parent, "private"), path);
      },
    ],
    ["is a folder", (path) => mkdirSync(path)],
    ["is open to other users", (path) => writeFileSync(path, "", { mode: 0o666 })],
  ])("is alone if the file %s, and knows why", (_title, place) => {
    open();
    const path = file();
    rmSync(path);
    place(path);
    if (lstatSync(path).isFile()) chmodSync(path, 0o666);
    expectAlone(open());
  });

  it.each<[string, () => void]>([
    ["is a link", () => symlinkSync(tmpdir(), folder())],
    ["is open to other users", () => mkdirSync(folder(), { mode: 0o777 })],
    ["is a file", () => writeFileSync(folder(), "")],
  ])("is alone if the folder %s, and knows why", (_title, place) => {
    place();
    if (lstatSync(folder()).isDirectory()) chmodSync(folder(), 0o777);
    expectAlone(open());
  });

  function expectAlone(journal: Journal): void {
    journal.append({ n: 1 });
    expect(journal.problem).toMatch(reason);
    expect(entriesOf(journal)).toEqual([{ n: 1 }]);
  }
});
