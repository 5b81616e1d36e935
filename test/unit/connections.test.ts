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
const inSpace = { baseUrl: ` ${eu.baseUrl}/\n`, apiKeyEnv: " GPUCLUSTER_EU_KEY " };
const other = "https://other.example.com";
/** Entries as JSON has them, and the places of their keys. */
const of = (connections: unknown, env: Given["env"] = {}, config: Given["config"] = {}): Given => ({
  connections,
  env,
  config,
});
test.each<[string, Given, string, string?]>([
  ["a variable", of({ eu }, inEnv), "from-env"],
  ["the config", of({ eu }, {}, inConfig), "from-config"],
  ["both, where the variable wins", of({ eu }, inEnv, inConfig), "from-env"],
  ["a blank variable, which is as good as none", of({ eu }, { GPUCLUSTER_EU_KEY: " " }, inConfig), "from-config"],
  ["texts with white space around", of({ eu: inSpace }, { GPUCLUSTER_EU_KEY: " key-eu\n" }), "key-eu"],
  [
    "an entry without an address, which has the ordinary one",
    of({ eu: { apiKeyEnv: "GPUCLUSTER_EU_KEY" } }, { ...inEnv, GPUCLUSTER_BASE_URL: other }),
    "from-env",
    other,
  ],
  [
    "its own entry alone, where the ordinary key is set, and that of another entry is not",
    of({ us: { apiKeyEnv: "GPUCLUSTER_US_KEY" }, eu }, { ...inEnv, GPUCLUSTER_API_KEY: "ordinary" }),
    "from-env",
  ],
])("a named connection is taken from %s", (_what, given, key, url = eu.baseUrl) => {
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

const noField = "is not a field of an entry";
const noPlace = "`apiKeyEnv` or `apiKeyConfig` must name the place of the API key";
const notAnEntry = `${entry} must be an object with ${takes}`;
const inVariable = "set GPUCLUSTER_EU_KEY in the environment";
const inStack = "run `pulumi config set --secret gpucluster:euApiKey`";
const ofEu = (fields: unknown, env: Given["env"] = {}, config: Given["config"] = {}) => of({ eu: fields }, env, config);
const at = (baseUrl: string) => ofEu({ ...eu, baseUrl }, inEnv);
type Refused = [what: string, given: Given, ...texts: string[]];
const notOurs = [
  ...["AWS_SECRET_ACCESS_KEY", "GPUCLUSTER_", "MY_GPUCLUSTER_KEY", "gpucluster_key"].map(
    (apiKeyEnv): Refused => [apiKeyEnv, ofEu({ apiKeyEnv }, { [apiKeyEnv]: secret }), envRule],
  ),
  ...["aws:secretKey", "gpucluster:", "my:gpucluster:key", "GPUCLUSTER:key"].map(
    (apiKeyConfig): Refused => [apiKeyConfig, ofEu({ apiKeyConfig }, {}, { [apiKeyConfig]: secret }), configRule],
  ),
];

test.each<Refused>([
  ["no config", {}, `gpucluster:connections is not set, so there is no entry "eu": ${howTo}`],
  ["an empty config", of(" "), "gpucluster:connections is not set"],
  ["no entries", of({}), `${noEntry}: ${howTo}`],
  ["other entries", of({ EU: eu, "us-1": eu }), `${noEntry}: add it, or use one of the existing entries, "EU", "us-1"`],
  ["no JSON", of(`eu: ${secret}`), noObject],
  ["broken JSON", of(`{"eu":"${secret}`), noObject],
  ["a list", of([eu]), noObject],
  ["a JSON text", of(JSON.stringify(secret)), noObject],
  ["null", of("null"), noObject],
  ["the key as an entry", ofEu(secret), notAnEntry],
  ["an entry that is a list", ofEu([secret]), notAnEntry],
  ["an entry that is null", ofEu(null), notAnEntry],
  [
    "the key itself",
    ofEu({ apiKey: secret }),
    `${entry}: \`apiKey\` ${noField}, which has ${takes}; set the name of the place of the key, never the key itself`,
    `${entry}: ${noPlace}`,
  ],
  ["a field that is none", ofEu({ ...eu, url: secret }), `${entry}: \`url\` ${noField}`],
  ["a field of all objects", ofEu({ ...eu, toString: secret }), `\`toString\` ${noField}`],
  ["no place for the key", ofEu({ baseUrl: eu.baseUrl }), noPlace],
  ["the key for its variable", ofEu({ apiKeyEnv: secret }), envRule],
  ...notOurs,
  ["an empty variable", ofEu({ apiKeyEnv: "" }), envRule],
  ["an assignment", ofEu({ apiKeyEnv: `GPUCLUSTER_EU_KEY=${secret}` }), envRule],
  ["a number as the variable", ofEu({ apiKeyEnv: 5 }), `${entry}: \`apiKeyEnv\` must be a string`],
  ["the key for its config key", ofEu({ apiKeyConfig: secret }), configRule],
  ["a config key without a namespace", ofEu({ apiKeyConfig: "euApiKey" }), configRule],
  ["no address", at(secret), `${entry}: \`baseUrl\` is not a URL; it has the form https://api.example.com`],
  [
    "an address without TLS",
    at("http://eu.example.com"),
    "`baseUrl` must begin with https://, because http:// sends the API key unencrypted",
  ],
  ["a password", at(`https://me:${secret}@e.example.com`), "`baseUrl` must not contain a user name or a password"],
  ["an address with /v1", at("https://eu.example.com/v1"), "`baseUrl` must end before /v1"],
  ["neither the variable nor the config key set", ofEu(eu), `${unset}: ${inVariable}, or ${inStack}`],
  ["the variable not set", ofEu({ apiKeyEnv: "GPUCLUSTER_EU_KEY" }), `${unset}: ${inVariable}`],
  ["the config key not set", ofEu({ apiKeyConfig: "gpucluster:euApiKey" }), `${unset}: ${inStack}`],
  [
    "a key that cannot stand in a header",
    ofEu(eu, { GPUCLUSTER_EU_KEY: `${secret}\r\nX-Admin: 1` }),
    'The API key of the connection "eu" (GPUCLUSTER_EU_KEY or gpucluster:euApiKey) must be visible ASCII characters only',
  ],
  [
    "no address anywhere, and no key",
    ofEu({ apiKeyEnv: "GPUCLUSTER_EU_KEY" }, {}, { "gpucluster:baseUrl": "" }),
    unset,
    "The address of the service is missing: set GPUCLUSTER_BASE_URL in the environment",
  ],
  [
    "mistakes in several entries",
    of({ eu: { ...eu, key: secret, apiKeyEnv: secret, baseUrl: secret }, us: { apiKey: secret } }),
    ...[`${entry}: \`key\``, envRule, `${entry}: \`baseUrl\``, 'gpucluster:connections, entry "us": `apiKey`'],
  ],
  ["a mistake in another entry", of({ us: { apiKey: secret } }), `${noEntry}: add it`, 'entry "us": `apiKey`'],
])(
  "with %s, one line says everything that is wrong and what is right, and quotes no value",
  (_what, given, ...texts) => {
    const error = refusalOf("eu", given);
    for (const text of texts) expect(error.message).toContain(text);
    expect(error.message).not.toMatch(/[\r\n]/);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
  },
);

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
