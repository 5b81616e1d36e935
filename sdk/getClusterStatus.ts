import type * as pulumi from "@pulumi/pulumi";
import type { GetClusterStatusArgs, GetClusterStatusResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetClusterStatusArgs, GetClusterStatusResult } from "../provider/types";

/** Which cluster to look at. */
export interface GetClusterStatusOutputArgs extends Inputs<GetClusterStatusArgs> {}

/**
 * The health of each replica of a cluster, as it is now.
 *
 * ```ts
 * const { readyReplicas, replicas } = await gpu.getClusterStatus({ id: "cl_1a2b3c" });
 * const sick = replicas.filter(({ healthy }) => !healthy).map(({ id, message }) => `${id}: ${message}`);
 * ```
 * Messages that quote a value of env have `[secret]` in its place, as far as the service shows what the values are, or, in the
 * native package, the same run has dealt with the cluster. Rejects when there is no such cluster. (Specification, section 4,
 * `/v1/clusters/:id/status`.)
 */
export function getClusterStatus(args: GetClusterStatusArgs): Promise<GetClusterStatusResult> {
  return forPeople(provider.getClusterStatus(args));
}

/** `getClusterStatus` as an output, for an id that is one, and for programs that cannot await. */
export function getClusterStatusOutput(args: GetClusterStatusOutputArgs): pulumi.Output<GetClusterStatusResult> {
  return toOutput(getClusterStatus, args);
}
