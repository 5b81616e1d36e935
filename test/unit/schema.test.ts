import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProvider } from "../../provider";
import { inputFlags, inputNames, outputNames } from "../../provider/cluster/model/fields";
import { providerFlags } from "../../provider/config/providerArgs";

const root = join(__dirname, "../..");
const text = readFileSync(join(root, "provider/schema/schema.json"), "utf8");
const schema = JSON.parse(text);
const cluster = schema.resources["gpucluster:index:Cluster"];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "schema-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Whether the script takes a schema for complete. */
function isComplete(written: string): boolean {
  const file = join(folder, "schema.json");
  writeFileSync(file, written);
  return spawnSync(process.execPath, [join(root, "scripts/schema.mjs"), "--check", file]).status === 0;
}

interface Described {
  readonly description?: string;
  readonly properties?: object;
}

/** The names of those that have a flag. */
function flagged(properties: Record<string, Record<string, unknown>>, flag: string): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.[flag] === true);
}

test("the schema is what its sources say", () => {
  expect(isComplete(text)).toBe(true);
});

test("a schema that words something otherwise is not up to date", () => {
  expect(isComplete(text.replace("Number of replicas", "Count of replicas"))).toBe(false);
});

test("a cluster has every input and output, and nothing hidden", () => {
  expect(Object.keys(cluster.inputProperties).sort()).toEqual([...inputNames].sort());
  expect(Object.keys(cluster.properties).sort()).toEqual([...inputNames, ...outputNames].sort());
  expect(text).not.toMatch(/"__|settled|unverifiedInputs/);
});

test("`pulumi import` writes the import of this package into TypeScript, and no generated package can take its place", () => {
  const { name, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { packageName } = schema.language.nodejs;
  expect(Object.keys(exports).map((entry) => entry.replace(".", name))).toContain(packageName);
  // npm installs no package of a name with a slash, unless it begins with @.
  expect(packageName).toMatch(/^[^@].*\//);
});

test("the fields have their flags, and no defaults: a patch would send them", () => {
  const replacing = inputNames.filter((name) => inputFlags[name].effect === "replace");
  for (const properties of [cluster.inputProperties, cluster.properties]) {
    // A secret is marked value by value, in the answer to a check.
    expect(flagged(properties, "secret")).toEqual([]);
    expect(flagged(properties, "willReplaceOnChanges")).toEqual(replacing);
  }
  expect(text).not.toContain('"default":');
});

test("every choice of words says what it is for, and what each word means", () => {
  const choices = Object.values<Described & { enum?: Described[] }>(schema.types).filter((type) => type.enum);
  expect(choices.length).toBeGreaterThan(4);
  for (const choice of choices) {
    for (const { description } of [choice, ...(choice.enum ?? [])]) expect(description).toMatch(/^[A-Z].*\.$/);
  }
});

test("no flag of `pulumi do` has a word of its description for the name of its value", () => {
  const inputs = [schema.config.variables, cluster.inputProperties, schema.provider.inputProperties];
  const args = Object.values<{ inputs?: { properties: object } }>(schema.functions).map(
    ({ inputs: own }) => own?.properties ?? {},
  );
  const flags = [...inputs, ...args].flatMap((properties) =>
    Object.values<Described & { type?: string }>(properties).filter(({ type }) =>
      /string|integer|number|bool/.test(type ?? ""),
    ),
  );
  expect(flags.length).toBeGreaterThan(20);
  for (const { description } of flags) expect(description).not.toContain("`");
});

test("nothing refers to a specification that users do not have", () => {
  expect(text).not.toMatch(/\bsections? \d/);
});

test("a cluster has an example in each language with an SDK or a program of its own", () => {
  const examples = /\{\{% examples %\}\}([\s\S]*)\{\{% \/examples %\}\}/.exec(cluster.description)?.[1] ?? "";
  expect([...examples.matchAll(/^```(\w+)$/gm)].map(([, language]) => language)).toEqual(
    expect.arrayContaining(["typescript", "python", "go", "csharp", "yaml"]),
  );
});

test("everything is described in whole sentences", () => {
  const objects = Object.values<Described>(schema.types).filter((type) => type.properties);
  const functions = Object.values<{ inputs?: Described; outputs: Described } & Described>(schema.functions);
  const parents = [
    cluster,
    schema.provider,
    ...objects,
    ...functions.flatMap(({ inputs, outputs }) => [...(inputs ? [inputs] : []), outputs]),
  ];
  const properties = parents.flatMap((parent) => Object.values<Described>(parent.properties));
  const inputs = [cluster, schema.provider].flatMap((parent) => Object.values<Described>(parent.inputProperties));
  for (const { description = "" } of [...parents, ...functions, ...properties, ...inputs]) {
    expect(description.replace(/\n\n\{\{% examples[\s\S]*$/, "")).toMatch(/^[A-Z`][\s\S]*[.)]$/);
  }
});

test("no type is a union, which some of Pulumi's SDKs cannot say", () => {
  expect(text).not.toContain("oneOf");
});

test("every data function is there, with its arguments, if it takes any, and an answer", () => {
  const { functions } = createProvider(() => undefined);
  expect(Object.keys(schema.functions)).toEqual(Object.keys(functions).map((name) => `gpucluster:index:${name}`));
  for (const { inputs, outputs } of Object.values<{ inputs?: { properties: object }; outputs: object }>(
    schema.functions,
  )) {
    expect(inputs?.properties).not.toEqual({});
    expect(outputs).toHaveProperty("required");
  }
});

test("the settings are those of the provider, and the key is secret and never read from the environment by an SDK", () => {
  for (const settings of [schema.config.variables, schema.provider.inputProperties, schema.provider.properties]) {
    expect(Object.keys(settings).sort()).toEqual(Object.keys(providerFlags).sort());
    expect(flagged(settings, "secret")).toEqual(["apiKey"]);
  }
  expect(text).not.toContain("defaultInfo");
});

test("a new version of the package makes no stale schema", () => {
  expect(schema).not.toHaveProperty("version");
});
