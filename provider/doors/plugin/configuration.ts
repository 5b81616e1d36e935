import { freshConfig, type ReadConfig, type Settings } from "../../config";
import type { Properties } from "../../core";
import { providerFlags } from "../../providerArgs";
import { asSecret } from "../secrets";

/**
 * Whatever is no setting of ours may be a key: `gpucluster:connections` names the places of keys. The version is the engine's
 * own, and it ends when it does not get that back as it was.
 */
const open = new Set([
  "version",
  ...Object.entries(providerFlags).flatMap(([name, { secret }]) => (secret ? [] : [name])),
]);

/** The settings as the state may hold them: whatever may be a key is encrypted, however it came here. */
export function withSecretKeys(settings: Properties): Properties {
  const marked = Object.entries(settings).map(([name, value]) => [name, open.has(name) ? value : asSecret(value)]);
  return Object.fromEntries(marked);
}

/** Whether the program declares this provider; the engine names its own `default`, with the version and the plugin's address. */
export function isExplicit(urn: string): boolean {
  return !/^default($|_\d+_\d+_\d+|_(https?|file|github|gitlab)_)/.test(urn.split("::").at(-1) ?? "");
}

/** What the stack says for all of its clusters, whichever provider they have. */
const guards: ReadonlySet<string> = new Set<keyof Settings>(["maxHourlyCost", "capacityCheck", "strictPreview"]);

/**
 * Reads the settings of one provider. The engine makes the default one of the stack's config, but in refresh and destroy of
 * the config that the state holds: what the stack says now comes first there, so that a key can be rotated.
 */
export function configReader(settings: Properties, urn: string, fresh = freshConfig()): ReadConfig {
  const ofStack = Object.fromEntries(Object.entries(fresh).filter(([name]) => guards.has(name)));
  const values = isExplicit(urn) ? { ...ofStack, ...settings } : { ...settings, ...fresh };
  return (fullName) => {
    const name = fullName.replace(/^gpucluster:/, "");
    return Object.hasOwn(values, name) ? toText(values[name]) : undefined;
  };
}

/** Programs give them as they are, the stack's config gives them as texts. */
function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
