import { startSimulator } from "../../simulator";
import { type Created, startProvider } from "./providerProcess";

const type = "pulumi-nodejs:dynamic/gpucluster:Cluster";
const inputs = {
  name: "web",
  gpuType: "h100",
  container: "acme/model:1",
  replicas: 1,
  __urn: `urn:pulumi:dev::shop::${type}::web`,
  __provider: 'exports.handler=()=>require("pulumi-gpucluster/provider")',
};

interface Canceled extends Created {
  /** Ids of the clusters at the service. */
  readonly clusters: readonly string[];
}

/**
 * What the engine receives if it cancels a creation by the dynamic adapter while it waits for a cluster.
 *
 * @param cwd A folder in which the SDK and this package are installed.
 * @param provisioningMs The time until the cluster is healthy.
 */
export async function cancelCreation(
  cwd: string,
  provisioningMs: number,
  { node, more = [] }: { readonly node?: string; readonly more?: readonly string[] } = {},
): Promise<Canceled> {
  const simulator = await startSimulator({ provisioningMs });
  const env = { GPUCLUSTER_BASE_URL: simulator.url, GPUCLUSTER_API_KEY: simulator.apiKey };
  const args = [...more, require.resolve("@pulumi/pulumi/cmd/dynamic-provider", { paths: [cwd] })];
  const provider = await startProvider(args, { cwd, env, ...(node === undefined ? {} : { node }) });
  try {
    const created = provider.create(type, inputs);
    let isOpen = true;
    void created.then(() => {
      isOpen = false;
    });
    while (isOpen && simulator.clusters().length === 0) await new Promise((done) => setTimeout(done, 20));
    await provider.cancel();
    return { ...(await created), clusters: simulator.clusters().map(({ id }) => id) };
  } finally {
    await provider.close();
    await simulator.close();
  }
}
