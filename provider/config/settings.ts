import { isAbsolute } from "node:path";
import { ConfigError } from "../base/errors";
import type { LogTarget } from "../base/requestLog";
import { Secret, shortestKey } from "../base/text";
import { normalizeUrl, problemOfUrl } from "../base/url";
import { removedSettings, removedText } from "./removed";

/** A service, and the key of one organization. */
export interface Connection {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** Names of the fields in requests; absent: detected from the answers of the service. */
  readonly requestNames?: RequestNames;
  /** Absent: requests are not logged. */
  readonly log?: LogTarget;
  /** The places of the address and the key, for messages. */
  readonly sources: Sources;
}

/** Where the values of a connection come from, such as `gpucluster:apiKey`. */
export interface Sources {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * What the config of a provider is.
 *
 * - `stack`: The present config of the stack.
 * - `copy`: The same, but in refresh and destroy the copy in the state, which the last update has stored.
 * - `provider`: The arguments of an explicit provider.
 */
export type ConfigOrigin = "stack" | "copy" | "provider";

/** The settings of a stack for all of its clusters. */
export interface Settings {
  /** Whether a preview fails if one of its lookups at the service fails. Default: false, which shows one warning. */
  readonly strictPreview: boolean;
  /**
   * Whether a preview warns or fails if not enough GPUs are available for a cluster: `warn` or `error`. Default:
   * `warn`.
   */
  readonly capacityCheck: CapacityCheck;
  /**
   * Whether a preview compares GPU types with the service's list: `error` fails on a type that is not listed, `warn`
   * leaves it to the service, `off` does not compare. Default: `error`. A list that cannot be read with certainty is
   * never an error.
   */
  readonly gpuTypeCheck: GpuTypeCheck;
  /**
   * Names of the fields in requests: those of the `specification`, or those that the official `client` sends. Default:
   * detected from the service's answers, before the first creation.
   */
  readonly requestNames?: RequestNames;
  /**
   * Maximum cost of all clusters together for one hour, in the currency of the service's prices; a number above 0.
   * Default: no limit.
   */
  readonly maxHourlyCost?: number;
  /**
   * Salt of generated names: the next `pulumi up` adopts a cluster that an interrupted run of this stack has created.
   * At least 8 visible ASCII characters, a random text for each stack, no secret. Default: none, and nothing is taken
   * up.
   */
  readonly resume?: string;
}

/**
 * The result of a preview if not enough GPUs are available for a cluster.
 *
 * - `warn`: The preview warns.
 * - `error`: The preview fails.
 */
export type CapacityCheck = "warn" | "error";
/**
 * The result of a preview if the service does not list the GPU type of a cluster.
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
/** A stack, and how its config is read. */
export interface StackConfig {
  readonly name: string;
  readonly readConfig: ReadConfig;
}

/** The places of a value: an environment variable, and a config key. */
interface Places {
  readonly variable: string;
  readonly config: string;
}

const ownPrefix = /^gpucluster:/;
const keyPlaces: Places = { variable: "GPUCLUSTER_API_KEY", config: "gpucluster:apiKey" };
const urlPlaces: Places = { variable: "GPUCLUSTER_BASE_URL", config: "gpucluster:baseUrl" };

/**
 * The address and the API key of the service: those of the config, else those of the environment, as for Pulumi's own
 * providers. An exported key of another organization never creates clusters of a stack that has its own.
 * @throws ConfigError that names each missing or wrong value, and every place where it can be set.
 */
export function resolveConnection(
  readConfig: ReadConfig,
  env: Environment = process.env,
  origin: ConfigOrigin = "stack",
): Connection {
  const [apiKey, baseUrl] = [keyPlaces, urlPlaces].map((places) => valueAt(places, readConfig, env, origin));
  const isExplicit = origin === "provider";
  const problems = [problemOfKey(apiKey?.value, isExplicit), problemOfAddress(baseUrl?.value, isExplicit)];
  const found = problems.filter((problem) => problem !== undefined);
  if (apiKey === undefined || baseUrl === undefined || found.length > 0) throw new ConfigError(found.join(". "));
  // A wrong value is reported with the other settings, before any resource is created.
  const requestNames = toRequestNames(readConfig("gpucluster:requestNames")?.trim() ?? "");
  const log = resolveLog(env);
  const sources = { baseUrl: baseUrl.source, apiKey: apiKey.source };
  const service = { baseUrl: normalizeUrl(baseUrl.value), apiKey: new Secret(apiKey.value), sources };
  return { ...service, ...(requestNames ? { requestNames } : {}), ...(log ? { log } : {}) };
}

function valueAt({ variable, config }: Places, readConfig: ReadConfig, env: Environment, origin: ConfigOrigin) {
  const ofConfig = readConfig(config)?.trim();
  if (ofConfig) return { value: ofConfig, source: sourceOf(config, origin) };
  const ofEnv = env[variable]?.trim();
  return ofEnv ? { value: ofEnv, source: `${variable} of the environment` } : undefined;
}

function sourceOf(config: string, origin: ConfigOrigin): string {
  if (origin === "provider") return `the provider's \`${config.replace(ownPrefix, "")}\``;
  // Seen with CLI 3.250: without the program, the engine takes the config of a dynamic provider from the state.
  const copy = "; `refresh` and `destroy` use that of the last `pulumi up`, and with `--run-program` the present one";
  return `${config} of the stack${origin === "copy" ? copy : ""}`;
}

/** The line about variables of the environment that are not used, because the config has other values; `undefined` if none. */
export function unusedText(
  readConfig: ReadConfig,
  env: Environment = process.env,
  origin: ConfigOrigin = "stack",
): string | undefined {
  const unused = [urlPlaces, keyPlaces].flatMap((places) => {
    const [used, other] = [valueAt(places, readConfig, env, origin)?.value, env[places.variable]?.trim()];
    return other && used !== other ? [places] : [];
  });
  if (unused.length === 0) return undefined;
  const variables = unused.map(({ variable }) => variable).join(" and ");
  const configs = unused.map(({ config }) => sourceOf(config, origin === "copy" ? "stack" : origin)).join(" and ");
  const [is, has] = unused.length === 1 ? ["is", "has another value"] : ["are", "have other values"];
  return `${variables} of the environment ${is} not used: ${configs} ${has}`;
}

/**
 * The warning about an API key in the stack's config that is not marked as a secret; `undefined` if there is none.
 * @param places Where such a key is stored in plain text.
 */
export function plainKeyText(
  readConfig: ReadConfig,
  isSecret: (name: string) => boolean,
  places: string,
): string | undefined {
  const { config } = keyPlaces;
  if (!readConfig(config)?.trim() || isSecret(config)) return undefined;
  return (
    `The API key ${config} is stored in plain text in ${places}. Run \`pulumi config set --secret ${config}\`, then ` +
    "`pulumi up`; use a new key if others may have read it"
  );
}

/**
 * The settings of the stack or of an explicit provider; the environment has none.
 * @throws ConfigError that names each wrong value, and the right ones.
 */
export function resolveSettings(readConfig: ReadConfig, origin: ConfigOrigin = "stack"): Settings {
  const problems = [...removedSettings].flatMap(([name, instead]) =>
    readConfig(`gpucluster:${name}`)?.trim() ? [removedText(`gpucluster:${name}`, instead)] : [],
  );
  const settings: Settings = {
    strictPreview: setting("strictPreview", '"true" or "false"', toFlag) ?? false,
    capacityCheck: setting("capacityCheck", '"warn" or "error"', oneOf("warn", "error")) ?? "warn",
    gpuTypeCheck: setting("gpuTypeCheck", '"error", "warn" or "off"', oneOf("error", "warn", "off")) ?? "error",
    requestNames: setting("requestNames", '"specification" or "client"', toRequestNames),
    maxHourlyCost: setting("maxHourlyCost", costText, toCost),
    resume: setting("resume", "at least 8 visible ASCII characters, such as those of `openssl rand -hex 8`", toSalt),
  };
  if (problems.length > 0) throw new ConfigError(problems.join(". "));
  return settings;

  function setting<T>(name: string, right: string, parse: (text: string) => T | undefined): T | undefined {
    const text = readConfig(`gpucluster:${name}`)?.trim();
    if (!text) return undefined;
    const value = parse(text);
    if (value === undefined) {
      const config = `gpucluster:${name}`;
      // An explicit provider uses the stack's setting if it has none of its own.
      const places = origin === "provider" ? [true, false] : [false];
      const advice = places.map((own) => adviceOn(config, own, `${config} <value>`)).join(", or ");
      problems.push(`${config} must be ${right}: ${advice}`);
    }
    return value;
  }
}

/**
 * The current config of the stack, by names without the prefix. The engine gives it to the plugin that serves its
 * default provider. Empty if there is none. Without it, refresh and destroy know only the config in the state.
 */
export function freshConfig(env: Environment = process.env): Readonly<Record<string, unknown>> {
  try {
    const config: unknown = JSON.parse(env["PULUMI_CONFIG"] ?? "{}");
    return typeof config === "object" && config !== null ? { ...config } : {};
  } catch {
    return {};
  }
}

/**
 * Where requests are logged, by `GPUCLUSTER_LOG`. The path has to be absolute, because providers run in several folders.
 * @throws ConfigError if the value is not valid.
 */
function resolveLog(env: Environment = process.env): LogTarget | undefined {
  const text = env["GPUCLUSTER_LOG"]?.trim();
  if (!text) return undefined;
  if (text === "json") return "stderr";
  const file = text.startsWith("json:") ? text.slice("json:".length) : "";
  if (isAbsolute(file)) return { file };
  throw new ConfigError(
    "GPUCLUSTER_LOG must be json, or json: with the absolute path of a file, such as json:/logs/a.log",
  );
}

/** How often unchanged progress is repeated, in milliseconds: often for a person, seldom in a log file. */
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

const costText = "a number above 0, such as 12.5";

/** Decimal notation only: `Number` also accepts hexadecimal and other texts that nobody means as money. */
function toCost(text: string): number | undefined {
  const cost = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(cost) && cost > 0 ? cost : undefined;
}

function toSalt(text: string): string | undefined {
  return /^[\x21-\x7e]{8,}$/.test(text) ? text : undefined;
}

/** How to set a value: in an explicit provider, or in the stack, by a command with these arguments. */
function adviceOn(config: string, isExplicit: boolean, args: string): string {
  const ownName = config.replace(ownPrefix, "");
  return isExplicit ? `set the provider's \`${ownName}\`` : `run \`pulumi config set ${args}\``;
}

function problemOfKey(key: string | undefined, isExplicit: boolean): string | undefined {
  const { variable, config } = keyPlaces;
  if (key === undefined) {
    const inConfig = adviceOn(config, isExplicit, `--secret ${config}`);
    return `The API key is missing: set ${variable} in the environment, or ${inConfig}`;
  }
  const what = `The API key (${variable} or ${config})`;
  // A header can contain nothing else. The key itself is never shown.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return `${what} must be visible ASCII characters only; it contains spaces, line breaks or other characters`;
  }
  if (key.length >= shortestKey) return undefined;
  return `${what} is not valid: it has fewer than ${shortestKey} characters, so messages could not hide it. Set the whole key`;
}

function problemOfAddress(url: string | undefined, isExplicit: boolean): string | undefined {
  const config = isExplicit ? "the provider's `baseUrl`" : "`pulumi config set gpucluster:baseUrl`";
  const places = `GPUCLUSTER_BASE_URL in the environment, or ${config}`;
  if (url === undefined) return `The address of the service is missing: set ${places}`;
  const problem = problemOfUrl(url);
  return problem && `The address of the service (${places}) ${problem}`;
}
