import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";

const config = new pulumi.Config();
const image = "ghcr.io/ggml-org/llama.cpp:server-cuda-b11206";

// What costs money stands here and not in the stack's config: each change of it is a commit, with a preview of its price.
const chat = new gpu.Cluster("chat", {
  gpuType: "h100",
  replicas: 2,
  container: image,
  env: {
    LLAMA_ARG_HF_REPO: "ggml-org/gpt-oss-20b-GGUF",
    LLAMA_ARG_PORT: "80",
    HF_TOKEN: config.requireSecret("hfToken"),
  },
});

const embeddings = new gpu.Cluster("embeddings", {
  gpuType: "l4",
  container: image,
  env: { LLAMA_ARG_HF_REPO: "Qwen/Qwen3-Embedding-0.6B-GGUF:Q8_0", LLAMA_ARG_EMBEDDINGS: "true", LLAMA_ARG_PORT: "80" },
});

export const endpoints = { chat: chat.endpoint, embeddings: embeddings.endpoint };
