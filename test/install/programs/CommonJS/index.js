const gpu = require("pulumi-gpucluster");

const web = new gpu.Cluster("web", {
  gpuType: "h100",
  replicas: 2,
  container: "acme/model:1",
  env: { MODEL: "llama" },
});
exports.endpoint = web.endpoint;
exports.isHealthy = gpu.getHealthOutput().apply(({ healthy }) => healthy);
exports.node = process.versions.node;
