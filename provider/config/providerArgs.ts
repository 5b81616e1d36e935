import type { Settings } from "./settings";

/**
 * The settings of the provider: `gpucluster:NAME` in the Pulumi config, or the arguments of an explicit provider. The
 * single source of their documentation, types and flags. Plain types only: they are published.
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
}

export const providerFlags: Readonly<Record<keyof ProviderArgs, { readonly secret?: boolean }>> = {
  apiKey: { secret: true },
  baseUrl: {},
  strictPreview: {},
  capacityCheck: {},
  gpuTypeCheck: {},
  requestNames: {},
  maxHourlyCost: {},
  resume: {},
};
