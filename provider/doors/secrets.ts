import { inputFlags, inputNames, outputNames } from "../cluster/fields";
import type { Properties } from "../core";

const mark = "4dabf18193072939515e22adb298388d";
const secretMark = "1b47061264138c4ac30d75fd1eb44270";
const secretNames = inputNames.filter((name) => inputFlags[name].secret);

/** A value as the engine's secret: encrypted in the state, masked wherever it is shown. */
export function asSecret(value: unknown): Properties {
  return { [mark]: secretMark, value };
}

/** Whether a value is one of the engine's secrets. */
export function isMarked(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && Reflect.get(value, mark) === secretMark;
}

/** The value of one of the engine's secrets; any other value as it is. */
export function revealed(value: Properties): unknown {
  return isMarked(value) ? value["value"] : value;
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
 */
export function withSecrets(plain: Properties): Properties {
  const properties = withSecretOutputs(plain);
  if (properties["plainEnv"] === true) return properties;
  const marked = secretNames.map((name) => [name, markValues(properties[name])] as const);
  return { ...properties, ...Object.fromEntries(marked.filter(([, value]) => value !== undefined)) };
}

function markValues(map: unknown): unknown {
  if (typeof map !== "object" || map === null) return map;
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, asSecret(value)]));
}
