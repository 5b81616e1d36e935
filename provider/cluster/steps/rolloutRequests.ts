import type { StatusRecord } from "../../api/decode/records";
import { stateOf } from "../../api/decode/states";
import type { RedeployBody } from "../../api/endpoints";
import { isMissingEndpoint, NotInPlaceError } from "../../base/errors";
import { sameImage } from "../diff/drift";
import { hasBegun, type Rollout, wasHealthy } from "../health/rollout";
import type { ClusterState } from "../schema/state";
import { find, findCluster, findStatus } from "../service/lookup";
import type { Operation } from "../service/operation";
import type { Service } from "../wait/service";
import { isTrueWithin, maxEffectMs, sendWrite } from "./sendWrite";

/** The status of the replicas, with the status word of the cluster. */
export async function observeStatus(service: Service, operation: Operation): Promise<StatusRecord | undefined> {
  const status = await findStatus(service.client, operation);
  if (!status || status.status !== undefined) return status;
  const record = await findCluster(service, operation.id, operation.lookup());
  return { ...status, status: record?.status };
}

/**
 * The rollout of an accepted update. If the service does not begin it by itself, one redeploy requests it. Replicas that were not
 * all healthy may not show that it has begun: then the last update of a healthy cluster decides. The status word of a failed
 * cluster shows it.
 */
export async function rollOutUpdate(
  service: Service,
  operation: Operation,
  before: StatusRecord | undefined,
): Promise<Rollout> {
  const { variant } = service.client;
  const requestedAtMs = service.clock.now();
  const poll = async () => hasBegun(before, await observeStatus(service, operation));
  const isBegun = before !== undefined && (await isTrueWithin(operation, maxEffectMs, poll));
  if (before && wasHealthy(before)) variant.note("rollout", isBegun);
  const isExpected = before !== undefined && stateOf(before.status) !== "failed" && variant.has("rollout");
  if (isBegun || isExpected) return { before, requestedAtMs, hasBegun: isBegun };
  return restartReplicas(service, operation, "redeploy");
}

/** Restarts the replicas by one POST. It is never sent again: a second one would restart every replica again. */
export async function restartReplicas(
  service: Service,
  operation: Operation,
  action: "restart" | "redeploy",
  body?: RedeployBody,
): Promise<Rollout> {
  const { client, clock } = service;
  const before = await observeStatus(service, operation);
  operation.status(`${action}ing`);
  await sendWrite<unknown>(service, operation, {
    kind: "restart",
    send: () =>
      action === "restart"
        ? client.restartCluster(operation.id, operation.request())
        : client.redeployCluster(operation.id, operation.request(), body),
    isDone: async () => hasBegun(before, await observeStatus(service, operation)),
  });
  return { before, requestedAtMs: clock.now(), hasBegun: false };
}

/**
 * Changes the image of a cluster by a redeploy, if the service has no update.
 * @throws NotInPlaceError if the service has no redeploy either, or still shows the old image.
 */
export async function redeployImage(
  service: Service,
  operation: Operation,
  container: string,
  state: ClusterState,
): Promise<Rollout> {
  let rollout: Rollout;
  try {
    rollout = await restartReplicas(service, operation, "redeploy", { container });
  } catch (error) {
    if (!isMissingEndpoint(error) || !(await find(service, operation))) throw error;
    throw notInPlace(service, "the service has no update and no redeploy of clusters");
  }
  const isObserved = async () => {
    const observed = (await find(service, operation))?.container;
    return observed === undefined || sameImage(container, observed);
  };
  if (container === state.container || (await isTrueWithin(operation, maxEffectMs, isObserved))) return rollout;
  const observed = operation.observed.record?.container;
  throw notInPlace(service, `the service accepted a redeploy with ${container}, but still shows ${observed}`);
}

function notInPlace({ client: { variant } }: Service, why: string): NotInPlaceError {
  variant.note("redeploy", false);
  return new NotInPlaceError(`\`container\` cannot be changed in place: ${why}`);
}
