import { inspect } from "node:util";
import { ConfigError } from "../../../provider/base/errors";
import {
  type ConfigOrigin,
  freshConfig,
  heartbeatMs,
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
  ["the config alone", {}, inConfig, "config-key", "https://config.example.com"],
  ["both, where the config wins", settings, inConfig, "config-key", "https://config.example.com"],
  [
    "one from each",
    { GPUCLUSTER_API_KEY: key },
    { "gpucluster:baseUrl": "https://config.example.com" },
    key,
    "https://config.example.com",
  ],
  ["an empty config, as good as none", settings, { "gpucluster:apiKey": " ", "gpucluster:baseUrl": "" }, key, url],
  [
    "an empty variable, as good as none",
    { ...settings, GPUCLUSTER_API_KEY: " " },
    inConfig,
    "config-key",
    "https://config.example.com",
  ],
  ["values in white space", { GPUCLUSTER_API_KEY: ` ${key}\n`, GPUCLUSTER_BASE_URL: ` ${url} ` }, {}, key, url],
])("the connection is taken from %s", (_what, env, values, expectedKey, expectedUrl) => {
  const { apiKey, baseUrl } = resolveConnection(config(values), env);
  expect([apiKey.reveal(), baseUrl]).toEqual([expectedKey, expectedUrl]);
});

test.each([
  [undefined, undefined],
  [" ", undefined],
  ["json", "stderr"],
  ["json:/tmp/a b.log", { file: "/tmp/a b.log" }],
])("with GPUCLUSTER_LOG=%s, requests are logged to %j", (text, log) => {
  const { log: found } = resolveConnection(nothing, {
    ...settings,
    ...(text === undefined ? {} : { GPUCLUSTER_LOG: text }),
  });
  expect(found).toEqual(log);
});

test.each(["JSON", "true", "json:", "json:here.log", "/tmp/a.log"])("GPUCLUSTER_LOG=%s is an error", (text) => {
  expect(refusalOf({ ...settings, GPUCLUSTER_LOG: text })).toEqual(
    new ConfigError("GPUCLUSTER_LOG must be json, or json: with the absolute path of a file, such as json:/logs/a.log"),
  );
});

test.each([
  ["what the program gives it, before the environment", inConfig, settings, "config-key", "https://config.example.com"],
  ["the environment, where the program gives it nothing", {}, settings, key, url],
  ["one from each", { "gpucluster:apiKey": "config-key" }, settings, "config-key", url],
])("a provider that the program declares takes its connection from %s", (_what, values, env, key, url) => {
  const { apiKey, baseUrl } = resolveConnection(config(values), env, "provider");
  expect([apiKey.reveal(), baseUrl]).toEqual([key, url]);
});

const ofLastUp = "; `refresh` and `destroy` use that of the last `pulumi up`, and with `--run-program` the present one";
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
  [
    "both differ",
    "copy",
    inConfig,
    settings,
    `${both}gpucluster:baseUrl of the stack and gpucluster:apiKey of the stack have other values`,
  ],
  [
    "the key differs",
    "provider",
    { "gpucluster:apiKey": "config-key" },
    settings,
    "GPUCLUSTER_API_KEY of the environment is not used: the provider's `apiKey` has another value",
  ],
  ["they are the same", "stack", { "gpucluster:apiKey": key }, settings, undefined],
  ["there is no config", "stack", {}, settings, undefined],
  ["there is no variable", "stack", inConfig, {}, undefined],
])("a line says which variables are not used if %s", (_what, origin, values, env, text) => {
  expect(unusedText(config(values), env, origin)).toBe(text);
});

test("what such a provider is missing is to be given to it", () => {
  const missing = () => resolveConnection(nothing, {}, "provider");
  expect(missing).toThrow("set GPUCLUSTER_API_KEY in the environment, or set the provider's `apiKey`");
  expect(missing).toThrow("set GPUCLUSTER_BASE_URL in the environment, or the provider's `baseUrl`");
  const settings = () => resolveSettings(config({ "gpucluster:maxHourlyCost": "much" }), "provider");
  expect(settings).toThrow("above 0, such as 12.5: set the provider's `maxHourlyCost`");
});

