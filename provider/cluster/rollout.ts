import type { Client } from "../api/client";
import type { UpdateBody } from "../api/endpoints";
import type { ClusterRecord, StatusRecord } from "../api/records";
import type { Clock } from "../clock";
import { isNotFound, RequestError } from "../errors";
import type { Operation } from "./operation";

/** The parts of the service that a change needs. */
export interface Target {
  readonly client: Client;
  readonly clock: Clock;
}

const writeAttempts = 3;
/** When to look whether a roll-out has begun, in milliseconds between looks. */
const rolloutPausesMs = [0, 1_000, 2_000];

/**
 * Sends a change that sets values, which does no harm when it arrives twice. After a lost answer it reads back, and sends
 * again only what was not applied. Returns the record that the service shows afterwards, where it shows one.
 */
export async function applyOnce(
  { client }: Target,
  operation: Operation,
  send: () => Promise<ClusterRecord | undefined>,
  isApplied: (record: ClusterRecord) => boolean,
): Promise<ClusterRecord | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof RequestError && error.maybeApplied)) throw error;
      const record = await client.getCluster(operation.id, operation.request());
      if (isApplied(record)) return record;
      if (attempt >= writeAttempts) throw error;
    }
  }
}

/** Changes env, container and replicas in one update, and makes sure that the replicas come up anew with them. */
export async function updateAndRollOut(
  target: Target,
  operation: Operation,
  body: UpdateBody,
): Promise<ClusterRecord | undefined> {
  const { client } = target;
  const before = await statusIfAny(target, operation);
  const record = await applyOnce(
    target,
    operation,
    () => client.updateCluster(operation.id, body, operation.request()),
    (shown) => shown.container === body.container && sameEnv(shown.env, body.env),
  );
  if (await hasBegun(target, operation, before)) return record;
  // The service stores the configuration, but does not roll it out by itself.
  operation.ctx.status("redeploying");
  await redeploy(target, operation, before);
  return record;
}

/** Exactly one POST: it is never sent again blindly, for a second one would restart every replica once more. */
async function redeploy(target: Target, operation: Operation, before: StatusRecord | undefined): Promise<void> {
  try {
    await target.client.redeployCluster(operation.id, operation.request());
  } catch (error) {
    if (!(error instanceof RequestError && error.maybeApplied)) throw error;
    if (!(await hasBegun(target, operation, before))) throw error;
    return;
  }
  // Without this, the old replicas, still healthy, could be taken for the new ones.
  await hasBegun(target, operation, before);
}

async function hasBegun(target: Target, operation: Operation, before: StatusRecord | undefined): Promise<boolean> {
  for (const pauseMs of rolloutPausesMs) {
    await target.clock.sleep(pauseMs, operation.ctx.signal);
    if (replicasChanged(before, await statusIfAny(target, operation))) return true;
  }
  return false;
}

export async function statusIfAny({ client }: Target, operation: Operation): Promise<StatusRecord | undefined> {
  try {
    return await client.getClusterStatus(operation.id, operation.request());
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Whether the replicas of before are being replaced or restarted. Pure. Those that came or went prove nothing, for the same
 * update may scale; those that stayed do, and so does it when none stayed.
 */
export function replicasChanged(before: StatusRecord | undefined, after: StatusRecord | undefined): boolean {
  const old = new Map(before?.replicas.map((replica) => [replica.id, JSON.stringify(replica)]));
  const stayed = (after?.replicas ?? []).filter(({ id }) => old.has(id));
  return stayed.length === 0 || stayed.some((replica) => JSON.stringify(replica) !== old.get(replica.id));
}

function sameEnv(shown: Readonly<Record<string, string>> | undefined, asked: UpdateBody["env"]): boolean {
  return shown !== undefined && Object.entries(asked ?? {}).every(([name, value]) => shown[name] === value);
}
