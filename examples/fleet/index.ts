import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";

/** What all clusters have in common. */
const base: gpu.ClusterArgs = {
  gpuType: "l4",
  container: new pulumi.Config().get("container") ?? "ghcr.io/ggml-org/llama.cpp:server-cuda-b11206",
  env: { LLAMA_ARG_HF_REPO: "Qwen/Qwen3-Embedding-0.6B-GGUF:Q8_0", LLAMA_ARG_EMBEDDINGS: "true", LLAMA_ARG_PORT: "80" },
};

/** One cluster for each customer: if you remove a line, Pulumi destroys that cluster only. */
const customers: Record<string, Partial<gpu.ClusterArgs>> = {
  acme: { replicas: 2 },
  globex: { gpuType: "a100-80gb" },
  initech: {},
};

// A change reaches this cluster first: the others wait until it is ready.
const canary = new gpu.Cluster("canary", base);

export const endpoints: Record<string, pulumi.Output<string>> = { canary: canary.endpoint };
for (const [name, own] of Object.entries(customers)) {
  const cluster = new gpu.Cluster(name, { ...base, ...own }, { dependsOn: canary });
  endpoints[name] = cluster.endpoint;
}
