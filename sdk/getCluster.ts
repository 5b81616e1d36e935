import type * as pulumi from "@pulumi/pulumi";
import type { GetClusterArgs, GetClusterResult } from "../provider/types";
import { forPeople, provider } from "./provider";
import { type Inputs, toOutput } from "./types";

export type { GetClusterArgs, GetClusterResult } from "../provider/types";

/** Which cluster to read: exactly one of `id` and `name`. */
export interface GetClusterOutputArgs extends Inputs<GetClusterArgs> {}

/**
 * One cluster, whoever made it, by its id or by its name.
 *
 * ```ts
 * const { endpoint } = await gpu.getCluster({ name: "web" });
 * ```
 * Names are compared without case; clusters on their way out do not count. Rejects when there is no such cluster, when
 * several have the name, and when the list of clusters is not complete, so that there is no telling. Values of env are
 * never part of the answer, only their names. (Specification, sections 2 and 4, `/v1/clusters/:id`.)
 */
export function getCluster(args: GetClusterArgs): Promise<GetClusterResult> {
  return forPeople(provider.getCluster(args));
}

/** `getCluster` as an output, for an id or a name that is one, and for programs that cannot await. */
export function getClusterOutput(args: GetClusterOutputArgs): pulumi.Output<GetClusterResult> {
  return toOutput(getCluster, args);
}