test.each([
  ["the config of the stack", '{"apiKey":"fresh","baseUrl":"https://a.example.com"}', { apiKey: "fresh" }],
  ["nothing where there is none", undefined, {}],
  ["nothing of what cannot be read", "{apiKey", {}],
  ["nothing of what is no config", "null", {}],
])("the plugin is told %s", (_what, PULUMI_CONFIG, expected) => {
  expect(freshConfig({ PULUMI_CONFIG })).toMatchObject(expected);
});

test.each([
  ["the key", { GPUCLUSTER_BASE_URL: url }, ["GPUCLUSTER_API_KEY", "gpucluster:apiKey"]],
  ["the address", { GPUCLUSTER_API_KEY: key }, ["GPUCLUSTER_BASE_URL", "gpucluster:baseUrl"]],
  ["everything", {}, ["GPUCLUSTER_API_KEY", "gpucluster:apiKey", "GPUCLUSTER_BASE_URL", "gpucluster:baseUrl"]],
])("where %s is missing, one line names both places of each", (_what, env, places) => {
  const error = refusalOf(env);
  expect(error).toBeInstanceOf(ConfigError);
  for (const place of places) expect(String(error)).toContain(place);
  expect(String(error)).toContain("missing");
  expect(String(error)).not.toContain("\n");
});

test.each([
  ["https://api.example.com/", "https://api.example.com"],
  ["https://api.example.com///", "https://api.example.com"],
  ["https://api.example.com/gpu/", "https://api.example.com/gpu"],
  ...["https://api.example.com:8443", "https://api.example.com/v10"].map((same) => [same, same]),
  ...["http://localhost:8080", "http://127.0.0.1:8080", "http://127.9.8.7", "http://[::1]:8080"].map((own) => [
    own,
    own,
  ]),
])("the address %s is used as %s", (given, used) => {
  expect(resolveConnection(nothing, { ...settings, GPUCLUSTER_BASE_URL: given }).baseUrl).toBe(used);
});

const domain = "https://api.example.com";
const wrongAddresses: Record<string, string[]> = {
  "is not a URL": ["not a url", "api.example.com", "https://"],
  "must begin with https://": ["ftp://api.example.com", "file:///etc/passwd", "javascript:alert(1)", "localhost:8080"],
  "http:// sends the API key unencrypted": [
    ..."api.example.com 10.0.0.1 127.0.0.1.example.com localhost.example.com [::2]"
      .split(" ")
      .map((at) => `http://${at}`),
  ],
  "must not contain a user name or a password": ["user:hunter2@", "user@"].map(
    (user) => `https://${user}a.example.com`,
  ),
  "must not contain a query or a fragment": ["?org=1", "#top", "?", "/#", "/gpu?", "?#"].map((end) => domain + end),
  "must end before /v1": [`${domain}/v1`, `${domain}/v1/`],
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
  ["a space inside", `${key} x`],
  ["a line break inside", `${key}\r\nx-evil: 1`],
  ["a NUL", `${key}\u0000`],
  ["a zero-width space", `${key}\u200b`],
])("a key with %s is refused, and never shown", (_what, bad) => {
  const error = refusalOf({ ...settings, GPUCLUSTER_API_KEY: bad });
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain("GPUCLUSTER_API_KEY");
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(key);
});

