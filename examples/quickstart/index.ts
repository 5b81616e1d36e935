import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";

const config = new pulumi.Config();

const web = new gpu.Cluster("web", {
  // The cheapest of these types that is in stock when Pulumi creates the cluster, which keeps it if prices change.
  gpuType: gpu.getGpuTypesForOutput({ minMemoryGb: 24 }).types,
  replicas: config.getNumber("replicas") ?? 2,
  container: "vllm/vllm-openai:v0.6.3",
  env: {
    MODEL: "meta-llama/Llama-3.1-8B-Instruct",
    LOG_LEVEL: config.get("logLevel") ?? "info",
  },
});

export const endpoint = web.endpoint;
export const gpuType = web.gpuType;
