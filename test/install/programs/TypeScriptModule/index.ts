import * as gpu from "pulumi-gpucluster";

const args: gpu.ClusterArgs = {
  gpuType: "h100",
  replicas: 2,
  container: "acme/model:1",
  env: { MODEL: "llama" },
};
const web = new gpu.Cluster("web", args);
export const endpoint = web.endpoint;
export const isHealthy = (await gpu.getHealth()).healthy;
export const node = process.versions["bun"] ?? process.versions.node;
