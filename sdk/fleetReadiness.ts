import * as pulumi from "@pulumi/pulumi";
import { inputNames, outputNames } from "../provider/cluster/fields";
import { Cluster, type ClusterArgs, urnOf } from "./cluster";

/** The provider's text in a state, as constant as that of a cluster. */
const providerText = 'exports.handler=()=>require("pulumi-gpucluster/provider").readiness';

const type = "pulumi-nodejs:dynamic/gpucluster:FleetReadiness";

/** A cluster whose operations leave out the wait, so that they hold a place of the engine for seconds only. */
export class UnawaitedCluster extends Cluster {
  // Private, because a program may export the cluster with all of its properties.
  readonly #awaited: pulumi.Inputs;

  constructor(name: string, args: ClusterArgs, opts: pulumi.CustomResourceOptions) {
    // A resource has an output only if its constructor names it.
    const unawaited = { skipAwait: true, __unawaited: undefined };
    super(name, { ...args, ...unawaited }, opts);
    // A preview takes an output without a value for unknown: only those that certainly have one.
    const given = inputNames.filter((input) => Reflect.get(args, input) !== undefined);
    const shown = [...given, "name", "id", "__unawaited"].map((output) => [output, Reflect.get(this, output)]);
    // Of the number of replicas, only what the program says: a number that others change must not change the wait.
    const { replicas, skipAwait } = args;
    this.#awaited = { ...Object.fromEntries(shown), replicas, skipAwait };
  }

  /** What the cluster was asked for, and the wait that was left out. */
  get awaited(): pulumi.Inputs {
    return this.#awaited;
  }

  /** Lets each output of the service wait for a resource. */
  holdUntil(ready: pulumi.CustomResource): void {
    const held = (name: string) => pulumi.all([Reflect.get(this, name), ready.id]).apply(([value]) => value);
    for (const name of outputNames) Reflect.set(this, name, held(name));
  }
}

/** Waits until all of these clusters are ready. It is one operation of the engine, and nothing at the service. */
export class FleetReadiness extends pulumi.CustomResource {
  constructor(name: string, clusters: readonly [string, UnawaitedCluster][], opts: pulumi.CustomResourceOptions) {
    const awaited = Object.fromEntries(clusters.map(([key, cluster]) => [key, cluster.awaited]));
    const hidden = { __urn: urnOf(name, type, opts.parent), __timeouts: opts.customTimeouts, __provider: providerText };
    super(type, name, { clusters: awaited, ...hidden }, opts);
  }
}
