import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";

const config = new pulumi.Config();

/** Arguments that all clusters have in common. */
const base = {
  gpuType: "l4",
  container: "vllm/vllm-openai:v0.6.3",
  env: { MODEL: "BAAI/bge-m3" },
};

// Equal workers: a larger `count` adds clusters, a smaller one destroys the last ones.
const workers = new gpu.ClusterFleet(
  "worker",
  { count: config.getNumber("workers") ?? 10, cluster: base },
  { customTimeouts: { create: "90m" } },
);

// One cluster for each customer: if you remove a line, Pulumi destroys that cluster only.
const customers = new gpu.ClusterFleet("customer", {
  clusters: {
    acme: { ...base, replicas: 2 },
    globex: { ...base, gpuType: "a100-80gb" },
  },
});

export const workerEndpoints = workers.endpoints;
export const customerEndpoints = customers.endpoints;
export const hourlyCost = pulumi
  .all([workers.hourlyCost, customers.hourlyCost])
  .apply((costs) => costs.map((cost) => cost?.toFixed(2) ?? "not known").join(" + "));
