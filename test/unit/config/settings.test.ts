import { inspect } from "node:util";
import { ConfigError } from "../../../provider/base/errors";
import {
  type ConfigOrigin,
  freshConfig,
  plainKeyText,
  resolveConnection,
  resolveSettings,
  unusedText,
} from "../../../provider/config/settings";

const key = "sk-canary-0123456789";
const url = "https://api.example.com";
const settings = { GPUCLUSTER_API_KEY: key, GPUCLUSTER_BASE_URL: url };
const nothing = () => undefined;
const config = (values: Record<string, string>) => (name: string) => values[name];

function refusalOf(env: Record<string, string>): unknown {
  try {
    resolveConnection(nothing, env);
  } catch (error) {
    return error;
  }
  return undefined;
}

const inConfig = { "gpucluster:apiKey": "config-key", "gpucluster:baseUrl": "https://config.example.com" };
test.each([
  ["the environment alone", settings, {}, key, url],
  ["both, where the config wins", settings, inConfig, "config-key", "https://config.example.com"],
  ["one from each", { GPUCLUSTER_BASE_URL: url }, { "gpucluster:apiKey": "config-key" }, "config-key", url],
  ["an empty config, as good as none", settings, { "gpucluster:apiKey": " ", "gpucluster:baseUrl": "" }, key, url],
  ["values in white space", { GPUCLUSTER_API_KEY: ` ${key}\n`, GPUCLUSTER_BASE_URL: ` ${url} ` }, {}, key, url],
])("the connection is taken from %s", (_what, env, values, expectedKey, expectedUrl) => {
  const { apiKey, baseUrl } = resolveConnection(config(values), env);
  expect([apiKey.reveal(), baseUrl]).toEqual([expectedKey, expectedUrl]);
});

test("GPUCLUSTER_LOG names standard error or the absolute path of a file", () => {
  const logOf = (text: string) => resolveConnection(nothing, { ...settings, GPUCLUSTER_LOG: text }).log;
  expect([" ", "json", "json:/tmp/a b.log"].map(logOf)).toEqual([undefined, "stderr", { file: "/tmp/a b.log" }]);
  for (const text of ["true", "json:here.log"]) expect(() => logOf(text)).toThrow(/^GPUCLUSTER_LOG must be json, or /);
});

const ofLastUp = "; `refresh` and `destroy` use that of the last `pulumi up`, and with `--run-program` the current one";
test.each<[ConfigOrigin, Record<string, string>, string, string]>([
  ["stack", inConfig, "gpucluster:apiKey of the stack", "gpucluster:baseUrl of the stack"],
  ["copy", inConfig, `gpucluster:apiKey of the stack${ofLastUp}`, `gpucluster:baseUrl of the stack${ofLastUp}`],
  ["provider", inConfig, "the provider's `apiKey`", "the provider's `baseUrl`"],
  ["copy", {}, "GPUCLUSTER_API_KEY of the environment", "GPUCLUSTER_BASE_URL of the environment"],
])("messages name the source of each value: %s, %j", (origin, values, apiKey, baseUrl) => {
  expect(resolveConnection(config(values), settings, origin).sources).toEqual({ apiKey, baseUrl });
});

