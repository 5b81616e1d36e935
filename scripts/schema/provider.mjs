// @ts-check
import { exported, valuesOf } from "./sources.mjs";
import { asFlags, fieldsOf } from "./types.mjs";

const FILE = "provider/config/providerArgs.ts";

/**
 * The settings of the provider. No setting names its environment variable as a default: a generated SDK would read the
 * variable in the program, and write the key into the state.
 */
export async function providerProperties() {
  const { providerFlags } = await valuesOf(FILE);
  const { properties } = fieldsOf(exported(FILE, "ProviderArgs"));
  return Object.fromEntries(
    Object.entries(asFlags(properties)).map(([name, spec]) => [
      name,
      providerFlags[name].secret ? { ...spec, secret: true } : spec,
    ]),
  );
}
