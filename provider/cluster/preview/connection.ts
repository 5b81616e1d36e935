import { type Ctx, hasUnknown, type Properties } from "../../core";
import { GpuClusterError } from "../../errors";
import { diffCluster } from "../diff";
import type { ClusterState } from "../fields";
import { refuseOtherConnection } from "../lookup";
import { Operation } from "../operation";
import { isAmong } from "./plan";
import type { OneCheck } from "./run";

/** Whether a difference replaces the cluster: the old cluster then stays with its service until its deletion there. */
export function isReplaced(state: Properties, news: Properties, named: readonly string[] | undefined): boolean {
  return Object.entries(diffCluster(state, news).changes).some(
    ([path, { replace }]) => replace || isAmong(named, path),
  );
}

/**
 * Refuses a connection whose service or key does not know the cluster, if another one saw the cluster last. Without a
 * change in the program, nothing else would report that. An exchanged key of the same organization causes no message.
 * @throws GpuClusterError also if the check is not possible, under `strictPreview`.
 */
export async function refuseUnknown(check: OneCheck, ctx: Ctx, id: string, state: ClusterState): Promise<void> {
  const { service, inquiry, settings } = check;
  if (!service || state.__seenBy === undefined || state.__seenBy === service.seenBy || hasUnknown(id)) return;
  const isKnown = await inquiry.knows(id);
  if (isKnown) return;
  const operation = new Operation(ctx, service.clock, "read", { id, inputs: state });
  if (isKnown === false) refuseOtherConnection(service, operation, state);
  const [{ text: why } = { text: "it was not asked" }] = inquiry.gaps;
  const text = `was last seen under another service or API key, and whether this one knows it could not be checked: ${why}`;
  if (settings.strictPreview)
    throw new GpuClusterError(`${operation.title} ${text}; gpucluster:strictPreview makes that an error`);
  check.warn(`${id} ${text}`);
}
