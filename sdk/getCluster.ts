import type * as pulumi from "@pulumi/pulumi";
import type { GetClusterArgs, GetClusterResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetClusterArgs, GetClusterResult } from "../provider/types";

/** Which cluster to read: exactly one of `id` and `name`. */
export interface GetClusterOutputArgs extends Inputs<GetClusterArgs> {}

/**
 * One cluster of the API key's organization, by its id or by its name, also if another program made it.
 *
 * ```ts
 * const { endpoint } = await gpu.getCluster({ name: "web" });
 * ```
 * The lookup ignores the case of names, and clusters that are being deleted. Rejects if there is no such cluster, if several
 * clusters have the name, or if an incomplete list of clusters leaves it open. The answer contains the names of env, never
 * its values. (Specification, sections 2 and 4, `/v1/clusters/:id`.)
 */
export function getCluster(args: GetClusterArgs): Promise<GetClusterResult> {
  return forPeople(provider.getCluster(args));
}

/** `getCluster` as an output: for arguments that are outputs, and for programs that cannot await. */
export function getClusterOutput(args: GetClusterOutputArgs): pulumi.Output<GetClusterResult> {
  return toOutput(getCluster, args);
}
