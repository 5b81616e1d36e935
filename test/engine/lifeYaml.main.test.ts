import { describeLife, update } from "./life";

describeLife("the life of a cluster with YAML and the documented variant, in order", {
  variant: "documented",
  write: ({ workspace }, { inputs, gateway, options }) => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of a YAML program
    const properties = { ...gateway, env: { UPSTREAM: "${web.endpoint}" } };
    workspace.yaml({
      resources: {
        web: { type: "gpucluster:Cluster", properties: inputs, options },
        gateway: { type: "gpucluster:Cluster", properties },
      },
    });
  },
  imageWrites: [update],
  envWrites: [update],
  envPreview: /web: `env` changes: in place, a rollout replaces all 3 replicas/,
  providerCode: undefined,
  isWhole: true,
});
