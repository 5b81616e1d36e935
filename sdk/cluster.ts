import * as pulumi from "@pulumi/pulumi";
import { BaseCluster } from "./baseCluster";
import type { ClusterArgs } from "./clusterArgs";
import { isOfType } from "./pulumiType";

export type { ClusterArgs } from "./clusterArgs";

/**
 * The provider's text in a state: it loads the installed version of this package. The text never changes and is the same
 * on every machine, so that no upgrade shows as a change.
 */
const providerText = 'exports.handler=()=>require("pulumi-gpucluster/provider")';

/**
 * The type that `pulumi.dynamic.Resource` would give the resource, so that the engine runs it as a dynamic resource. That
 * class would serialize a provider at each start, and load a compiler for it: most of a second for a text that is known.
 */
const type = "pulumi-nodejs:dynamic/gpucluster:Cluster";

/**
 * A GPU cluster: replicas of one container, each on a GPU of one type, served at one endpoint.
 *
 * Pulumi sends one create request, never two, and waits until every replica is healthy. A change of replicas, container, env
 * or the desired status updates it in place; a change of name or GPU type replaces it. If an operation fails after the service
 * has given an id, the cluster stays in the state. The next `pulumi up` continues from there.
 *
 * ```ts
 * const web = new gpu.Cluster("web", { gpuType: "h100", replicas: 2, container: "vllm/vllm-openai:v0.6.3" });
 * export const endpoint = web.endpoint;
 * ```
 */
export class Cluster extends BaseCluster {
  /** Type of these resources in the engine. Policies that select resources by class use it. */
  static readonly __pulumiType: string = type;

  /** Whether a value is a cluster of this class, also if another copy of this package made it. */
  static override isInstance(value: unknown): value is Cluster {
    return isOfType(value, Cluster.__pulumiType);
  }

  /**
   * @param name Name of the resource in the program. Without `args.name`, the provider derives the cluster's name from it.
   * @param args What to run.
   * @param opts Pulumi's resource options. `customTimeouts` defaults to 60 minutes for a creation, 20 for everything else.
   */
  constructor(name: string, args: ClusterArgs, opts?: pulumi.CustomResourceOptions) {
    refuseImport(name, opts);
    // The provider puts these outputs among the inputs, so that dependents know them in a preview: no change to show.
    const own = { ...opts, ignoreChanges: [...(opts?.ignoreChanges ?? []), "endpoint", "createdAt"] };
    super(type, name, args, own, {
      ...(opts?.customTimeouts === undefined ? {} : { __timeouts: opts.customTimeouts }),
      __urn: urnOf(name, opts?.parent),
      __provider: providerText,
    });
  }
}

/**
 * The URN that the engine will give a resource. A promise, because an output would make the resource depend on its parent.
 * A dependency on a component waits for all of its children: two clusters of one component would wait for each other.
 * Without a parent it is known at once, and costs no output.
 */
function urnOf(name: string, parent: pulumi.Resource | undefined): Promise<string> | string {
  if (!parent) return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`;
  return new Promise((resolve) => pulumi.createUrn(name, type, parent).apply(resolve));
}

/** Throws for the option `import`: the engine cannot import a dynamic resource, and its own message does not say what to do. */
function refuseImport(name: string, opts: pulumi.CustomResourceOptions | undefined): void {
  if (opts?.import === undefined) return;
  const id = typeof opts.import === "string" ? opts.import : "cl_...";
  throw new pulumi.RunError(
    `Cluster "${name}": the option \`import\` does not work with this resource. Use the input \`adopt: "${id}"\` instead: it ` +
      "takes over the existing cluster and creates none",
  );
}
