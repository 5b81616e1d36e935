import { create, describeLife, remove, update } from "./life";

describeLife("the life of a cluster with TypeScript and the client's variant, in order", {
  variant: "client",
  write: ({ workspace }, { inputs, gateway, options }) =>
    workspace.program(`
const web = new gpu.Cluster("web", ${JSON.stringify(inputs)}, ${JSON.stringify(options)});
new gpu.Cluster("gateway", { ...${JSON.stringify(gateway)}, env: { UPSTREAM: web.endpoint } });
`),
  // This variant has no update, which the provider detects by trying its methods; a redeploy names the image.
  imageWrites: [update, "PUT /v1/clusters/:id", "POST /v1/clusters/:id", "POST /v1/clusters/:id/redeploy"],
  envWrites: [create, remove],
  envPreview: /`env.MODEL` and `env.TOKEN` change, which the service cannot do in place, so it is replaced: the old/,
  providerCode: 'exports.handler=()=>require("pulumi-gpucluster/provider")',
  isWhole: false,
});
