import { format, inspect } from "node:util";
import { ConfigError, messageOf } from "../../../provider/base/errors";
import {
  type ConfigOrigin,
  resolveConnection,
  resolveSettings,
  Secret,
  unusedVariablesMessage,
} from "../../../provider/config/settings";

type Values = Record<string, string>;

const key = "sk-canary-0123456789";
const url = "https://api.example.com";
const inEnv = { GPUCLUSTER_API_KEY: key, GPUCLUSTER_BASE_URL: url };
const configKey = "config-key";
const configUrl = "https://config.example.com";
const inConfig = { "gpucluster:apiKey": configKey, "gpucluster:baseUrl": configUrl };
const nothing = () => undefined;
const config = (values: Values) => (name: string) => values[name];

function refusalOf(env: Values): unknown {
  try {
    resolveConnection(nothing, env);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("a connection", () => {
  it.each<[string, Values, Values, [string, string]]>([
    ["is read from the environment", inEnv, {}, [key, url]],
    ["is read from the config first", inEnv, inConfig, [configKey, configUrl]],
    ["can have values from both", { GPUCLUSTER_BASE_URL: url }, { "gpucluster:apiKey": configKey }, [configKey, url]],
    ["ignores empty config values", inEnv, { "gpucluster:apiKey": " ", "gpucluster:baseUrl": "" }, [key, url]],
    ["ignores white space", { GPUCLUSTER_API_KEY: ` ${key}\n`, GPUCLUSTER_BASE_URL: ` ${url} ` }, {}, [key, url]],
  ])("%s", (_name, env, values, expected) => {
    const { apiKey, baseUrl } = resolveConnection(config(values), env);
    expect([apiKey.reveal(), baseUrl]).toEqual(expected);
  });

  const copy = "use that of the last `pulumi up`, and with `--run-program` the current one";
  it.each<[ConfigOrigin, Values, string]>([
    ["stack", inConfig, "gpucluster:apiKey of the stack"],
    ["copy", inConfig, `gpucluster:apiKey of the stack; \`refresh\` and \`destroy\` ${copy}`],
    ["provider", inConfig, "the provider's `apiKey`"],
    ["copy", {}, "GPUCLUSTER_API_KEY of the environment"],
  ])("%s: names its sources", (origin, values, apiKey) => {
    const baseUrl = apiKey.replace("apiKey", "baseUrl").replace("API_KEY", "BASE_URL");
    expect(resolveConnection(config(values), inEnv, origin).sources).toEqual({ apiKey, baseUrl });
  });

  it("logs to standard error or to an absolute path", () => {
    const logOf = (text: string) => resolveConnection(nothing, { ...inEnv, GPUCLUSTER_LOG: text }).log;
    expect([" ", "json", "json:/tmp/a b.log"].map(logOf)).toEqual([undefined, "stderr", { file: "/tmp/a b.log" }]);
    for (const text of ["true", "json:here.log"])
      expect(() => logOf(text)).toThrow(/^GPUCLUSTER_LOG must be json, or /);
  });
});

const setKey = "run `pulumi config set --secret gpucluster:apiKey`";
const setUrl = "run `pulumi config set gpucluster:baseUrl <value>`";
test.each<[ConfigOrigin, string, string]>([
  ["stack", setKey, setUrl],
  ["provider", "set the provider's `apiKey`", "set the provider's `baseUrl`"],
])("%s: the error of a missing setting has every place where it can be set", (origin, keyAdvice, urlAdvice) => {
  const resolve = () => resolveConnection(nothing, {}, origin);
  expect(resolve).toThrow(`The API key is missing: set GPUCLUSTER_API_KEY in the environment, or ${keyAdvice}`);
  expect(resolve).toThrow(`is missing: set GPUCLUSTER_BASE_URL in the environment, or ${urlAdvice}`);
});

test("a message names the variables of the environment that are not used", () => {
  expect(unusedVariablesMessage(config(inConfig), inEnv, "copy")).toBe(
    "GPUCLUSTER_BASE_URL and GPUCLUSTER_API_KEY of the environment are not used: " +
      "gpucluster:baseUrl of the stack and gpucluster:apiKey of the stack have other values",
  );
  expect(unusedVariablesMessage(config({ "gpucluster:apiKey": "other" }), inEnv, "provider")).toBe(
    "GPUCLUSTER_API_KEY of the environment is not used: the provider's `apiKey` has another value",
  );
  expect(unusedVariablesMessage(config({ "gpucluster:apiKey": key }), inEnv)).toBeUndefined();
  expect(unusedVariablesMessage(config(inConfig), {})).toBeUndefined();
});

describe("an address", () => {
  it("is normalized", () => {
    const used = ["https://api.example.com/gpu///", "https://api.example.com:8443/v10", "http://[::1]:8080"];
    const addresses = used.map((each) => resolveConnection(nothing, { ...inEnv, GPUCLUSTER_BASE_URL: each }).baseUrl);
    expect(addresses).toEqual(["https://api.example.com/gpu", ...used.slice(1)]);
  });

  it.each([
    // `new URL` would correct the last one.
    ["is not a URL", "api.example.com", "http://127.0.0.1:9/a/../..", "http://127.0.0.1\t:9"],
    ["must begin with https://", "ftp://api.example.com", "localhost:8080"],
    ["http:// sends the API key unencrypted", "http://10.0.0.1", "http://127.0.0.1.example.com", "http://[::2]"],
    ["must not contain a user name or a password", "https://user:hunter2@a.example.com"],
    ["must not contain a query or a fragment", `${url}?org=1`, `${url}/#`],
    ["must end before /v1", `${url}/v1/`],
  ])("%s: is the reason of a refusal", (reason, ...addresses) => {
    for (const address of addresses) {
      const error = refusalOf({ ...inEnv, GPUCLUSTER_BASE_URL: address });
      expect(error).toBeInstanceOf(ConfigError);
      expect(messageOf(error)).toMatch(/^The address of the service \(GPUCLUSTER_BASE_URL or /);
      expect(String(error)).toContain(reason);
      expect(String(error)).not.toContain("hunter2");
    }
  });
});

describe("an API key", () => {
  it.each([
    ["is refused and not shown if it has a line break", `${key}\r\nx-evil: 1`, /visible ASCII characters only/],
    ["is refused and not shown if it has a zero-width space", `${key}\u200b`, /visible ASCII characters only/],
    ["is refused and not shown if it is too short", "k3y", /fewer than 4 .*Set the whole key$/],
  ])("%s", (_name, bad, reason) => {
    const error = refusalOf({ ...inEnv, GPUCLUSTER_API_KEY: bad });
    expect(error).toBeInstanceOf(ConfigError);
    expect(messageOf(error)).toMatch(/^The API key \(GPUCLUSTER_API_KEY or /);
    expect(messageOf(error)).toMatch(reason);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(bad.slice(0, 20));
    expect(refusalOf({ ...inEnv, GPUCLUSTER_API_KEY: "k3y5" })).toBeUndefined();
  });
});

describe("the settings", () => {
  const prefixed = (values: Values) =>
    config(Object.fromEntries(Object.entries(values).map(([name, value]) => [`gpucluster:${name}`, value])));

  it("have defaults, even if config values are empty", () => {
    const values = { previewChecks: " ", maxHourlyCost: "\n" };
    expect(resolveSettings(prefixed(values))).toEqual({
      previewChecks: "default",
    });
  });

  it("are read from the config", () => {
    const words = { requestNames: "client", resume: "9f3c41aa07be5d12" };
    const values = { ...words, previewChecks: " strict\n", maxHourlyCost: "1e+21" };
    expect(resolveSettings(prefixed(values))).toEqual({ ...words, previewChecks: "strict", maxHourlyCost: 1e21 });
  });

  it.each<[string, string | undefined, string | undefined, object]>([
    ["below that of the stack is one more limit", "50", "9", { maxHourlyCost: 50, providerMaxHourlyCost: 9 }],
    ["that is not below that of the stack limits nothing more", "9", "50", { maxHourlyCost: 9 }],
    ["limits the provider alone if the stack has none", undefined, "9", { providerMaxHourlyCost: 9 }],
  ])("a maxHourlyCost of a provider %s", (_title, ofStack, ofProvider, limits) => {
    const read = (name: string, source?: "stack") => {
      if (!name.endsWith("maxHourlyCost")) return undefined;
      return source === "stack" ? ofStack : ofProvider;
    };
    expect(resolveSettings(read, "provider")).toEqual({ previewChecks: "default", ...limits });
  });

  /** The description of the valid values, and invalid ones. */
  const invalid: Record<string, [valid: string, ...values: string[]]> = {
    previewChecks: ['"warn", "default" or "strict"', "Strict", "error", "true"],
    requestNames: ['"specification" or "client"', "both"],
    maxHourlyCost: ["a number above 0, such as 12.5", "0", "-1", "1,5", "10 USD", "0x10", "Infinity", "1e999"],
    resume: ["at least 8 visible ASCII characters, such as those of `openssl rand -hex 8`", "1234567", "with a space"],
  };

  it.each(Object.entries(invalid))("%s: name the valid values", (name, [valid, ...values]) => {
    const inStack = `run \`pulumi config set gpucluster:${name} <value>\``;
    for (const value of values) {
      const resolve = (origin: ConfigOrigin) => () => resolveSettings(prefixed({ [name]: value }), origin);
      expect(resolve("stack")).toThrow(ConfigError);
      expect(resolve("stack")).toThrow(`gpucluster:${name} must be ${valid}: ${inStack}`);
      expect(resolve("provider")).toThrow(`must be ${valid}: set the provider's \`${name}\`, or ${inStack}`);
    }
  });

  it("name all invalid values at once, and quote none", () => {
    const canary = "canary 7f3a9e";
    const names = Object.keys(invalid);
    const resolve = () => resolveSettings(prefixed(Object.fromEntries(names.map((name) => [name, canary]))));
    for (const name of names) expect(resolve).toThrow(`gpucluster:${name} must be`);
    expect(resolve).not.toThrow(canary);
  });
});

test.each<[string, (given: Secret) => string]>([
  ["a template", (given) => `${given}`],
  ["JSON", (given) => JSON.stringify({ given })],
  ["inspect", (given) => inspect({ given }, { depth: 10, showHidden: true, getters: true })],
  ["inspect without custom inspection", (given) => inspect(given, { customInspect: false, showHidden: true })],
  ["format", (given) => format("%s %o %O %j", given, given, given, given)],
])("%s: a secret does not show", (_what, show) => {
  const secret = new Secret("canary-0123456789");
  expect(secret.reveal()).toBe("canary-0123456789");
  expect(show(secret)).not.toContain("canary");
});
