import * as gpu from "pulumi-gpucluster";

const web = new gpu.Cluster("web", {
  gpuType: "h100",
  replicas: 2,
  container: "acme/model:1",
  env: { MODEL: "llama" },
});
export const endpoint = web.endpoint;
export const isHealthy = gpu.getHealthOutput().apply(({ healthy }) => healthy);
export const node = process.versions.node;
