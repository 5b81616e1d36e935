import { type ClusterRecord, clusterIdPattern, clusterNamePattern } from "../../api/records";
import { isLeaving } from "../../api/states";
import { ApiError, isNotFound, messageOf } from "../../base/errors";
import { cleanText } from "../../base/text";
import type { Ctx, Properties } from "../../contract";
import { sameText } from "../compare/drift";
import { judgeGone } from "../compare/health";
import { money } from "../model/money";
import { judgedState } from "../model/state";
import type { ClusterState } from "../model/stateFields";
import { memberOf } from "../shared/listCache";
import { checkConnection, confirmAbsence, findAgain, findCluster } from "../shared/lookup";
import { Operation } from "../shared/operation";
import { sendWrite } from "../shared/sendWrite";
import type { Service } from "../shared/service";

/** Deletes the cluster, and waits. A cluster that is already gone is a success. */
export async function deleteCluster(service: Service, ctx: Ctx, id: string, olds: Properties): Promise<void> {
  const state = judgedState(olds, id);
  const operation = new Operation(ctx, service, "delete", { id, inputs: state, olds: state });
  const adoption = service.owned.adoptionOf(id, ctx.urn, state);
  if (adoption === "failed")
    throw operation.error(
      "was not deleted: another resource adopts it, and failed. Correct that resource and run `pulumi up` again",
    );
  if (adoption) return operation.warn(`not deleted, because ${keptTexts[adoption]}`);
  if (state.deletionPolicy === "stop") throw operation.error(keptByPolicy(operation));
  await checkName(service, operation, state);
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
  const isShown = state.hourlyCost && !state.__secrets?.includes("hourlyCost");
  operation.status(isShown ? `deleted; it cost ${money(state.hourlyCost)} per hour` : "deleted");
}

/** Why a deletion deletes nothing. */
const keptTexts = {
  done: "another resource of this program has adopted it; only this entry is removed from the state",
  again:
    "this resource has adopted the same cluster, so it is not replaced: `--replace` and `pulumi state taint` give the " +
    "provider no old name. To replace it, use the option `replacementTrigger`, or set a new `name`",
} as const;

/** Handles a failed deletion: it is a success if the cluster really does not exist. */
async function acceptAbsence(
  service: Service,
  operation: Operation,
  state: ClusterState,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ApiError) || !isNotFound(error)) {
    throw operation.error(`was not deleted: ${messageOf(error)}`, error);
  }
  checkConnection(service, operation, state);
  const listed = await confirmAbsence(service, operation.id, operation.lookup(), error);
  const shown = listed ?? (await findAgain(service, operation, state));
  if (shown && !isLeaving(shown.status)) {
    const how = listed ? "lists" : "shows";
    throw operation.error(
      `was not deleted: the service answers that it does not exist, but still ${how} it. Run the command again`,
      error,
    );
  }
  if (shown) await service.poller.poll({ operation, judge: judgeGone, isDeleted: true });
}

/** The greatest age of the list in which a cluster is looked up before its deletion: many deletions share one list. */
const deletionListAgeMs = 30_000;

/** Refuses a deletion if the id in the state belongs to a cluster of another name. A record without a name is accepted. */
async function checkName(service: Service, operation: Operation, { name, __echo }: ClusterState): Promise<void> {
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
    const list = await service.lists.recent(deletionListAgeMs, operation.lookup()).catch(() => undefined);
    return (list && memberOf(list, id)) ?? (await findCluster(service, id, { ...operation.lookup(), attempts: 2 }));
  } catch (error) {
    operation.warn(`could not check that ${id} has this name: ${messageOf(error)}`);
    return undefined;
  }
}

/** Why a cluster is not deleted that an earlier version would have stopped and kept. */
function keptByPolicy({ urn }: Operation): string {
  return (
    'was not deleted: its state has `deletionPolicy: "stop"`, which was removed; to keep the cluster, run ' +
    `\`pulumi state delete '${urn}'\`, and to delete it, run \`pulumi up\` with a program without that input, then the ` +
    "deletion again"
  );
}