const both = "GPUCLUSTER_BASE_URL and GPUCLUSTER_API_KEY of the environment are not used: ";
test.each<[string, ConfigOrigin, Record<string, string>, Record<string, string>, string | undefined]>([
  ["both differ", "copy", inConfig, settings, `${both}gpucluster:baseUrl of the stack and gpucluster:apiKey of`],
  [
    "the key differs",
    "provider",
    { "gpucluster:apiKey": "other" },
    settings,
    "the provider's `apiKey` has another value",
  ],
  ["they are the same", "stack", { "gpucluster:apiKey": key }, settings, undefined],
  ["there is no variable", "stack", inConfig, {}, undefined],
])("a line says which variables are not used if %s", (_what, origin, values, env, text) => {
  const said = unusedText(config(values), env, origin);
  if (text === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(text);
});

test("what such a provider is missing is to be given to it", () => {
  const missing = () => resolveConnection(nothing, {}, "provider");
  expect(missing).toThrow("set GPUCLUSTER_API_KEY in the environment, or set the provider's `apiKey`");
  expect(missing).toThrow("set GPUCLUSTER_BASE_URL in the environment, or set the provider's `baseUrl`");
  const settings = () => resolveSettings(config({ "gpucluster:maxHourlyCost": "much" }), "provider");
  expect(settings).toThrow("above 0, such as 12.5: set the provider's `maxHourlyCost`");
});

test("the plugin is told the config of the stack, if there is one", () => {
  const told = ['{"apiKey":"fresh"}', undefined, "null", "{apiKey"].map((text) => freshConfig({ PULUMI_CONFIG: text }));
  expect(told).toEqual([{ apiKey: "fresh" }, {}, {}, {}]);
});

test.each([
  ["https://api.example.com/gpu///", "https://api.example.com/gpu"],
  ["https://api.example.com:8443/v10", "https://api.example.com:8443/v10"],
  ["http://localhost:8080", "http://localhost:8080"],
  ["http://[::1]:8080", "http://[::1]:8080"],
])("the address %s is used as %s", (given, used) => {
  expect(resolveConnection(nothing, { ...settings, GPUCLUSTER_BASE_URL: given }).baseUrl).toBe(used);
});

const domain = "https://api.example.com";
const wrongAddresses: Record<string, string[]> = {
  // `new URL` would mend the last one.
  "is not a URL": ["api.example.com", "http://127.0.0.1:9/a/../..", "http://127.0.0.1\t:9"],
  "must begin with https://": ["ftp://api.example.com", "localhost:8080"],
  "http:// sends the API key unencrypted": ["http://10.0.0.1", "http://127.0.0.1.example.com", "http://[::2]"],
  "must not contain a user name or a password": ["https://user:hunter2@a.example.com"],
  "must not contain a query or a fragment": [`${domain}?org=1`, `${domain}/#`],
  "must end before /v1": [`${domain}/v1/`],
};
test.each(Object.entries(wrongAddresses).flatMap(([reason, all]) => all.map((given) => [given, reason] as const)))(
  "the address %s is refused, with what is right",
  (given, reason) => {
    const error = refusalOf({ ...settings, GPUCLUSTER_BASE_URL: given });
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain(reason);
    expect(String(error)).toContain("GPUCLUSTER_BASE_URL");
    expect(String(error)).not.toContain("hunter2");
  },
);

test.each([
  ["has a line break inside", `${key}\r\nx-evil: 1`, /visible ASCII characters only/],
  ["has a zero-width space", `${key}\u200b`, /visible ASCII characters only/],
  ["is too short to be one", "k3y", /fewer than 4 .*Set the whole key$/],
])("a key that %s is refused, and never shown", (_what, bad, why) => {
  const error = refusalOf({ ...settings, GPUCLUSTER_API_KEY: bad });
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toMatch(/^ConfigError: The API key \(GPUCLUSTER_API_KEY or /);
  expect(String(error)).toMatch(why);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(bad.slice(0, 20));
  expect(refusalOf({ ...settings, GPUCLUSTER_API_KEY: "k3y5" })).toBeUndefined();
});

test("a connection does not show its key", () => {
  const connection = resolveConnection(nothing, settings);
  expect(JSON.stringify(connection)).not.toContain(key);
  expect(inspect(connection, { depth: 10, showHidden: true })).not.toContain(key);
});

test("a key in the stack's config that is no secret is a warning, which does not show it", () => {
  const textOf = (values: Record<string, string>, isSecret: boolean) =>
    plainKeyText(config(values), () => isSecret, "Pulumi.dev.yaml");
  expect(textOf(inConfig, false)).toContain("`pulumi config set --secret gpucluster:apiKey`");
  expect(textOf(inConfig, false)).not.toContain("config-key");
  expect([textOf(inConfig, true), textOf({}, false)]).toEqual([undefined, undefined]);
});

test.each<[string, Record<string, string>, object]>([
  ["empty texts, which are as good as none", { strictPreview: "", capacityCheck: " ", maxHourlyCost: "\n" }, {}],
  [
    "words",
    { gpuTypeCheck: "off", requestNames: "client", capacityCheck: "error", resume: "9f3c41aa07be5d12" },
    { gpuTypeCheck: "off", requestNames: "client", capacityCheck: "error", resume: "9f3c41aa07be5d12" },
  ],
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
    resume: undefined,
  };
  expect(resolveSettings(config(named))).toEqual({ ...defaults, ...expected });
});

/** Each setting: what is right, and what is wrong. */
const rights: Record<string, [right: string, ...wrong: string[]]> = {
  strictPreview: ['"true" or "false"', "True"],
  capacityCheck: ['"warn" or "error"', "Error"],
  gpuTypeCheck: ['"error", "warn" or "off"', "no"],
  requestNames: ['"specification" or "client"', "both"],
  maxHourlyCost: ["a number above 0, such as 12.5", "0", "-1", "1,5", "10 USD", "0x10", "Infinity", "1e999"],
  resume: ["at least 8 visible ASCII characters, such as those of `openssl rand -hex 8`", "1234567", "with a space"],
};

test.each(Object.entries(rights))("a wrong gpucluster:%s is refused with what is right", (name, [right, ...wrong]) => {
  for (const text of wrong) {
    const resolve = () => resolveSettings(config({ [`gpucluster:${name}`]: text }));
    expect(resolve).toThrow(ConfigError);
    expect(resolve).toThrow(
      `gpucluster:${name} must be ${right}: run \`pulumi config set gpucluster:${name} <value>\``,
    );
  }
});

test("all settings that are wrong are named at once, and no text is quoted", () => {
  const canary = "canary 7f3a9e";
  const names = Object.keys(rights).map((name) => `gpucluster:${name}`);
  const resolve = () => resolveSettings(config(Object.fromEntries(names.map((name) => [name, canary]))));
  for (const name of names) expect(resolve).toThrow(`${name} must be`);
  expect(resolve).not.toThrow(canary);
});
