import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";

const config = new pulumi.Config();

/** The cheapest GPU type that is available now. */
async function cheapestGpuType(): Promise<string> {
  const { gpuTypes } = await gpu.getGpuTypes();
  const price = ({ pricePerHour = Number.POSITIVE_INFINITY }: gpu.GpuType) => pricePerHour;
  const [cheapest] = gpuTypes.filter(({ available }) => available).sort((a, b) => price(a) - price(b));
  if (!cheapest) throw new Error("no GPU type is available now");
  return cheapest.type;
}

const web = new gpu.Cluster(
  "web",
  {
    gpuType: cheapestGpuType(),
    replicas: config.getNumber("replicas") ?? 2,
    container: "vllm/vllm-openai:v0.6.3",
    env: {
      MODEL: "meta-llama/Llama-3.1-8B-Instruct",
      LOG_LEVEL: config.get("logLevel") ?? "info",
    },
  },
  // Prices and stock change from hour to hour. Without this line, if another type becomes cheaper, the next `pulumi up`
  // replaces the running cluster. With it, the program chooses the type once, when Pulumi creates the cluster.
  { ignoreChanges: ["gpuType"] },
);

export const endpoint = web.endpoint;
export const gpuType = web.gpuType;
