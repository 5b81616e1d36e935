import { type ClusterRecord, clusterIdPattern, clusterNamePattern } from "../api/records";
import { isLeaving } from "../api/states";
import type { Ctx, Properties } from "../core";
import { messageOf } from "../errors";
import { cleanText } from "../text";
import { judgeGone } from "./conditions";
import { sameText } from "./drift";
import type { ClusterState } from "./fields";
import { memberOf } from "./listCache";
import { acceptAbsence, findAgain, findCluster, findOrGone } from "./lookup";
import { Operation } from "./operation";
import { stop } from "./power";
import { sendWrite } from "./sendWrite";
import type { Service } from "./service";
import { judgedState } from "./state";

/** Deletes the cluster, or stops it if its `deletionPolicy` says so, and waits. A cluster that is already gone is a success. */
export async function deleteCluster(service: Service, ctx: Ctx, id: string, olds: Properties): Promise<void> {
  const state = judgedState(olds, id);
  const operation = new Operation(ctx, service, "delete", { id, inputs: state, olds: state });
  const adoption = service.owned.adoptionOf(id);
  if (adoption === "failed") throw operation.error("was not deleted: the resource that was to adopt it has failed to");
  if (adoption === "done") {
    operation.warn("a resource of this program adopts it, so it stays as it is; only this entry of the state goes");
    return;
  }
  await refuseOtherName(service, operation, state);
  if (state.deletionPolicy === "stop") return stopInstead(service, operation, state);
  try {
    operation.status("deleting");
    await sendWrite(service, operation, {
      kind: "delete",
      send: () => service.client.deleteCluster(id, operation.request()),
      isDone: async (now) => {
        const shown = now ?? (await findAgain(service, operation, state));
        return !shown || isLeaving(shown.status);
      },
    });
    await service.poller.poll({ operation, judge: judgeGone, isDeleted: true });
  } catch (error) {
    await acceptAbsence(service, operation, state, error);
  }
  service.owned.deleted(id);
  operation.status("deleted");
  const isSecret = state.__secretOutputs?.includes("hourlyCost");
  if (state.hourlyCost && !isSecret) operation.info(`was deleted; it cost ${state.hourlyCost} an hour`);
}

/** The greatest age of the list in which a cluster is looked up before its deletion: many deletions share one list. */
const deletionListAgeMs = 30_000;

/** Refuses a deletion if the id in the state belongs to a cluster of another name. A record without a name is accepted. */
async function refuseOtherName(service: Service, operation: Operation, { name, __echo }: ClusterState): Promise<void> {
  if (name === undefined || !clusterIdPattern.test(operation.id)) return;
  const shown = (await recordForName(service, operation))?.name;
  const isOther = shown !== undefined && clusterNamePattern.test(shown) && !sameText(shown, name);
  if (!isOther || __echo?.name === shown) return;
  throw operation.error(
    `was not deleted: the state calls it "${name}", but the service calls ${operation.id} "${cleanText(shown, 100)}". If it is ` +
      `this resource's cluster, run \`pulumi refresh\` first; if not, run \`pulumi state delete '${operation.urn}'\``,
  );
}

/** Reads the record from the list that many deletions share, else by its id. Warns if the record cannot be read. */
async function recordForName(service: Service, operation: Operation): Promise<ClusterRecord | undefined> {
  const { id } = operation;
  try {
    const list = await service.lists.recent(deletionListAgeMs, operation.look()).catch(() => undefined);
    return (list && memberOf(list, id)) ?? (await findCluster(service, id, { ...operation.look(), attempts: 2 }));
  } catch (error) {
    operation.warn(`whether ${id} is the cluster of this name could not be checked: ${messageOf(error)}`);
    return undefined;
  }
}

async function stopInstead(service: Service, operation: Operation, state: ClusterState): Promise<void> {
  const record = await findOrGone(service, operation, state);
  if (!record || isLeaving(record.status)) return operation.status("is gone already");
  try {
    await stop(service, operation, {});
  } catch (error) {
    throw operation.error(`was not stopped: ${messageOf(error)}`, error);
  }
  operation.warn(
    `was stopped and not deleted, as its \`deletionPolicy\` says. \`adopt: "${operation.id}"\` takes it up again, and starts ` +
      "it. The service does not say what a stopped cluster costs",
  );
}
