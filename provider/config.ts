import { ConfigError } from "./errors";
import { Secret } from "./secret";

/** Which service, and which organization of it. */
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
}

type Environment = Readonly<Record<string, string | undefined>>;
/** Reads one Pulumi config value by its full name, such as `gpucluster:apiKey`. */
export type ReadConfig = (name: string) => string | undefined;

/**
 * Where the service is and how to sign in. The environment comes before the Pulumi config: the engine stores config in the
 * state and hands out that stored, possibly outdated copy in refresh and destroy.
 * @throws ConfigError that names everything that is missing or wrong, and both places where each can be set.
 */
export function resolveConnection(readConfig: ReadConfig, env: Environment = process.env): Connection {
  const apiKey = setting("GPUCLUSTER_API_KEY", "gpucluster:apiKey");
  const baseUrl = setting("GPUCLUSTER_BASE_URL", "gpucluster:baseUrl");
  const problems = [problemOfKey(apiKey), problemOfUrl(baseUrl)].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new ConfigError(problems.join(". "));
  return { baseUrl: (baseUrl ?? "").replace(/\/+$/, ""), apiKey: new Secret(apiKey ?? "") };

  function setting(variable: string, name: string): string | undefined {
    return env[variable]?.trim() || readConfig(name)?.trim() || undefined;
  }
}

/** How often progress is repeated while nothing changes, in milliseconds: often for a person, seldom in a log file. */
export function heartbeatMs(env: Environment = process.env): number {
  return env["CI"] ? 60_000 : 15_000;
}

function problemOfKey(key: string | undefined): string | undefined {
  if (key === undefined) {
    return (
      "The API key is missing: set GPUCLUSTER_API_KEY in the environment, " +
      "or run `pulumi config set --secret gpucluster:apiKey`"
    );
  }
  // Anything else cannot stand in a header. The key itself is never shown.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    return (
      "The API key (GPUCLUSTER_API_KEY or gpucluster:apiKey) must be visible ASCII characters only; " +
      "it has spaces, line breaks or other characters in it"
    );
  }
  return undefined;
}

const where = "GPUCLUSTER_BASE_URL in the environment, or `pulumi config set gpucluster:baseUrl`";

function problemOfUrl(url: string | undefined): string | undefined {
  if (url === undefined) return `The address of the service is missing: set ${where}`;
  const rule = isPlainUrl(url) ? urlRules.find((candidate) => candidate.broken(new URL(url), url)) : notAUrl;
  return rule && `The address of the service (${where}) ${rule.text}`;
}

/** `new URL` mends and drops much; what it would change is a mistake of somebody's. */
function isPlainUrl(url: string): boolean {
  return !/[^\x21-\x7e]|[\\<>{}^`|"]|\/\.{1,2}(\/|$)/.test(url) && URL.canParse(url);
}

const notAUrl = { text: "is not a URL; it has the form https://api.example.com" };

const urlRules: { broken(url: URL, text: string): boolean; text: string }[] = [
  { broken: (_url, text) => !/^https?:\/\/[^/]/i.test(text), text: "must begin with https://" },
  {
    broken: (url) => url.protocol === "http:" && !isLoopback(url.hostname),
    text: "must begin with https://, for the API key would be readable on its way; http:// is for this machine only",
  },
  { broken: (url) => url.username + url.password !== "", text: "must not hold a user name or a password" },
  { broken: (_url, text) => /[?#]/.test(text), text: "must not hold a query or a fragment" },
  {
    broken: (url) => /\/v1(\/|$)/i.test(url.pathname),
    text: "must end before /v1: the paths of the API begin with it",
  },
];

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
