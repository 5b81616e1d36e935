import type * as pulumi from "@pulumi/pulumi";
import type { GetClusterStatusArgs, GetClusterStatusResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetClusterStatusArgs, GetClusterStatusResult } from "../provider/types";

/** Which cluster to read. */
export interface GetClusterStatusOutputArgs extends Inputs<GetClusterStatusArgs> {}

/**
 * The present health of each replica of a cluster.
 *
 * ```ts
 * const { readyReplicas, replicas } = await gpu.getClusterStatus({ id: "cl_1a2b3c" });
 * const sick = replicas.filter(({ healthy }) => !healthy).map(({ id, message }) => `${id}: ${message}`);
 * ```
 * In messages, `[secret]` replaces each value of env that the service shows or, in the native package, that the same run has
 * dealt with. Rejects if there is no such cluster. (Specification, section 4, `/v1/clusters/:id/status`.)
 */
export function getClusterStatus(args: GetClusterStatusArgs): Promise<GetClusterStatusResult> {
  return forPeople(provider.getClusterStatus(args));
}

/** `getClusterStatus` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getClusterStatusOutput(args: GetClusterStatusOutputArgs): pulumi.Output<GetClusterStatusResult> {
  return toOutput(getClusterStatus, args);
}
