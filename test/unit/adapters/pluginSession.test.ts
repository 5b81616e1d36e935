import { asSecret } from "../../../provider/adapters/engineSecrets";
import { configReader, withSecretKeys } from "../../../provider/adapters/session";
import { isExplicitProvider } from "../../../provider/config/settings";

const urnOf = (name: string) => `urn:pulumi:dev::shop::pulumi:providers:gpucluster::${name}`;

test.each([
  ["default", false],
  ["default_0_1_0_alpha", false],
  ["default_eu", true],
  ["eu::default", true],
])("isExplicitProvider(%s) is %s", (name, expected) => {
  expect(isExplicitProvider(urnOf(name))).toBe(expected);
});

test.each([
  [
    "reads the stack's current config before the config in the state",
    "default",
    { apiKey: "old" },
    { apiKey: "new" },
    "new",
  ],
  ["reads the program's arguments, whatever the stack's config", "eu", { apiKey: "own" }, { apiKey: "new" }, "own"],
  ["reads no key that only the stack's config has", "eu", {}, { apiKey: "new" }, undefined],
])("a provider %s", (_title, name, settings, fresh, expected) => {
  expect(configReader(settings, urnOf(name), fresh)("gpucluster:apiKey")).toBe(expected);
});

test("a provider of the program has the limits of the stack that it does not set", () => {
  const ofStack = { maxHourlyCost: "50", capacityCheck: "error" };
  const read = configReader({ capacityCheck: "warn" }, urnOf("eu"), ofStack);
  expect(Object.keys(ofStack).map((name) => read(`gpucluster:${name}`))).toEqual(["50", "warn"]);
});

test.each([
  ["a provider reads a number as in the stack's config", 12.5, "12.5"],
  ["a provider reads a map as in the stack's config", { eu: { key: "EU" } }, '{"eu":{"key":"EU"}}'],
])("%s", (_title, value, expected) => {
  expect(configReader({ name: value }, urnOf("eu"), {})("gpucluster:name")).toBe(expected);
});

test("every setting that may be a key is stored as a secret, and no other", () => {
  const strings = { baseUrl: "https://a.example.com", capacityCheck: "warn", version: "0.1.0" };
  const open = { ...strings, strictPreview: true, maxHourlyCost: 5 };
  expect(withSecretKeys({ ...open, apiKey: "a", euApiKey: "b" })).toEqual({
    ...open,
    apiKey: asSecret("a"),
    euApiKey: asSecret("b"),
  });
});
