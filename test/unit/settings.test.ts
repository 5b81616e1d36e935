import { resolveSettings } from "../../provider/config";
import { ConfigError } from "../../provider/errors";

const config = (values: Record<string, string>) => (name: string) => values[name];

test.each<[string, Record<string, string>, object]>([
  ["nothing", {}, {}],
  ["a warning for an unlisted type", { gpuTypeCheck: "warn" }, { gpuTypeCheck: "warn" }],
  ["no check of types", { gpuTypeCheck: "off" }, { gpuTypeCheck: "off" }],
  ["the client's names", { requestNames: "client" }, { requestNames: "client" }],
  ["empty texts, which are as good as none", { strictPreview: "", capacityCheck: " ", maxHourlyCost: "\n" }, {}],
  ["a strict preview", { strictPreview: "true" }, { strictPreview: true }],
  ["a preview that is not", { strictPreview: "false" }, { strictPreview: false }],
  ["a warning for too few GPUs", { capacityCheck: "warn" }, { capacityCheck: "warn" }],
  ["an error for too few GPUs", { capacityCheck: "error" }, { capacityCheck: "error" }],
  ["a whole number as the limit", { maxHourlyCost: "40" }, { maxHourlyCost: 40 }],
  ["a fraction as the limit", { maxHourlyCost: "0.25" }, { maxHourlyCost: 0.25 }],
  ["a fraction without a whole part", { maxHourlyCost: ".5" }, { maxHourlyCost: 0.5 }],
  ["a number as YAML writes large ones", { maxHourlyCost: "1e+21" }, { maxHourlyCost: 1e21 }],
  ["white space around", { strictPreview: " true\n", maxHourlyCost: " 7 " }, { strictPreview: true, maxHourlyCost: 7 }],
])("the settings are read from %s", (_title, values, expected) => {
  const named = Object.fromEntries(Object.entries(values).map(([name, text]) => [`gpucluster:${name}`, text]));
  const defaults = {
    strictPreview: false,
    capacityCheck: "warn",
    gpuTypeCheck: "error",
    requestNames: undefined,
    maxHourlyCost: undefined,
  };
  expect(resolveSettings(config(named))).toEqual({ ...defaults, ...expected });
});

const rights = {
  strictPreview: '"true" or "false"',
  capacityCheck: '"warn" or "error"',
  gpuTypeCheck: '"error", "warn" or "off"',
  requestNames: '"specification" or "client"',
  maxHourlyCost: "a number above 0, such as 12.5",
};

test.each<[keyof typeof rights, string]>([
  ["strictPreview", "yes"],
  ["strictPreview", "1"],
  ["strictPreview", "True"],
  ["capacityCheck", "fail"],
  ["capacityCheck", "true"],
  ["capacityCheck", "Error"],
  ["gpuTypeCheck", "no"],
  ["gpuTypeCheck", "Warn"],
  ["requestNames", "both"],
  ["requestNames", "Client"],
  ["maxHourlyCost", "0"],
  ["maxHourlyCost", "-1"],
  ["maxHourlyCost", "0.0"],
  ["maxHourlyCost", "ten"],
  ["maxHourlyCost", "10 USD"],
  ["maxHourlyCost", "1,5"],
  ["maxHourlyCost", "0x10"],
  ["maxHourlyCost", "Infinity"],
  ["maxHourlyCost", "1e999"],
  ["maxHourlyCost", "NaN"],
  ["maxHourlyCost", "."],
])("as gpucluster:%s, %j is refused with what is right", (name, text) => {
  const resolve = () => resolveSettings(config({ [`gpucluster:${name}`]: text }));
  expect(resolve).toThrow(ConfigError);
  expect(resolve).toThrow(
    `gpucluster:${name} must be ${rights[name]}: run \`pulumi config set gpucluster:${name} <value>\``,
  );
});

test("all settings that are wrong are named at once, and no text is quoted", () => {
  const canary = "canary-7f3a9e";
  const names = Object.keys(rights).map((name) => `gpucluster:${name}`);
  const resolve = () => resolveSettings(config(Object.fromEntries(names.map((name) => [name, canary]))));
  for (const name of names) expect(resolve).toThrow(`${name} must be`);
  expect(resolve).not.toThrow(canary);
});
