import { shortestKey } from "./api/redact/keyHider";
import { cleanText } from "./api/text";
import { findEntry, keyConfigsIn, normalizeUrl, problemOfUrl } from "./connections";
import { ConfigError } from "./errors";
import { Secret } from "./secret";

/** Which service, and which organization of it. */
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** The names of the fields in requests; absent: found out from what the service answers. */
  readonly requestNames?: RequestNames;
}

/** What the stack says of all its clusters. */
export interface Settings {
  /** Whether a preview fails where a service that does not answer would otherwise be one warning; default false. */
  readonly strictPreview: boolean;
  /** What a cluster is for which not enough GPUs can be had; default `warn`. */
  readonly capacityCheck: CapacityCheck;
  /**
   * What a cluster is whose GPU type the service does not list: `error` fails the preview, `warn` leaves it to the service,
   * `off` does not compare; default `error`. A list that cannot be read with certainty is never an error.
   */
  readonly gpuTypeCheck: GpuTypeCheck;
  /**
   * The names of the fields in requests: those of the `specification`, or those that the official `client` sends. Default:
   * found out from what the service answers, before the first creation.
   */
  readonly requestNames?: RequestNames;
  /** The most that all clusters together may cost in an hour; absent: no limit. */
  readonly maxHourlyCost?: number;
}

/**
 * What a preview does with a cluster for which not enough GPUs can be had.
 *
 * - `warn`: The preview warns.
 * - `error`: The preview fails.
 */
export type CapacityCheck = "warn" | "error";
/**
 * What a preview does with a cluster whose GPU type the service does not list.
 *
 * - `error`: The preview fails.
 * - `warn`: The preview warns, and the service decides.
 * - `off`: GPU types are not compared with the list.
 */
export type GpuTypeCheck = "error" | "warn" | "off";
/**
 * The names of the fields in requests.
 *
 * - `specification`: The names of the service's public specification.
 * - `client`: The names that the service's official Python client sends.
 */
export type RequestNames = "specification" | "client";

type Environment = Readonly<Record<string, string | undefined>>;
/** Reads one Pulumi config value by its full name, such as `gpucluster:apiKey`. */
export type ReadConfig = (name: string) => string | undefined;

/** Where a value is found. */
interface Places {
  readonly variable?: string;
  readonly config?: string;
}

const ordinaryKey = { variable: "GPUCLUSTER_API_KEY", config: "gpucluster:apiKey" } satisfies Places;
const ordinaryUrl: Places = { variable: "GPUCLUSTER_BASE_URL", config: "gpucluster:baseUrl" };

/**
 * Where the service is and how to sign in; with a name, as that entry of `gpucluster:connections` says. The environment
 * comes before the stack's config: the engine stores config in the state and hands out that stored, possibly outdated copy
 * in refresh and destroy. What a program gives a provider of its own (`isExplicit`) comes before the environment.
 * @throws ConfigError that names everything that is missing or wrong, and every place where it can be set.
 */
export function resolveConnection(
  readConfig: ReadConfig,
  env: Environment = process.env,
  name?: string,
  isExplicit = false,
): Connection {
  const entry = name === undefined ? undefined : findEntry(readConfig("gpucluster:connections"), name);
  const keyPlaces: Places = entry ? { variable: entry.apiKeyEnv, config: entry.apiKeyConfig } : ordinaryKey;
  const apiKey = valueAt(keyPlaces);
  const baseUrl = entry?.baseUrl ?? valueAt(ordinaryUrl);
  const whose = name === undefined ? "" : ` of the connection "${cleanText(name, 100)}"`;
  const problems = [problemOfKey(apiKey, keyPlaces, whose, isExplicit), problemOfOrdinaryUrl(baseUrl, isExplicit)];
  const found = problems.filter((problem) => problem !== undefined);
  if (apiKey === undefined || baseUrl === undefined || found.length > 0) throw new ConfigError(found.join(". "));
  // A wrong value is reported with the other settings, before any resource is created.
  const requestNames = toRequestNames(readConfig("gpucluster:requestNames")?.trim() ?? "");
  return { baseUrl: normalizeUrl(baseUrl), apiKey: new Secret(apiKey), ...(requestNames ? { requestNames } : {}) };

  function valueAt({ variable, config }: Places): string | undefined {
    const fromEnv = (variable && env[variable]?.trim()) || undefined;
    const fromConfig = (config && readConfig(config)?.trim()) || undefined;
    return isExplicit ? (fromConfig ?? fromEnv) : (fromEnv ?? fromConfig);
  }
}

/**
 * What is said of API keys in the stack's config that are not marked as secrets; `undefined` if there are none.
 * @param places Where such a key stands in clear.
 */
