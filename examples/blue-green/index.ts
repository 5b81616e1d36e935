import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";

const config = new pulumi.Config();

// Without a `name`, so that both clusters can exist at the same time.
const chat = new gpu.Cluster(
  "chat",
  {
    gpuType: "h100",
    replicas: 2,
    container: `vllm/vllm-openai:${config.require("version")}`,
    env: { MODEL: "meta-llama/Llama-3.1-8B-Instruct" },
  },
  { replaceOnChanges: ["container"] },
);

// Each cluster has its own endpoint: give it to a DNS record or a gateway.
export const endpoint = chat.endpoint;
