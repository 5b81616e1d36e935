import type { ClusterRecord, StatusRecord } from "../../api/decode/records";
import { stateOf } from "../../api/decode/states";
import type { RedeployBody } from "../../api/endpoints";
import { ClusterFailedError, isMissingEndpoint, NotInPlaceError } from "../../base/errors";
import { hasBegun, type Rollout, wasHealthy } from "../health/health";
import { find, findCluster, findStatus } from "../service/lookup";
import type { Operation } from "../service/operation";
import type { Service } from "../wait/wait";
import { type Attempt, isTrueWithin, maxEffectMs, sendWrite } from "./sendWrite";

export async function observeStatus(service: Service, operation: Operation): Promise<StatusRecord | undefined> {
  const status = await findStatus(service.client, operation);
  if (!status || status.status !== undefined) return status;
  const record = await findCluster(service, operation.id, operation.lookup());
  return { ...status, status: record?.status };
}

export interface Stored {
  /** The replicas before it; absent if they cannot show a rollout. */
  readonly before?: StatusRecord | undefined;
  readonly seen?: readonly ClusterRecord[];
}

/**
 * The rollout of an accepted update, whose beginning the reads since the request may have shown. If the service does not begin it
 * by itself, one redeploy requests it. Replicas that were not all healthy may not show that it has begun: then the last update
 * decides that showed it. Where there is no redeploy, the update itself is all that there is.
 */
export async function rollOutUpdate(
  service: Service,
  operation: Operation,
  { before, seen = [] }: Stored = {},
): Promise<Rollout> {
  const { variant } = service.client;
  const requestedAtMs = service.clock.now();
  const wasSeen = seen.some(({ status, health }) => hasBegun(before, { replicas: [], ...health, status }));
  const poll = async () => hasBegun(before, await observeStatus(service, operation));
  const isBegun = before !== undefined && (wasSeen || (await isTrueWithin(operation, maxEffectMs, poll)));
  if (isBegun || (before && wasHealthy(before))) variant.note("rollout", isBegun);
  const hasFailed = stateOf(before?.status) === "failed";
  const isExpected = before !== undefined && !hasFailed && variant.has("rollout");
  if (isBegun || isExpected) return { before, requestedAtMs, hasBegun: isBegun };
  if (hasFailed) return repair(service, operation);
  const rollout = await orMissing(service, operation, restartReplicas(service, operation, "redeploy"));
  return rollout ?? { before, requestedAtMs, hasBegun: false };
}

/**
 * Brings up the replicas of a failed cluster: by a redeploy or, where the service has none, by a restart.
 * @throws ClusterFailedError if the service has neither.
 */
export async function repair(service: Service, operation: Operation, attempt?: Attempt): Promise<Rollout> {
  for (const action of ["redeploy", "restart"] as const) {
    const rollout = await orMissing(service, operation, restartReplicas(service, operation, action, { attempt }));
    if (rollout) return rollout;
  }
  throw new ClusterFailedError(
    "it has failed, and the service has no redeploy and no restart of clusters. To replace it, run " +
      `\`pulumi up --replace '${operation.urn}'\``,
  );
}

/**
 * The restart or redeploy that a trigger of the program requests.
 * @throws ClusterFailedError if the service has none.
 */
export async function trigger(
  service: Service,
  operation: Operation,
  action: "restart" | "redeploy",
  attempt: Attempt,
): Promise<Rollout> {
  const rollout = await orMissing(service, operation, restartReplicas(service, operation, action, { attempt }));
  if (rollout) return rollout;
  throw new ClusterFailedError(
    `the service has no ${action} of clusters: remove \`${action}Triggers\` from the program`,
  );
}

async function orMissing(
  service: Service,
  operation: Operation,
  request: Promise<Rollout>,
): Promise<Rollout | undefined> {
  try {
    return await request;
  } catch (error) {
    // A 404 can be about the cluster.
    if (!isMissingEndpoint(error) || !(await find(service, operation))) throw error;
    return undefined;
  }
}

interface RestartOptions {
  readonly body?: RedeployBody;
  readonly attempt?: Attempt | undefined;
}

/** Restarts the replicas by one POST. It is never sent again: a second one would restart every replica again. */
async function restartReplicas(
  service: Service,
  operation: Operation,
  action: "restart" | "redeploy",
  { body, attempt }: RestartOptions = {},
): Promise<Rollout> {
  const { client, clock } = service;
  const before = await observeStatus(service, operation);
  operation.status(`${action}ing`);
  const { isObserved } = await sendWrite<unknown>(service, operation, {
    kind: "restart",
    send: () =>
      action === "restart"
        ? client.restartCluster(operation.id, operation.request())
        : client.redeployCluster(operation.id, operation.request(), body),
    isDone: async () => hasBegun(before, await observeStatus(service, operation)),
    attempt,
  });
  return { before, requestedAtMs: clock.now(), hasBegun: isObserved };
}

/**
 * Changes the image of a cluster by a redeploy, if the service has no update.
 * @throws NotInPlaceError if the service has no redeploy either.
 */
export async function redeployImage(
  service: Service,
  operation: Operation,
  container: string,
  attempt: Attempt,
): Promise<Rollout> {
  const request = restartReplicas(service, operation, "redeploy", { body: { container }, attempt });
  const rollout = await orMissing(service, operation, request);
  if (rollout) return rollout;
  service.client.variant.note("redeploy", false);
  throw new NotInPlaceError(
    "`container` cannot be changed in place: the service has no update and no redeploy of clusters",
  );
}
