import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";

const config = new pulumi.Config();

const web = new gpu.Cluster("web", {
  // The first of these types that the service has. The cluster keeps the type that it gets.
  gpuType: "l4",
  fallbackGpuTypes: ["l40s", "h100"],
  replicas: config.getNumber("replicas") ?? 2,
  container: "vllm/vllm-openai:v0.6.3",
  env: {
    MODEL: "meta-llama/Llama-3.1-8B-Instruct",
    LOG_LEVEL: config.get("logLevel") ?? "info",
  },
});

export const endpoint = web.endpoint;
export const gpuType = web.gpuType;
