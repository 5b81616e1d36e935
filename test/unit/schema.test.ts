import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createProvider } from "../../provider";
import { inputFlags, inputNames, outputNames } from "../../provider/cluster/schema/fields";
import { providerFlags } from "../../provider/config/providerArgs";

const root = join(__dirname, "../..");
const text = readFileSync(join(root, "provider/schema/schema.json"), "utf8");
const schema = JSON.parse(text);
const cluster = schema.resources["gpucluster:index:Cluster"];

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