test("a key that is too short to be one is refused, and never shown", () => {
  const error = refusalOf({ ...settings, GPUCLUSTER_API_KEY: "k3y" });
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toMatch(
    /^ConfigError: The API key \(GPUCLUSTER_API_KEY or .*fewer than 4 .*Set the whole key$/,
  );
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("k3y");
  expect(refusalOf({ ...settings, GPUCLUSTER_API_KEY: "k3y5" })).toBeUndefined();
});

test("everything that is wrong is said at once", () => {
  const error = refusalOf({ GPUCLUSTER_API_KEY: "a b", GPUCLUSTER_BASE_URL: "nope" });
  expect(String(error)).toMatch(/API key.*\. The address/);
});

test("a connection does not show its key", () => {
  const connection = resolveConnection(nothing, settings);
  expect(JSON.stringify(connection)).not.toContain(key);
  expect(inspect(connection, { depth: 10, showHidden: true })).not.toContain(key);
});

test.each([
  [{}, 15_000],
  [{ CI: "" }, 15_000],
  [{ CI: "true" }, 60_000],
])("with %p progress is repeated every %d ms", (env, expected) => {
  expect(heartbeatMs(env)).toBe(expected);
});

test.each<[string, Record<string, string>, string[], string[]]>([
  ["the key", inConfig, [], ["gpucluster:apiKey"]],
  ["no secret", inConfig, ["gpucluster:apiKey"], []],
  ["no key that is not there", {}, [], []],
  ["nothing that is not ours", { "aws:key": key }, [], []],
])("of keys in the stack's config a warning names %s", (_what, values, secrets, named) => {
  const text = plainKeyText(config(values), (name) => secrets.includes(name), "Pulumi.dev.yaml");
  const commands = named.map((name) => `\`pulumi config set --secret ${name}\``);
  expect((text ?? "").match(/`pulumi config set --secret \S+`/g) ?? []).toEqual(commands);
  for (const value of ["config-key", key]) expect(String(text)).not.toContain(value);
});

test.each<[string, Record<string, string>, object]>([
  ["nothing", {}, {}],
  ["a warning for an unlisted type", { gpuTypeCheck: "warn" }, { gpuTypeCheck: "warn" }],
  ["no check of types", { gpuTypeCheck: "off" }, { gpuTypeCheck: "off" }],
  ["the client's names", { requestNames: "client" }, { requestNames: "client" }],
  ["empty texts, which are as good as none", { strictPreview: "", capacityCheck: " ", maxHourlyCost: "\n" }, {}],
  ["a strict preview", { strictPreview: "true" }, { strictPreview: true }],
  ["an error for too few GPUs", { capacityCheck: "error" }, { capacityCheck: "error" }],
  ["a fraction as the limit", { maxHourlyCost: "0.25" }, { maxHourlyCost: 0.25 }],
  ["a number as YAML writes large ones", { maxHourlyCost: "1e+21" }, { maxHourlyCost: 1e21 }],
  ["a salt", { resume: "9f3c41aa07be5d12" }, { resume: "9f3c41aa07be5d12" }],
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

const rights = {
  strictPreview: '"true" or "false"',
  capacityCheck: '"warn" or "error"',
  gpuTypeCheck: '"error", "warn" or "off"',
  requestNames: '"specification" or "client"',
  maxHourlyCost: "a number above 0, such as 12.5",
  resume: "at least 8 visible ASCII characters, such as those of `openssl rand -hex 8`",
};

const wrongs: Record<string, string> = {
  strictPreview: "yes,1,True",
  capacityCheck: "fail,true,Error",
  gpuTypeCheck: "no,Warn",
  requestNames: "both,Client",
  maxHourlyCost: "0,-1,0.0,ten,10 USD,0x10,Infinity,1e999,NaN,.",
  resume: "1234567,true,with a space,grüße-grüße",
};
test.each([
  ["maxHourlyCost", "1,5"],
  ...Object.entries(wrongs).flatMap(([name, texts]) => texts.split(",").map((text) => [name, text])),
] as [keyof typeof rights, string][])("as gpucluster:%s, %j is refused with what is right", (name, text) => {
  const resolve = () => resolveSettings(config({ [`gpucluster:${name}`]: text }));
  expect(resolve).toThrow(ConfigError);
  expect(resolve).toThrow(
    `gpucluster:${name} must be ${rights[name]}: run \`pulumi config set gpucluster:${name} <value>\``,
  );
});

test.each([
  ["maxHourlyCostOfOrganization", "use gpucluster:maxHourlyCost of the stack, or maxHourlyCost of the cluster"],
  ["connections", "use a stack for each API key, or a Provider of pulumi-gpucluster/native for each"],
])("gpucluster:%s was removed, and the error says what to use", (name, instead) => {
  const resolve = (text: string) => resolveSettings(config({ [`gpucluster:${name}`]: text }));
  expect(() => resolve("long-value")).toThrow(new ConfigError(`gpucluster:${name} was removed: ${instead}`));
  expect(resolve(" ")).toEqual(resolveSettings(nothing));
});

test("all settings that are wrong are named at once, and no text is quoted", () => {
  const canary = "canary 7f3a9e";
  const names = Object.keys(rights).map((name) => `gpucluster:${name}`);
  const resolve = () => resolveSettings(config(Object.fromEntries(names.map((name) => [name, canary]))));
  for (const name of names) expect(resolve).toThrow(`${name} must be`);
  expect(resolve).not.toThrow(canary);
});
