import { openBench } from "./harness";
import type { FormName } from "./publishedLife";
import type { Adapter, Call } from "./publishedPrograms";

const seed = {
  name: "prod",
  gpuType: "rtx-4090",
  replicas: 2,
  container: "acme/model:1",
  env: { API_TOKEN: "canary-llama" },
};
const gpu = { name: "RTX 4090", memoryGb: 24 };
const price = { pricePerHour: 0.49 };
/** The stock, if the form shows it: 48 minus the GPUs of the cluster. The client's form shows only totals. */
const stocks = { documented: { available: true, availableCount: 46 }, client: {} } as const;
const one = (facts: object) => expect.arrayContaining([expect.objectContaining(facts)]);

/** The result of each function, the same for every form of the service, except the form's own names of GPU types. */
const answersOf = (stock: object) => ({
  getGpuTypes: { gpuTypes: one({ ...gpu, ...price, ...stock }) },
  getGpuModels: { models: one(gpu) },
  getGpuPricing: { prices: one(price) },
  getGpuAvailability: { availability: one(stock) },
  ofOneType: { availability: [expect.objectContaining(stock)] },
  getClusters: {
    complete: true,
    clusters: [expect.objectContaining({ name: "prod", replicas: 2, status: "running" })],
  },
  getCluster: { name: "prod", container: seed.container, envNames: ["API_TOKEN"], replicas: 2 },
  getClusterStatus: { readyReplicas: 2, replicas: Array(2).fill(expect.objectContaining({ healthy: true })) },
  getHealth: { healthy: true, status: "ok" },
  getServiceInfo: { name: "GPU Cluster Management API", endpoints: { health: "GET /health" } },
});

/** Tests the data functions on the published service. */
export function testPublishedFacts(adapter: Adapter, form: FormName): void {
  it(`every data function returns the facts of a service in the form ${form}, and no secret`, async () => {
    const { workspace, simulator, writes } = await openBench("", { dialect: form });
    const { id } = simulator.addCluster(seed);
    const calls: Record<keyof ReturnType<typeof answersOf>, Call> = {
      getGpuTypes: ["getGpuTypes", {}],
      getGpuModels: ["getGpuModels", {}],
      getGpuPricing: ["getGpuPricing", {}],
      getGpuAvailability: ["getGpuAvailability", {}],
      ofOneType: ["getGpuAvailability", { type: "RTX 4090" }],
      getClusters: ["getClusters", {}],
      getCluster: ["getCluster", { name: "prod" }],
      getClusterStatus: ["getClusterStatus", { id }],
      getHealth: ["getHealth", {}],
      getServiceInfo: ["getServiceInfo", {}],
    };
    adapter.writeCalls(workspace, calls);
    expect((await workspace.up()).code).toBe(0);
    const output = await workspace.succeed("stack", "output", "--json");
    expect(JSON.parse(output)).toMatchObject(answersOf(stocks[form]));
    expect(output).not.toContain("canary");
    expect(writes()).toEqual([]);
  });
}
