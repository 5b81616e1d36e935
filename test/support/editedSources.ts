import { mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import ts from "typescript";

/** New texts of files, by their paths in the repository. */
export type Edits = Readonly<Record<string, (text: string) => string>>;

const root = join(__dirname, "../..");
const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
const { options: own } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const options = { ...own, declaration: false, types: ["node", "jest"] };

/** Files without edits are parsed once. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** The program before, whose resolved imports the next one takes over. */
let last: ts.Program | undefined;

/** The program of some files, and of all that they import, as if their texts were edited. */
export function programOf(files: readonly string[], edits: Edits): ts.Program {
  const host = ts.createCompilerHost(options);
  const plain = host.getSourceFile.bind(host);
  host.getSourceFile = (file, target) => {
    const edit = edits[relative(root, file)];
    if (edit) return ts.createSourceFile(file, edit(host.readFile(file) ?? ""), target);
    if (!parsed.has(file)) parsed.set(file, plain(file, target));
    return parsed.get(file);
  };
  const paths = files.map((file) => join(root, file));
  last = ts.createProgram(paths, options, host, last);
  return last;
}

/** The errors that the compiler finds, in these files or in all: `provider/cluster/operations/create.ts: Type ...`. */
export function errorsOf(program: ts.Program, only?: readonly string[]): string[] {
  const found = only
    ? only.flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(join(root, file))))
    : ts.getPreEmitDiagnostics(program);
  return found.map(({ file, messageText }) => {
    return `${relative(root, file?.fileName ?? root)}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

/** Writes the program as JavaScript to a temporary folder, which finds the packages of the repository. */
export function emit(program: ts.Program): string {
  const folder = mkdtempSync(join(tmpdir(), "gpucluster-edited-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  program.emit(undefined, (file, text) => ts.sys.writeFile(join(folder, relative(join(root, "dist"), file)), text));
  return folder;
}
