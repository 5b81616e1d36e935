import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createProvider } from "../../provider";
import { inputFlags, inputNames, outputNames } from "../../provider/cluster/model/fields";
import { providerFlags } from "../../provider/config/providerArgs";

const root = join(__dirname, "../..");
const text = readFileSync(join(root, "provider/schema/schema.json"), "utf8");
const schema = JSON.parse(text);
const cluster = schema.resources["gpucluster:index:Cluster"];

interface Described {
  readonly description?: string;
  readonly properties?: object;
}

/** The names of those that have a flag. */
function flagged(properties: Record<string, Record<string, unknown>>, flag: string): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.[flag] === true);
}

test("a cluster has every input and output, and nothing hidden; a new version makes no stale schema", () => {
  expect(Object.keys(cluster.inputProperties).sort()).toEqual([...inputNames].sort());
  expect(Object.keys(cluster.properties).sort()).toEqual([...inputNames, ...outputNames].sort());
  expect(text).not.toMatch(/"__|settled|unverifiedInputs/);
  expect(schema).not.toHaveProperty("version");
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

test("a cluster has an example in each language with an SDK or a program of its own", () => {
  const examples = /\{\{% examples %\}\}([\s\S]*)\{\{% \/examples %\}\}/.exec(cluster.description)?.[1] ?? "";
  expect([...examples.matchAll(/^```(\w+)$/gm)].map(([, language]) => language)).toEqual(
    expect.arrayContaining(["typescript", "python", "go", "csharp", "yaml"]),
  );
});

test("everything is described in whole sentences, each word of a choice too", () => {
  const types = Object.values<Described & { enum?: Described[] }>(schema.types);
  const objects = types.filter((type) => type.properties);
  const choices = types.filter((type) => type.enum);
  const words = choices.flatMap((choice) => choice.enum ?? []);
  const functions = Object.values<{ inputs?: Described; outputs: Described } & Described>(schema.functions);
  const parents = [
    cluster,
    schema.provider,
    ...objects,
    ...functions.flatMap(({ inputs, outputs }) => [...(inputs ? [inputs] : []), outputs]),
  ];
  const properties = parents.flatMap((parent) => Object.values<Described>(parent.properties));
  const inputs = [cluster, schema.provider].flatMap((parent) => Object.values<Described>(parent.inputProperties));
  for (const { description = "" } of [...parents, ...functions, ...properties, ...inputs, ...choices, ...words]) {
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
