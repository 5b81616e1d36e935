import { inputFlags, inputNames, outputNames } from "../cluster/fields";
import type { Properties } from "../core";

const mark = "4dabf18193072939515e22adb298388d";
const secretMark = "1b47061264138c4ac30d75fd1eb44270";
const secretNames = inputNames.filter((name) => inputFlags[name].secret);

/** A value as an engine secret: encrypted in the state, masked in all output. */
export function asSecret(value: unknown): Properties {
  return { [mark]: secretMark, value };
}

/** The plain value of an engine secret; any other value unchanged. */
export function revealed(value: Properties): unknown {
  return value[mark] === secretMark ? value["value"] : value;
}

/**
 * Marks the outputs that the program declares as secret. A check returns outputs among the inputs, and the engine does not
 * mark those itself.
 */
export function withSecretOutputs(properties: Properties): Properties {
  const declared = properties["__secretOutputs"];
  const names = Array.isArray(declared) ? outputNames.filter((name) => declared.includes(name)) : [];
  const marked = names.filter((name) => properties[name] !== undefined);
  return { ...properties, ...Object.fromEntries(marked.map((name) => [name, asSecret(properties[name])])) };
}

/**
 * Marks every value of a secret map, key by key, and the outputs that are declared as secret. The engine would mark only the
 * keys that the program marked: a key that the service adds would be in the state in plain text.
 *
 * @param own The inputs of the program or, if they are not known, the state before: with `plainEnv`, only the values of its
 * keys are ordinary texts. A key that somebody else has set stays secret from then on, because the engine keeps its marks.
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
