import { isRecord } from "./core";
import { ConfigError } from "./errors";
import { cleanText } from "./text";

/**
 * The config `gpucluster:connections`: organizations by name, each with the places of its API key. The config is not
 * secret, so it must not contain a key. A text is quoted only if it has the form of a place, because it may be a key by
 * mistake.
 */

/** The address of the service, and the place of the API key, for one organization. */
export interface ConnectionEntry {
  /** Address of the service. Default: the address of the environment or of the stack. */
  readonly baseUrl?: string;
  /**
   * Name of the environment variable that contains the key; it begins with `GPUCLUSTER_`. It has priority over
   * `apiKeyConfig`, except in an explicit provider.
   */
  readonly apiKeyEnv?: string;
  /** Name of the config key that contains the key; it begins with `gpucluster:`. */
  readonly apiKeyConfig?: string;
}

const config = "gpucluster:connections";
const takes = "`apiKeyEnv` or `apiKeyConfig`, and optionally `baseUrl`";
const example = '{"eu":{"baseUrl":"https://eu.example.com","apiKeyEnv":"GPUCLUSTER_API_KEY_EU"}}';
const howTo = `set it to a JSON object such as ${example}`;

/**
 * The problem of a field's text. An entry may name only places of this package. Otherwise anybody who can write the
 * config could send any secret of the environment, such as a cloud key, to an address of their own.
 */
const fieldProblems: Record<keyof ConnectionEntry, (text: string) => string | undefined> = {
  baseUrl: problemOfUrl,
  // Capitals only: any other text here is most likely the key itself, by mistake.
  apiKeyEnv: (text) =>
    /^GPUCLUSTER_[A-Z0-9_]+$/.test(text)
      ? undefined
      : "must be the name of an environment variable that begins with GPUCLUSTER_, in capital letters, such as " +
        "GPUCLUSTER_API_KEY_EU",
  apiKeyConfig: (text) =>
    /^gpucluster:[A-Za-z][\w.-]*$/.test(text)
      ? undefined
      : "must be the full name of a config key that begins with gpucluster:, such as gpucluster:euApiKey",
};

/**
 * One entry of the config. All entries are judged: otherwise a mistake in another entry would show one run later, with
 * another resource.
 * @throws ConfigError that names each problem, and its remedy.
 */
export function findEntry(text: string | undefined, name: string): ConnectionEntry {
  if (!text?.trim()) throw new ConfigError(`${config} is not set, so there is no entry ${quote(name)}: ${howTo}`);
  const entries = parse(text);
  const problems = Object.entries(entries).flatMap(([key, entry]) =>
    problemsOf(entry, `${config}, entry ${quote(key)}`),
  );
  if (!Object.hasOwn(entries, name)) problems.unshift(`${config} has no entry ${quote(name)}: ${otherWays(entries)}`);
  if (problems.length > 0) throw new ConfigError(problems.join(". "));
  return entryOf(entries[name]);
}

/** The config keys that the entries name for their API keys, as far as the config can be read. */
export function keyConfigsIn(text: string | undefined): string[] {
  const entries = parseJson(text ?? "");
  const places = Object.values(isRecord(entries) ? entries : {}).map((entry) => entryOf(entry).apiKeyConfig ?? "");
  return places.filter((place) => fieldProblems.apiKeyConfig(place) === undefined);
}

function otherWays(entries: Record<string, unknown>): string {
  const names = Object.keys(entries).map(quote);
  return names.length > 0 ? `add it, or use one of the existing entries, ${names.join(", ")}` : howTo;
}

function parse(text: string): Record<string, unknown> {
  const entries = parseJson(text);
  if (isRecord(entries)) return entries;
  throw new ConfigError(`${config} must be an object of names and their connections, in JSON: ${howTo}`);
}

/** Omits the parser's own error, which quotes the text. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemsOf(entry: unknown, where: string): string[] {
  if (!isRecord(entry)) return [`${where} must be an object with ${takes}`];
  const problems = Object.entries(entry).map(([field, value]) => problemOfField(field, value));
  if (entry["apiKeyEnv"] === undefined && entry["apiKeyConfig"] === undefined) {
    problems.push("`apiKeyEnv` or `apiKeyConfig` must name the place of the API key");
  }
  return problems.filter((problem) => problem !== undefined).map((problem) => `${where}: ${problem}`);
}

function problemOfField(field: string, value: unknown): string | undefined {
  const name = `\`${cleanText(field, 60)}\``;
  if (!isField(field)) {
    return `${name} is not a field of an entry, which has ${takes}; set the name of the place of the key, never the key itself`;
  }
  const problem = typeof value === "string" ? fieldProblems[field](value.trim()) : "must be a string";
  return problem && `${name} ${problem}`;
}

function isField(field: string): field is keyof ConnectionEntry {
  return Object.hasOwn(fieldProblems, field);
}

function entryOf(entry: unknown): ConnectionEntry {
  return isRecord(entry)
    ? Object.fromEntries(Object.entries(entry).map(([field, value]) => [field, String(value).trim()]))
    : {};
}

function quote(name: string): string {
  return `"${cleanText(name, 100)}"`;
}

/** The problem of a service's address, as the end of a sentence; `undefined` if there is none. */
export function problemOfUrl(url: string): string | undefined {
  if (!isPlainUrl(url)) return "is not a URL; it has the form https://api.example.com";
  return urlRules.find(({ broken }) => broken(new URL(url), url))?.text;
}

/** The normal form of an address that `problemOfUrl` accepts: without a slash at the end, its host in lower case. */
export function normalizeUrl(url: string): string {
  return new URL(url).href.replace(/\/+$/, "");
}

/** `new URL` corrects and drops much; a text that it would change is a mistake. */
function isPlainUrl(url: string): boolean {
  return !/[^\x21-\x7e]|[\\<>{}^`|"]|\/\.{1,2}(\/|$)/.test(url) && URL.canParse(url);
}

const urlRules: readonly { broken(url: URL, text: string): boolean; text: string }[] = [
  { broken: (_url, text) => !/^https?:\/\/[^/]/i.test(text), text: "must begin with https://" },
  {
    broken: (url) => url.protocol === "http:" && !isLoopback(url.hostname),
    text: "must begin with https://, because http:// sends the API key unencrypted; http:// is for this machine only",
  },
  { broken: (url) => url.username + url.password !== "", text: "must not contain a user name or a password" },
  { broken: (_url, text) => /[?#]/.test(text), text: "must not contain a query or a fragment" },
  {
    broken: (url) => /\/v1(\/|$)/i.test(url.pathname),
    text: "must end before /v1: the paths of the API begin with it",
  },
];

/** Whether a host is the local machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
