import * as pulumi from "@pulumi/pulumi";
import type { ProviderArgs as PlainArgs } from "../../provider/providerArgs";
import { isOfType } from "../pulumiType";
import type { Inputs } from "../types";
import { withVersion } from "./options";

/** Where the service is, how to sign in to it, and what holds for all clusters of this provider. */
export interface ProviderArgs extends Inputs<PlainArgs> {}

/**
 * A service and an organization of it, for the resources and functions that are given it as `provider`; those without one
 * take what the environment and the stack say.
 *
 * ```ts
 * const eu = new native.Provider("eu", { baseUrl: "https://eu.example.com", apiKey: config.requireSecret("euKey") });
 * const paris = new native.Cluster("paris", { gpuType: "h100", container: "acme/model:1" }, { provider: eu });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /** The type of these resources in the engine; policies by class go by it. */
  static readonly __pulumiType: string = "pulumi:providers:gpucluster";

  /** Whether a value is a provider of this package, also one of another copy of this package. */
  static override isInstance(value: unknown): value is Provider {
    return isOfType(value, Provider.__pulumiType);
  }

  /**
   * @param name Name of the resource in the program; not `default`, which is the engine's own.
   * @param args What is left out is taken from the environment. The key is a secret, whether it is marked as one or not.
   * @param opts Pulumi's resource options.
   */
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    if (name === "default") {
      throw new pulumi.RunError('Provider "default": the engine calls its own provider so; give it another name');
    }
    const { apiKey } = args;
    super("gpucluster", name, { ...args, apiKey: apiKey && pulumi.secret(apiKey) }, withVersion(opts));
  }
}
