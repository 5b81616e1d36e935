import { join, relative } from "node:path";
import ts from "typescript";
import { vocabularies } from "../../../provider/api/requestNames";
import { inputFlags, inputNames } from "../../../provider/cluster/fields";

const root = join(__dirname, "../../..");
const configFile = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(configFile.config, ts.sys, root);

/** The files in which the compiler finds errors, if these files have another text. */
function filesWithErrors(edits: Readonly<Record<string, (text: string) => string>>): string[] {
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const read = host.readFile.bind(host);
  const edit = (file: string) => edits[relative(root, file)] ?? ((text: string) => text);
  host.getSourceFile = (file, target) => ts.createSourceFile(file, edit(file)(read(file) ?? ""), target);
  const files = ["create", "updateRequest", "preview/validate"].map((name) =>
    join(root, `provider/cluster/${name}.ts`),
  );
  const errors = ts.getPreEmitDiagnostics(ts.createProgram(files, { ...options, noEmit: true }, host));
  return [...new Set(errors.map(({ file }) => relative(root, file?.fileName ?? "")))].sort();
}

const replaced = (from: string, to: string) => (text: string) => {
  expect(text).toContain(from);
  return text.replace(from, to);
};
/** Every input has a rule, and a kind in the state. */
const always = ["provider/cluster/preview/validate.ts", "provider/cluster/state.ts"];
/** An optional input that replaces the cluster. */
const declared = {
  "provider/cluster/fields.ts": (text: string) =>
    replaced(
      'gpuType: { effect: "replace", wire: "create" },',
      'gpuType: { effect: "replace", wire: "create" },\n  region: { effect: "replace", wire: "create" },',
    )(replaced("export interface ClusterInputs {", "export interface ClusterInputs {\n  region?: string;")(text)),
};
const sent = {
  ...declared,
  "provider/cluster/create.ts": replaced(
    "return { name, gpuType,",
    "const { region } = inputs;\n  return { region, name, gpuType,",
  ),
};

test("an input that is declared as sent has to be in the request, with a rule and a kind", () => {
  expect(filesWithErrors({})).toEqual([]);
  const missing = ["provider/cluster/create.ts", ...always];
  expect(filesWithErrors(declared)).toEqual(missing);
  expect(filesWithErrors(sent)).toEqual(missing);
});

test("an input that is in the request has to have a name in each vocabulary", () => {
  const withBody = {
    ...sent,
    "provider/api/endpoints.ts": replaced(
      "readonly gpuType: string;",
      "readonly gpuType: string;\n  readonly region?: string;",
    ),
  };
  expect(filesWithErrors(withBody)).toEqual(["provider/api/requestNames.ts", ...always]);
});

test("every input that is sent, and no other, has a name in requests", () => {
  const names = inputNames.filter((name) => inputFlags[name].wire !== undefined && name !== "extraFields");
  for (const vocabulary of Object.values(vocabularies))
    expect(Object.keys(vocabulary).sort()).toEqual([...names].sort());
});
