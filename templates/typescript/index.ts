import * as gpu from "pulumi-gpucluster";

const web = new gpu.Cluster("web", {
  gpuType: "h100",
  replicas: 1,
  container: "vllm/vllm-openai:v0.6.3",
  env: { MODEL: "meta-llama/Llama-3.1-8B-Instruct" },
});

export const endpoint = web.endpoint;
export const hourlyCost = web.hourlyCost;
