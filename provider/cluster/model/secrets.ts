import { isRecord, type Properties } from "../../contract";
import { looksSecret } from "./credentials";
import { textsIn } from "./extraFields";
import { inputFlags, judgedNames, outputNames } from "./fields";

/**
 * Which values of a cluster are secret: those that the program marks, those that look like a credential, and variables that
 * the program did not give. Everything else is readable. Pure.
 */

/** The properties that may contain secrets of a user, even before they are validated. */
export interface Confidential {
  readonly env?: unknown;
  readonly registryCredentialId?: unknown;
  readonly extraFields?: unknown;
  readonly readinessProbe?: unknown;
  readonly __secrets?: unknown;
}

type Wrap = (value: unknown) => unknown;

/** The properties with every secret value wrapped, key by key: a diff can name all values, and show the others. */
export function mapSecrets(properties: Properties, wrap: Wrap): Properties {
  const { __secrets: paths, __failed: failed } = properties;
  const always = judgedNames.flatMap((name) => (inputFlags[name].secretParts ?? []).map((part) => `${name}.${part}`));
  const marked: ReadonlySet<unknown> = new Set([...(Array.isArray(paths) ? paths : []), ...always]);
  const next = { ...properties };
  for (const name of outputNames)
    if (marked.has(name) && properties[name] !== undefined) next[name] = wrap(properties[name]);
  for (const name of judgedNames)
    if (properties[name] !== undefined) next[name] = mapInput(name, properties[name], marked, wrap);
  // A hash that covers values of env, which may be easy to guess.
  if (isRecord(failed)) next["__failed"] = { ...failed, configuration: wrap(failed["configuration"]) };
  return next;
}

/** The input itself is no secret as a whole, also if the program marks it as a whole: its names stay readable. */
function mapInput(name: string, value: unknown, marked: ReadonlySet<unknown>, wrap: Wrap): unknown {
  const isMarked = (path: string) => marked.has(name) || marked.has(path);
  const mapValue = (key: string, path: string, inner: unknown): unknown => {
    if (inner === undefined) return inner;
    if (isMarked(path) || looksSecret(key, inner)) return wrap(inner);
    if (Array.isArray(inner)) return inner.map((item) => mapValue("", path, item));
    return isRecord(inner) ? mapEntries(inner, path) : inner;
  };
  const mapEntries = (map: Properties, path: string): Properties =>
    Object.fromEntries(Object.entries(map).map(([key, inner]) => [key, mapValue(key, `${path}.${key}`, inner)]));
  return isRecord(value) ? mapEntries(value, name) : mapValue("", name, value);
}

/** The secret texts: they must not appear in any text, whatever they are. */
export function secretsOf({
  env,
  registryCredentialId,
  extraFields,
  readinessProbe,
  __secrets,
}: Confidential): string[] {
  const texts: string[] = [];
  mapSecrets({ env, registryCredentialId, extraFields, readinessProbe, __secrets }, (value) => {
    texts.push(...textsIn(value));
    return value;
  });
  // A header such as "Bearer TOKEN" holds the secret after its first word.
  return texts.flatMap((text) => [text, text.slice(text.indexOf(" ") + 1)]);
}

/** The paths of what is secret by any of these properties. */
export function secretsOfAll(...all: readonly Pick<Given, "__secrets">[]): readonly string[] | undefined {
  const paths = new Set(all.flatMap(({ __secrets = [] }) => __secrets));
  return paths.size > 0 ? [...paths] : undefined;
}

/**
 * The inputs that the program marks as secret only now: the state may hold them in plain text. What is no secret any more can
 * wait. The engine encrypts outputs by itself.
 */
export function newSecrets({ __secrets: old }: Properties, { __secrets: next }: Properties): readonly string[] {
  const [before, after] = [old, next].map((paths) => (Array.isArray(paths) ? paths : []));
  const isOutput = (path: unknown) => outputNames.some((name) => name === path);
  return (after ?? []).filter((path) => !before?.includes(path) && !isOutput(path));
}

interface Given {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly __secrets?: readonly string[] | undefined;
}

/**
 * Variables that the service shows, as properties of a cluster. Those that were not given are secret: the service or somebody
 * else has set them.
 */
export function withOthers<Env extends Readonly<Record<string, unknown>>>(given: Given, env: Env) {
  const { env: own = {}, __secrets: paths = [] } = given;
  const others = Object.keys(env).filter((name) => !Object.hasOwn(own, name));
  const isHere = (path: string) => !path.startsWith("env.") || Object.hasOwn(env, path.slice("env.".length));
  const __secrets = secretsOfAll(
    { __secrets: paths.filter(isHere) },
    { __secrets: others.map((name) => `env.${name}`) },
  );
  return { env, __secrets };
}
