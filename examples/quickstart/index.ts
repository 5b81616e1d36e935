import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";

const config = new pulumi.Config();

const web = new gpu.Cluster("web", {
  // The first of these types that the service has. The cluster keeps the type that it gets.
  gpuType: "l4",
  fallbackGpuTypes: ["l40s", "h100"],
  replicas: config.getNumber("replicas") ?? 2,
  container: "ghcr.io/ggml-org/llama.cpp:server-cuda-b11206",
  env: {
    // This image reads its model and its port from the environment; see docs/guides/serving.md.
    LLAMA_ARG_HF_REPO: "ggml-org/gpt-oss-20b-GGUF",
    LLAMA_ARG_PORT: "80",
    LLAMA_ARG_CTX_SIZE: config.get("contextSize") ?? "8192",
  },
});

export const endpoint = web.endpoint;
export const gpuType = web.gpuType;
