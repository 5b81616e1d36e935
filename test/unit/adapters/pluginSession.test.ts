import { configReader } from "../../../provider/adapters/session";
import type { Properties } from "../../../provider/contract";

test.each<[string, string, Properties, Properties, unknown]>([
  [
    "reads the stack's current config before the config in the state",
    "default",
    { apiKey: "old" },
    { apiKey: "new" },
    "new",
  ],
  ["reads the program's arguments, whatever the stack's config", "eu", { apiKey: "own" }, { apiKey: "new" }, "own"],
  ["reads no key that only the stack's config has", "eu", {}, { apiKey: "new" }, undefined],
  ["reads a limit that only the stack's config has", "eu", {}, { maxHourlyCost: "50" }, "50"],
  ["reads its own limit, as in the stack's config", "eu", { maxHourlyCost: 12.5 }, { maxHourlyCost: "50" }, "12.5"],
])("a provider %s", (_title, name, settings, ofStack, expected) => {
  const read = configReader(settings, `urn:pulumi:dev::shop::pulumi:providers:gpucluster::${name}`, ofStack);
  expect(read(`gpucluster:${Object.keys(ofStack)}`)).toBe(expected);
});

test.each<[string, string, Properties, Properties, unknown]>([
  [
    "of an explicit provider is that of the stack, whatever its own",
    "eu",
    { maxHourlyCost: 12.5 },
    { maxHourlyCost: "50" },
    "50",
  ],
  ["of an explicit provider is none if only it has one", "eu", { maxHourlyCost: 12.5 }, {}, undefined],
  ["of the default provider is its own", "default", { maxHourlyCost: "40" }, {}, "40"],
])("the limit of the stack %s", (_title, name, settings, ofStack, expected) => {
  const read = configReader(settings, `urn:pulumi:dev::shop::pulumi:providers:gpucluster::${name}`, ofStack);
  expect(read("gpucluster:maxHourlyCost", "stack")).toBe(expected);
});

test("a provider has the config that the engine passes for its stack, none if that is absent or invalid", () => {
  const { PULUMI_CONFIG: before } = process.env;
  const keys = ['{"apiKey":"fresh"}', undefined, "null", "{apiKey"].map((text) => {
    delete process.env["PULUMI_CONFIG"];
    if (text !== undefined) process.env["PULUMI_CONFIG"] = text;
    return configReader({}, "urn:pulumi:dev::shop::pulumi:providers:gpucluster::default")("gpucluster:apiKey");
  });
  delete process.env["PULUMI_CONFIG"];
  if (before !== undefined) process.env["PULUMI_CONFIG"] = before;
  expect(keys).toEqual(["fresh", undefined, undefined, undefined]);
});
