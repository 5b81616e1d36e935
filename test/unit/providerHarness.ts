import { createProvider, type Provider } from "../../provider";
import type { Simulator } from "../../simulator";

/** The names of all data functions. */
export const functionNames = [
  "getGpuTypes",
  "getGpuModels",
  "getGpuPricing",
  "getGpuAvailability",
  "getClusters",
  "getCluster",
  "getClusterStatus",
  "getHealth",
  "getServiceInfo",
] as const satisfies readonly (keyof Provider["functions"])[];

export type FunctionName = (typeof functionNames)[number];

/** The provider as a adapter has it, with this config. Calls take what a program without types may give. */
export function openProvider(config: Readonly<Record<string, string>>) {
  const provider = createProvider((name) => (Object.hasOwn(config, name) ? config[name] : undefined));
  return {
    ...provider,
    call: (name: FunctionName, ...args: unknown[]): Promise<unknown> =>
      Reflect.apply(provider.functions[name], undefined, args),
  };
}

/** The config of a simulator's first key, as the ordinary connection. */
export function configOf({ apiKey, url }: Simulator): Record<string, string> {
  return { "gpucluster:apiKey": apiKey, "gpucluster:baseUrl": url };
}

/** The connection of a simulator's first key, in the variables that a user sets. */
export function useEnvironment({ apiKey, url }: Pick<Simulator, "apiKey" | "url">): void {
  process.env["GPUCLUSTER_API_KEY"] = apiKey;
  process.env["GPUCLUSTER_BASE_URL"] = url;
}

/** For whoever tests the config: a variable of the machine would come before it. */
export function forgetEnvironment(): void {
  delete process.env["GPUCLUSTER_API_KEY"];
  delete process.env["GPUCLUSTER_BASE_URL"];
}
