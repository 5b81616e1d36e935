import * as pulumi from "@pulumi/pulumi";
import * as gpu from "pulumi-gpucluster";

const config = new pulumi.Config();

/** What all clusters have in common. */
const base = {
  gpuType: "l4",
  container: "vllm/vllm-openai:v0.6.3",
  env: { MODEL: "BAAI/bge-m3" },
};

// Workers that are all the same: a larger number adds clusters, a smaller one destroys the last ones.
const workers = new gpu.ClusterFleet(
  "worker",
  { count: config.getNumber("workers") ?? 10, cluster: base },
  { customTimeouts: { create: "90m" } },
);

// One for each customer: to remove a line destroys that cluster and leaves the others alone.
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
