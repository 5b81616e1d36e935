import { PolicyPack, type ReportViolation, type ResourceValidationPolicy } from "@pulumi/policy";

/** The two types of a cluster: of the dynamic provider, and of the native one. */
const clusterTypes = ["pulumi-nodejs:dynamic/gpucluster:Cluster", "gpucluster:index:Cluster"];

/** The inputs of a cluster that these policies read. `replicas` may be a range. */
interface Inputs {
  readonly gpuType?: string | readonly string[];
  readonly container?: string;
  readonly replicas?: number | { readonly min: number; readonly max: number };
  readonly plainEnv?: boolean;
}

function clusterPolicy<Config extends object>(
  name: string,
  description: string,
  check: (inputs: Inputs, config: Config, report: (text: string) => void) => void,
  configSchema?: ResourceValidationPolicy["configSchema"],
): ResourceValidationPolicy {
  return {
    name,
    description,
    enforcementLevel: "mandatory",
    ...(configSchema && { configSchema }),
    validateResource: (args, report: ReportViolation) => {
      if (clusterTypes.includes(args.type)) check(args.props, args.getConfig<Config>(), report);
    },
  };
}

new PolicyPack("gpu-clusters", {
  policies: [
    clusterPolicy<{ allowed: string[] }>(
      "gpu-types",
      "Only GPU types that the team may use.",
      ({ gpuType = [] }, { allowed }, report) => {
        // A list for `gpuType` may end with "*", which keeps the type of a cluster that exists.
        const others = [gpuType].flat().filter((type) => type !== "*" && !allowed.includes(type));
        if (others.length > 0) report(`use ${allowed.join(", ")}, not ${others.join(", ")}`);
      },
      { properties: { allowed: { type: "array", items: { type: "string" }, default: ["l4", "h100"] } } },
    ),
    clusterPolicy<{ most: number }>(
      "replicas",
      "At most so many replicas; of a range, its maximum counts.",
      ({ replicas = 1 }, { most }, report) => {
        const count = typeof replicas === "number" ? replicas : replicas.max;
        if (count > most) report(`use at most ${most} replicas, not ${count}`);
      },
      { properties: { most: { type: "number", default: 8 } } },
    ),
    clusterPolicy("image", "An image has a tag other than `latest`, or a digest.", ({ container = "" }, _, report) => {
      if (!/(:(?!latest$)[^/:]+|@sha256:[0-9a-f]+)$/.test(container)) report(`pin the version of "${container}"`);
    }),
    clusterPolicy("secret-env", "Values of `env` stay secret.", ({ plainEnv }, _, report) => {
      if (plainEnv) report("remove `plainEnv`");
    }),
  ],
});
