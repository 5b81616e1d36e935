import { inputFlags, inputNames, outputNames } from "../cluster/fields";
import type { Properties } from "../core";

const mark = "4dabf18193072939515e22adb298388d";
const secretMark = "1b47061264138c4ac30d75fd1eb44270";
const secretNames = inputNames.filter((name) => inputFlags[name].secret);

/** A value as the engine's secret: encrypted in the state, masked wherever it is shown. */
export function asSecret(value: unknown): Properties {
  return { [mark]: secretMark, value };
}

/** The value of one of the engine's secrets; any other value as it is. */
export function revealed(value: Properties): unknown {
  return value[mark] === secretMark ? value["value"] : value;
}

/**
 * Marks the outputs that the program says are secret: a check puts outputs among the inputs, which the engine does not look at
 * for that.
 */
export function withSecretOutputs(properties: Properties): Properties {
  const asked = properties["__secretOutputs"];
  const names = Array.isArray(asked) ? outputNames.filter((name) => asked.includes(name)) : [];
  const marked = names.filter((name) => properties[name] !== undefined);
  return { ...properties, ...Object.fromEntries(marked.map((name) => [name, asSecret(properties[name])])) };
}

/**
 * Marks every value of a secret map, key by key: the engine itself would mark only the keys that the program has marked, and
 * a key that the service adds would stand in the state in clear. Marks the outputs too that are to be secret.
 *
 * @param own What the program says or, where that is not told, what was known before: with `plainEnv`, only the values of its
 * keys are ordinary texts. A key that somebody else has set stays secret from then on, for the engine keeps its marks.
 */
export function withSecrets(plain: Properties, own: Properties): Properties {
  const properties = withSecretOutputs(plain);
  const isPlain = properties["plainEnv"] === true;
  const marked = secretNames.map((name) => [name, markValues(properties[name], isPlain ? own[name] : {})] as const);
  return { ...properties, ...Object.fromEntries(marked.filter(([, value]) => value !== undefined)) };
}

function markValues(map: unknown, open: unknown): unknown {
  if (typeof map !== "object" || map === null) return map;
  const isOpen = (key: string) => Object.hasOwn(Object(open), key);
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, isOpen(key) ? value : asSecret(value)]));
}
