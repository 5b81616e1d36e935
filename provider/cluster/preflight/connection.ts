import { GpuClusterError, isRejectedKey, messageOf } from "../../base/errors";
import type { Settings } from "../../config/settings";
import { type Ctx, hasUnknown } from "../../contract";
import type { ClusterState } from "../schema/stateFields";
import { memberOf } from "../service/list";
import { checkConnection, creationGraceLeftMs } from "../service/lookup";
import { Operation } from "../service/operation";
import type { Service } from "../wait/service";
import { type Message, warning } from "./findings";
import type { Run } from "./run";

/**
 * Refuses a service or key that does not know a cluster which another one saw last: without a change in the program, nothing
 * else would report that. A list that shows the cluster passes; its absence has to be confirmed by the cluster's own 404.
 * @throws GpuClusterError also if the key is rejected or, under `strictPreview`, if that cannot be read.
 */
export async function refuseForeignKey(
  { ctx, service, settings, run }: { ctx: Ctx; service: Service; settings: Settings; run: Run },
  id: string,
  state: ClusterState,
): Promise<Message[]> {
  const { __seenBy: other } = state;
  if (other === undefined || other === service.seenBy || hasUnknown(id)) return [];
  const reads = run.reads(service, { signal: ctx.signal, isPatient: false });
  const list = await reads.clusters();
  if (list.value && memberOf(list.value, id)) return [];
  const { value: found, error } = list.value ? await reads.cluster(id) : { error: list.error };
  const operation = new Operation(ctx, service, "read", { id, inputs: state });
  const isMissing = found === "none" && creationGraceLeftMs(state, service.clock.now()) === 0;
  if (isMissing) checkConnection(service, operation, state);
  if (found !== undefined && found !== "none") return [];
  const why = error === undefined ? "it was created a moment ago" : messageOf(error);
  const text = `was last seen with another service or API key, and could not be checked with this one: ${why}`;
  const isFailure = settings.strictPreview || isRejectedKey(error);
  if (isFailure) throw new GpuClusterError(`${operation.title} ${text}`);
  const wayOut =
    "Run `pulumi refresh` with a key that can see it. Further warnings of this kind are hidden in this run";
  return [warning(`${id} ${text}. ${wayOut}`, "unseen")];
}
