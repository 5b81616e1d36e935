import { configReader, isExplicit, withSecretKeys } from "../../../provider/doors/plugin/configuration";
import { asSecret } from "../../../provider/doors/secrets";

const urnOf = (name: string) => `urn:pulumi:dev::shop::pulumi:providers:gpucluster::${name}`;

test.each([
  ["default", false],
  ["default_0_1_0", false],
  ["default_0_1_0_alpha", false],
  ["default_https___example.com", false],
  ["defaulting", true],
  ["default_eu", true],
  ["eu", true],
])("the provider %s is declared by the program: %s", (name, expected) => {
  expect(isExplicit(urnOf(name))).toBe(expected);
});

test.each([
  ["the stack's config of now, before what the state holds", "default", { apiKey: "old" }, { apiKey: "new" }, "new"],
  ["what the state holds, where the stack says nothing now", "default", { apiKey: "old" }, {}, "old"],
  ["what the program gives it, whatever the stack says", "eu", { apiKey: "own" }, { apiKey: "new" }, "own"],
  ["nothing that only the stack says", "eu", {}, { apiKey: "new" }, undefined],
])("a provider reads %s", (_what, name, settings, fresh, expected) => {
  expect(configReader(settings, urnOf(name), fresh)("gpucluster:apiKey")).toBe(expected);
});

test("the limits of the stack hold for its own providers too, where these say nothing else", () => {
  const read = configReader({ capacityCheck: "warn" }, urnOf("eu"), { maxHourlyCost: "50", capacityCheck: "error" });
  expect(["maxHourlyCost", "capacityCheck"].map((name) => read(`gpucluster:${name}`))).toEqual(["50", "warn"]);
});

test.each([
  ["a text", "https://a.example.com", "https://a.example.com"],
  ["a flag", true, "true"],
  ["a number", 12.5, "12.5"],
  ["a map", { eu: { apiKeyEnv: "EU" } }, '{"eu":{"apiKeyEnv":"EU"}}'],
])("%s is read as the stack's config would have it", (_what, value, expected) => {
  expect(configReader({ name: value }, urnOf("eu"), {})("gpucluster:name")).toBe(expected);
});

test("what every object has by itself is no setting", () => {
  expect(configReader({}, urnOf("eu"), {})("gpucluster:constructor")).toBeUndefined();
});

test("whatever may be a key is stored as a secret, and nothing else", () => {
  const texts = { baseUrl: "https://a.example.com", capacityCheck: "warn", version: "0.1.0" };
  const open = { ...texts, connections: {}, strictPreview: true, maxHourlyCost: 5 };
  expect(withSecretKeys({ ...open, apiKey: "a", euApiKey: "b" })).toEqual({
    ...open,
    apiKey: asSecret("a"),
    euApiKey: asSecret("b"),
  });
});

test("the version that a generated SDK asks for goes back as it came: the engine ends otherwise", () => {
  expect(withSecretKeys({ version: "0.1.0" })).toEqual({ version: "0.1.0" });
});
