import { inspect } from "node:util";
import { resolveConnection } from "../../provider/config";
import { ConfigError } from "../../provider/errors";

const secret = "sk-canary-0123456789";
const ordinary = { "gpucluster:apiKey": "ordinary-key", "gpucluster:baseUrl": "https://api.example.com" };
const eu = { baseUrl: "https://eu.example.com", apiKeyEnv: "GPUCLUSTER_EU_KEY", apiKeyConfig: "gpucluster:euApiKey" };

interface Given {
  /** The value of `gpucluster:connections`; no text where it is not one already. */
  readonly connections?: unknown;
  readonly config?: Record<string, string>;
  readonly env?: Record<string, string>;
}

function resolve(name: string, { connections, config = {}, env = {} }: Given) {
  const text = typeof connections === "string" ? connections : JSON.stringify(connections);
  const values: Record<string, string | undefined> = { ...ordinary, "gpucluster:connections": text, ...config };
  return resolveConnection((key) => values[key], env, name);
}

function refusalOf(name: string, given: Given): Error {
  try {
    resolve(name, given);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

const inEnv = { GPUCLUSTER_EU_KEY: "from-env" };
const inConfig = { "gpucluster:euApiKey": "from-config" };
test.each<[string, Given, string, string]>([
  ["a variable", { connections: { eu }, env: inEnv }, "from-env", eu.baseUrl],
  ["the config", { connections: { eu }, config: inConfig }, "from-config", eu.baseUrl],
  ["both, where the variable wins", { connections: { eu }, env: inEnv, config: inConfig }, "from-env", eu.baseUrl],
  [
    "a blank variable, which is as good as none",
    { connections: { eu }, env: { GPUCLUSTER_EU_KEY: " " }, config: inConfig },
    "from-config",
    eu.baseUrl,
  ],
  [
    "texts with white space around",
    {
      connections: { eu: { baseUrl: ` ${eu.baseUrl}/\n`, apiKeyEnv: " GPUCLUSTER_EU_KEY " } },
      env: { GPUCLUSTER_EU_KEY: " key-eu\n" },
    },
    "key-eu",
    eu.baseUrl,
  ],
  [
    "an entry without an address, which has the ordinary one",
    {
      connections: { eu: { apiKeyEnv: "GPUCLUSTER_EU_KEY" } },
      env: { ...inEnv, GPUCLUSTER_BASE_URL: "https://other.example.com" },
    },
    "from-env",
    "https://other.example.com",
  ],
  [
    "its own entry alone, where the ordinary key is set, and that of another entry is not",
    {
      connections: { us: { apiKeyEnv: "GPUCLUSTER_US_KEY" }, eu },
      env: { ...inEnv, GPUCLUSTER_API_KEY: "ordinary" },
    },
    "from-env",
    eu.baseUrl,
  ],
])("a named connection is taken from %s", (_what, given, key, url) => {
  const { apiKey, baseUrl } = resolve("eu", given);
  expect([apiKey.reveal(), baseUrl]).toEqual([key, url]);
});

test.each(["__proto__", "constructor", "toString", "a b", "EU", "日本"])("an entry may be called %j", (name) => {
  const connections = `{${JSON.stringify(name)}:{"apiKeyEnv":"GPUCLUSTER_EU_KEY"}}`;
  expect(resolve(name, { connections, env: inEnv }).apiKey.reveal()).toBe("from-env");
});

const noEntry = 'gpucluster:connections has no entry "eu"';
const takes = "`apiKeyEnv` or `apiKeyConfig`, and optionally `baseUrl`";
const entry = 'gpucluster:connections, entry "eu"';
const envRule = `${entry}: \`apiKeyEnv\` must be the name of an environment variable that begins with GPUCLUSTER_, in capital letters, such as`;
const configRule = `${entry}: \`apiKeyConfig\` must be the full name of a config key that begins with gpucluster:, such as gpucluster:euApiKey`;
const noObject = "gpucluster:connections must be an object of names and their connections, in JSON: set it to";
const howTo = "set it to a JSON object such as {";
const unset = 'The API key of the connection "eu" is missing';

type Refused = [what: string, given: Given, texts: string[]];

test.each<Refused>([
  ["no config", {}, [`gpucluster:connections is not set, so there is no entry "eu": ${howTo}`]],
  ["an empty config", { connections: " " }, ["gpucluster:connections is not set"]],
  ["no entries", { connections: {} }, [`${noEntry}: ${howTo}`]],
  [
    "other entries",
    { connections: { EU: eu, "us-1": eu } },
    [`${noEntry}: add it, or use one of the existing entries, "EU", "us-1"`],
  ],
  ["no JSON", { connections: `eu: ${secret}` }, [noObject]],
  ["broken JSON", { connections: `{"eu":"${secret}` }, [noObject]],
  ["a list", { connections: [eu] }, [noObject]],
  ["a JSON text", { connections: JSON.stringify(secret) }, [noObject]],
  ["null", { connections: "null" }, [noObject]],
  ["the key as an entry", { connections: { eu: secret } }, [`${entry} must be an object with ${takes}`]],
  ["an entry that is a list", { connections: { eu: [secret] } }, [`${entry} must be an object with ${takes}`]],
  ["an entry that is null", { connections: { eu: null } }, [`${entry} must be an object with ${takes}`]],
  [
    "the key itself",
    { connections: { eu: { apiKey: secret } } },
    [
      `${entry}: \`apiKey\` is not a field of an entry, which has ${takes}; set the name of the place of the key, never the key itself`,
      `${entry}: \`apiKeyEnv\` or \`apiKeyConfig\` must name the place of the API key`,
    ],
  ],
  [
    "a field that is none",
    { connections: { eu: { ...eu, url: secret } } },
    [`${entry}: \`url\` is not a field of an entry`],
  ],
  [
    "a field of all objects",
    { connections: { eu: { ...eu, toString: secret } } },
    ["`toString` is not a field of an entry"],
  ],
  ["no place for the key", { connections: { eu: { baseUrl: eu.baseUrl } } }, ["must name the place of the API key"]],
  ["the key for its variable", { connections: { eu: { apiKeyEnv: secret } } }, [envRule]],
  ...["AWS_SECRET_ACCESS_KEY", "GPUCLUSTER_", "MY_GPUCLUSTER_KEY", "gpucluster_key"].map(
    (apiKeyEnv): Refused => [
      `the variable ${apiKeyEnv}, which is not ours`,
      { connections: { eu: { apiKeyEnv } }, env: { [apiKeyEnv]: secret } },
      [envRule],
    ],
  ),
  ...["aws:secretKey", "gpucluster:", "my:gpucluster:key", "GPUCLUSTER:key"].map(
    (apiKeyConfig): Refused => [
      `the config key ${apiKeyConfig}, which is not ours`,
      { connections: { eu: { apiKeyConfig } }, config: { [apiKeyConfig]: secret } },
      [configRule],
    ],
  ),
  ["an empty variable", { connections: { eu: { apiKeyEnv: "" } } }, [envRule]],
  ["an assignment", { connections: { eu: { apiKeyEnv: `GPUCLUSTER_EU_KEY=${secret}` } } }, [envRule]],
  ["a number as the variable", { connections: { eu: { apiKeyEnv: 5 } } }, [`${entry}: \`apiKeyEnv\` must be a string`]],
  ["the key for its config key", { connections: { eu: { apiKeyConfig: secret } } }, [configRule]],
  ["a config key without a namespace", { connections: { eu: { apiKeyConfig: "euApiKey" } } }, [configRule]],
  [
    "an address that is none",
    { connections: { eu: { ...eu, baseUrl: secret } }, env: inEnv },
    [`${entry}: \`baseUrl\` is not a URL; it has the form https://api.example.com`],
  ],
  [
    "an address without TLS",
    { connections: { eu: { ...eu, baseUrl: "http://eu.example.com" } }, env: inEnv },
    ["`baseUrl` must begin with https://, because http:// sends the API key unencrypted"],
  ],
  [
    "an address with a password",
    { connections: { eu: { ...eu, baseUrl: `https://me:${secret}@eu.example.com` } }, env: inEnv },
    ["`baseUrl` must not contain a user name or a password"],
  ],
  [
    "an address with /v1",
    { connections: { eu: { ...eu, baseUrl: "https://eu.example.com/v1" } }, env: inEnv },
    ["`baseUrl` must end before /v1"],
  ],
  [
    "neither the variable nor the config key set",
    { connections: { eu } },
    [`${unset}: set GPUCLUSTER_EU_KEY in the environment, or run \`pulumi config set --secret gpucluster:euApiKey\``],
  ],
  [
    "the variable not set",
    { connections: { eu: { apiKeyEnv: "GPUCLUSTER_EU_KEY" } } },
    [`${unset}: set GPUCLUSTER_EU_KEY in the environment`],
  ],
  [
    "the config key not set",
    { connections: { eu: { apiKeyConfig: "gpucluster:euApiKey" } } },
    [`${unset}: run \`pulumi config set --secret gpucluster:euApiKey\``],
  ],
  [
    "a key that cannot stand in a header",
    { connections: { eu }, env: { GPUCLUSTER_EU_KEY: `${secret}\r\nX-Admin: 1` } },
    [
      'The API key of the connection "eu" (GPUCLUSTER_EU_KEY or gpucluster:euApiKey) must be visible ASCII characters only',
    ],
  ],
  [
    "no address anywhere, and no key",
    { connections: { eu: { apiKeyEnv: "GPUCLUSTER_EU_KEY" } }, config: { "gpucluster:baseUrl": "" } },
    [unset, "The address of the service is missing: set GPUCLUSTER_BASE_URL in the environment"],
  ],
  [
    "mistakes in several entries",
    { connections: { eu: { ...eu, key: secret, apiKeyEnv: secret, baseUrl: secret }, us: { apiKey: secret } } },
    [`${entry}: \`key\``, envRule, `${entry}: \`baseUrl\``, 'gpucluster:connections, entry "us": `apiKey`'],
  ],
  [
    "a mistake in another entry than the one that is missing",
    { connections: { us: { apiKey: secret } } },
    [`${noEntry}: add it`, 'entry "us": `apiKey`'],
  ],
])("with %s, one line says everything that is wrong and what is right, and quotes no value", (_what, given, texts) => {
  const error = refusalOf("eu", given);
  for (const text of texts) expect(error.message).toContain(text);
  expect(error.message).not.toMatch(/[\r\n]/);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
});

test("a name is made safe to print", () => {
  const { message } = refusalOf("\u001b[31meu\n", { connections: { "\u001b[32mus": eu } });
  expect(message).toMatch(
    /^gpucluster:connections has no entry "eu": add it, or use one of the existing entries, "us"$/,
  );
});

test("without a name the entries do not matter", () => {
  const values = { ...ordinary, "gpucluster:connections": "broken" };
  const { apiKey, baseUrl } = resolveConnection((name) => Reflect.get(values, name), {});
  expect([apiKey.reveal(), baseUrl]).toEqual(["ordinary-key", "https://api.example.com"]);
});
