import { freshConfig, type ReadConfig } from "../../config";
import type { Properties } from "../../core";
import { asSecret } from "../secrets";

/** Settings that are no secrets. Whatever else stands in the config may be a key: `gpucluster:connections` names it. */
const open = new Set(["baseUrl", "connections", "strictPreview", "capacityCheck", "maxHourlyCost", "version"]);

/** The settings as the state may hold them: whatever may be a key is encrypted, however it came here. */
export function withSecretKeys(settings: Properties): Properties {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, open.has(name) ? value : asSecret(value)]),
  );
}

/** Whether the program declares this provider; the engine makes the others, named `default` and the version. */
export function isExplicit(urn: string): boolean {
  return !/^default(_|$)/.test(urn.split("::").at(-1) ?? "");
}

/**
 * Reads the settings of one provider. The engine makes the default one of the stack's config, but in refresh and destroy of
 * the config that the state holds: what the stack says now comes first there, so that a key can be rotated.
 */
export function configReader(settings: Properties, urn: string, fresh = freshConfig()): ReadConfig {
  const values = isExplicit(urn) ? settings : { ...settings, ...fresh };
  return (fullName) => {
    const name = fullName.replace(/^gpucluster:/, "");
    return Object.hasOwn(values, name) ? toText(values[name]) : undefined;
  };
}

/** Programs give them as they are, the stack's config gives them as texts. */
function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
