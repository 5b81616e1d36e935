import { isNotFound } from "../../errors";
import { type ClusterRecord, clusterNames, notRecords, type Reader, recordDepth, type StatusRecord } from "../records";
import { readCluster } from "./clusterRecord";
import { objectsIn, plainName } from "./json";
import { stateOf } from "./states";

const envNames: ReadonlySet<string> = new Set(clusterNames.env);

/** One cluster, read by its id, with everything that the answer shows of it: also fields that this package does not know. */
export const readDetail =
  (id: string): Reader<ClusterRecord> =>
  (json) => {
    const record = readCluster(id)(json);
    const fields = fieldsIn(json);
    return { ...record, ...(record.health ? { health: knownHealth(record.health, fields) } : {}), fields };
  };

/** A cluster whose health check is switched off says nothing of health: its replicas are judged by their states. */
function knownHealth(health: StatusRecord, fields: ReadonlyMap<string, unknown>): StatusRecord {
  if (fields.get("health_check_enabled") !== false) return health;
  const replicas = health.replicas.map((replica) => ({ ...replica, healthy: stateOf(replica.status) === "running" }));
  return { ...health, replicas };
}

/** By plain name, the outermost first; null stays, for it says that something is not there. Never values of env. */
function fieldsIn(json: unknown): ReadonlyMap<string, unknown> {
  const objects = objectsIn(json, recordDepth, notRecords);
  const entries = objects.flatMap((object) =>
    Object.entries(object).map(([name, value]) => [plainName(name), value] as const),
  );
  return new Map(entries.filter(([name]) => !envNames.has(name)).reverse());
}

/**
 * The health that a record shows. If it shows no replicas, its word speaks for all of them, but not in place of a 404, which
 * may be about replicas that are not there yet.
 */
export function statusIn({ health, status }: ClusterRecord, missing?: unknown): StatusRecord | undefined {
  const word = status === undefined ? {} : { status };
  if (health) return { ...health, ...word };
  return isNotFound(missing) ? undefined : { replicas: [], ...word, overall: stateOf(status) === "running" };
}
