import { freshConfig, type ReadConfig, type Settings } from "../../config";
import type { Properties } from "../../core";
import { providerFlags } from "../../providerArgs";
import { asSecret } from "../secrets";

/**
 * Settings that are stored in plain text. A setting that this package does not know may be a key: `gpucluster:connections`
 * names the settings that hold keys. `version` belongs to the engine, which stops if the value does not come back unchanged.
 */
const open = new Set([
  "version",
  ...Object.entries(providerFlags).flatMap(([name, { secret }]) => (secret ? [] : [name])),
]);

/** The settings as the state may hold them: every setting that may be a key is encrypted, whatever its source. */
export function withSecretKeys(settings: Properties): Properties {
  const marked = Object.entries(settings).map(([name, value]) => [name, open.has(name) ? value : asSecret(value)]);
  return Object.fromEntries(marked);
}

/** Whether the program declares this provider. The engine names its own `default`, plus the version and the plugin's address. */
export function isExplicit(urn: string): boolean {
  return !/^default($|_\d+_\d+_\d+|_(https?|file|github|gitlab)_)/.test(urn.split("::").at(-1) ?? "");
}

/** Settings of the stack that hold for all of its clusters, whichever provider they have. */
const guards: ReadonlySet<string> = new Set<keyof Settings>(["maxHourlyCost", "capacityCheck", "strictPreview"]);

/**
 * Reads the settings of one provider. The engine configures the default provider from the stack's config, but in refresh and
 * destroy from the config in the state. The stack's present config has priority there, so that a key can be rotated.
 */
export function configReader(settings: Properties, urn: string, fresh = freshConfig()): ReadConfig {
  const ofStack = Object.fromEntries(Object.entries(fresh).filter(([name]) => guards.has(name)));
  const values = isExplicit(urn) ? { ...ofStack, ...settings } : { ...settings, ...fresh };
  return (fullName) => {
    const name = fullName.replace(/^gpucluster:/, "");
    return Object.hasOwn(values, name) ? toText(values[name]) : undefined;
  };
}

/** A program passes values of any type, the stack's config passes texts. */
function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
