import { createProvider } from "../../provider";
import { inputFlags, inputNames, outputNames } from "../../provider/cluster/schema/fields";
import { isSecretSetting } from "../../provider/config/settings";
import { manifest, read } from "../support/repository";

const text = read("provider/schema/schema.json");
const schema = JSON.parse(text);
const cluster = schema.resources["gpucluster:index:Cluster"];

function flagged(properties: Record<string, Record<string, unknown>>, flag: string): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.[flag] === true);
}

test("the schema of a cluster has every input and output, nothing hidden, and no version that gets stale", () => {
  expect(Object.keys(cluster.inputProperties).sort()).toEqual([...inputNames].sort());
  expect(Object.keys(cluster.properties).sort()).toEqual([...inputNames, ...outputNames].sort());
  expect(text).not.toMatch(/"__|settled|unverifiedInputs/);
  expect(schema).not.toHaveProperty("version");
});

test("the schema names the package that npm installs, and its examples import the entry with the native classes", () => {
  const { name, exports } = manifest;
  expect(schema.language.nodejs.packageName).toBe(name);
  expect(exports).toHaveProperty(["./native"]);
  const imports = text.match(/from \\"[^"]*gpucluster[^"]*\\"/g) ?? [];
  expect([...new Set(imports)]).toEqual([`from \\"${name}/native\\"`]);
});

test("the fields have their flags, and no defaults, which a patch would send", () => {
  const replacing = inputNames.filter((name) => inputFlags[name].effect === "replace");
  for (const properties of [cluster.inputProperties, cluster.properties]) {
    // A secret is marked value by value, in the answer to a check.
    expect(flagged(properties, "secret")).toEqual([]);
    expect(flagged(properties, "willReplaceOnChanges")).toEqual(replacing);
  }
  expect(text).not.toContain('"default":');
});

test("no type is a union, which some of Pulumi's SDKs cannot express", () => {
  expect(text).not.toContain("oneOf");
});

test("the schema has every data function with its arguments and result", () => {
  const { functions } = createProvider(() => undefined);
  expect(Object.keys(schema.functions)).toEqual(Object.keys(functions).map((name) => `gpucluster:index:${name}`));
  for (const { inputs, outputs } of Object.values<{ inputs?: { properties: object }; outputs: object }>(
    schema.functions,
  )) {
    expect(inputs?.properties).not.toEqual({});
    expect(outputs).toHaveProperty("required");
  }
});

test("the cluster and each function have an example in five languages, which the reference leaves out", () => {
  const descriptions = [cluster, ...Object.values<{ description: string }>(schema.functions)].map(
    ({ description }) => description,
  );
  const languages = ["typescript", "python", "go", "csharp", "yaml"];
  for (const description of descriptions) expect(description.match(/(?<=^```)\w+$/gm)).toEqual(languages);
  expect(read("docs/reference.md")).not.toContain("{{%");
});

test("the settings are those of the provider; the key is secret, and no SDK reads it from the environment", () => {
  for (const settings of [schema.config.variables, schema.provider.inputProperties, schema.provider.properties]) {
    expect(Object.keys(settings).sort()).toEqual(Object.keys(isSecretSetting).sort());
    expect(flagged(settings, "secret")).toEqual(["apiKey"]);
  }
  expect(text).not.toContain("defaultInfo");
});
