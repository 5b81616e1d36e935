import * as gpu from "pulumi-gpucluster";

const web = new gpu.Cluster("web", {
  gpuType: "h100",
  replicas: 1,
  container: "ghcr.io/ggml-org/llama.cpp:server-cuda-b11206",
  env: { LLAMA_ARG_HF_REPO: "ggml-org/gpt-oss-20b-GGUF", LLAMA_ARG_PORT: "80" },
  readinessProbe: { path: "/health" }, // waits until the model is loaded
});

export const endpoint = web.endpoint;
export const hourlyCost = web.hourlyCost;
