import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";

const config = new pulumi.Config();

const chat = new gpu.Cluster("chat", {
  gpuType: "h100",
  replicas: 2,
  container: "vllm/vllm-openai:v0.6.3",
  env: { MODEL: "meta-llama/Llama-3.1-8B-Instruct" },
  // scripts/power.sh sets it.
  desiredStatus: config.require<"running" | "stopped">("power"),
});

export const { endpoint, status } = chat;
