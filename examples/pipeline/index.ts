import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";

const config = new pulumi.Config();

// What costs money stands here and not in the stack's config: each change of it is a commit, with a preview of its price.
const chat = new gpu.Cluster("chat", {
  gpuType: "h100",
  replicas: 2,
  container: "vllm/vllm-openai:v0.6.3",
  env: { MODEL: "meta-llama/Llama-3.1-8B-Instruct", HF_TOKEN: config.requireSecret("hfToken") },
});

const embeddings = new gpu.Cluster("embeddings", {
  gpuType: "l4",
  container: "vllm/vllm-openai:v0.6.3",
  env: { MODEL: "BAAI/bge-m3" },
});

export const endpoints = { chat: chat.endpoint, embeddings: embeddings.endpoint };
