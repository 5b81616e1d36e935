import type { FieldFlags } from "./cluster/fields";
import type { Settings } from "./config";
import type { ConnectionEntry } from "./connections";

/**
 * The settings of the provider: `gpucluster:NAME` in the Pulumi config, or the arguments of an explicit provider. The
 * single source of their documentation, types and flags. Plain types only: they are published (see cluster/fields.ts).
 */
export interface ProviderArgs extends Partial<Settings> {
  /**
   * API key of the organization; a secret of at least 4 visible ASCII characters. Default: the environment variable
   * `GPUCLUSTER_API_KEY`, which is stored nowhere.
   */
  apiKey?: string;
  /**
   * Address of the service, such as `https://api.example.com`, without `/v1`. Default: the environment variable
   * `GPUCLUSTER_BASE_URL`.
   */
  baseUrl?: string;
  /**
   * Addresses and places of API keys of several organizations, by name; `connection` of a cluster names one. Default:
   * none.
   */
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
  resume: {},
};