export function plainKeyText(
  readConfig: ReadConfig,
  isSecret: (name: string) => boolean,
  places: string,
): string | undefined {
  const names = [ordinaryKey.config, ...keyConfigsIn(readConfig("gpucluster:connections"))];
  const plain = [...new Set(names)].filter((name) => readConfig(name)?.trim() && !isSecret(name));
  if (plain.length === 0) return undefined;
  const commands = plain.map((name) => `\`pulumi config set --secret ${name}\``).join(" and ");
  const what = plain.length === 1 ? `The API key ${plain} stands` : `The API keys ${plain.join(" and ")} stand`;
  return `${what} in clear in ${places}. Run ${commands}, then \`pulumi up\`; if others may have read it, with a new key`;
}

/**
 * The settings of the stack, or of a provider that the program declares: the environment has none.
 * @throws ConfigError that names everything that is wrong, and what is right.
 */
export function resolveSettings(readConfig: ReadConfig, isExplicit = false): Settings {
  const problems: string[] = [];
  const settings: Settings = {
    strictPreview: setting("strictPreview", '"true" or "false"', toFlag) ?? false,
    capacityCheck: setting("capacityCheck", '"warn" or "error"', oneOf("warn", "error")) ?? "warn",
    gpuTypeCheck: setting("gpuTypeCheck", '"error", "warn" or "off"', oneOf("error", "warn", "off")) ?? "error",
    requestNames: setting("requestNames", '"specification" or "client"', toRequestNames),
    maxHourlyCost: setting("maxHourlyCost", "a number above 0, such as 12.5", toCost),
  };
  if (problems.length > 0) throw new ConfigError(problems.join(". "));
  return settings;

  function setting<T>(name: string, right: string, parse: (text: string) => T | undefined): T | undefined {
    const text = readConfig(`gpucluster:${name}`)?.trim();
    if (!text) return undefined;
    const value = parse(text);
    if (value === undefined) {
      const config = `gpucluster:${name}`;
      // A provider of the program has what the stack says where it says nothing itself.
      const places = isExplicit ? [true, false] : [false];
      const advice = places.map((own) => adviceOn(config, own, `${config} <value>`)).join(", or ");
      problems.push(`${config} must be ${right}: ${advice}`);
    }
    return value;
  }
}

/**
 * The config of the stack as it is now, which the engine gives to the plugin that serves its default provider; by names
 * without the prefix. Empty where there is none: refresh and destroy otherwise know only what the state holds.
 */
export function freshConfig(env: Environment = process.env): Readonly<Record<string, unknown>> {
  try {
    const config: unknown = JSON.parse(env["PULUMI_CONFIG"] ?? "{}");
    return typeof config === "object" && config !== null ? { ...config } : {};
  } catch {
    return {};
  }
}

/** How often progress is repeated while nothing changes, in milliseconds: often for a person, seldom in a log file. */
export function heartbeatMs(env: Environment = process.env): number {
  return env["CI"] ? 60_000 : 15_000;
}

function toFlag(text: string): boolean | undefined {
  return text === "true" ? true : text === "false" ? false : undefined;
}

const toRequestNames = (text: string) => oneOf("specification", "client")(text);

function oneOf<const Word extends string>(...words: Word[]) {
  return (text: string): Word | undefined => words.find((word) => word === text);
}

/** Decimal notation only: `Number` also takes hexadecimal and other texts that nobody means as money. */
function toCost(text: string): number | undefined {
  const cost = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(cost) && cost > 0 ? cost : undefined;
}

/** How to give a setting: to a provider that the program declares, or to the stack, by a command with these arguments. */
function adviceOn(config: string, isExplicit: boolean, args: string): string {
  const ownName = config.replace(/^gpucluster:/, "");
  return isExplicit ? `give the provider its \`${ownName}\`` : `run \`pulumi config set ${args}\``;
}

function problemOfKey(
  key: string | undefined,
  { variable, config }: Places,
  whose: string,
  isExplicit: boolean,
): string | undefined {
  if (key === undefined) {
    const ways = [
      variable && `set ${variable} in the environment`,
      config && adviceOn(config, isExplicit, `--secret ${config}`),
    ];
    return `The API key${whose} is missing: ${ways.filter(Boolean).join(", or ")}`;
  }
  const places = [variable, config].filter(Boolean).join(" or ");
  const what = `The API key${whose} (${places})`;
  // Anything else cannot stand in a header. The key itself is never shown.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return `${what} must be visible ASCII characters only; it has spaces, line breaks or other characters in it`;
  }
  if (key.length >= shortestKey) return undefined;
  return `${what} is no key: it has fewer than ${shortestKey} characters, so no message could hide it. Set the whole key`;
}

/** The address of an entry of connections has been judged with the entry. */
function problemOfOrdinaryUrl(url: string | undefined, isExplicit: boolean): string | undefined {
  const config = isExplicit ? "the provider's `baseUrl`" : "`pulumi config set gpucluster:baseUrl`";
  const places = `GPUCLUSTER_BASE_URL in the environment, or ${config}`;
  if (url === undefined) return `The address of the service is missing: set ${places}`;
  const problem = problemOfUrl(url);
  return problem && `The address of the service (${places}) ${problem}`;
}
