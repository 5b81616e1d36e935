import type { FieldFlags } from "./cluster/fields";
import type { Settings } from "./config";
import type { ConnectionEntry } from "./connections";

/**
 * What configures the provider: `gpucluster:NAME` in the Pulumi config, and the arguments of an explicit provider. The single
 * source of their documentation, types and flags. Plain types only: they are published (see cluster/fields.ts).
 */
export interface ProviderArgs extends Partial<Settings> {
  /** API key of the organization. Default: the environment variable `GPUCLUSTER_API_KEY`, which is stored nowhere. */
  apiKey?: string;
  /** Address of the service. Default: the environment variable `GPUCLUSTER_BASE_URL`. */
  baseUrl?: string;
  /** Several organizations, by name: where each is served, and where its key is found. `connection` of a cluster names one. */
  connections?: Record<string, ConnectionEntry>;
}

export const providerFlags: Readonly<Record<keyof ProviderArgs, Pick<FieldFlags, "secret">>> = {
  apiKey: { secret: true },
  baseUrl: {},
  connections: {},
  strictPreview: {},
  capacityCheck: {},
  gpuTypeCheck: {},
  requestNames: {},
  maxHourlyCost: {},
};
