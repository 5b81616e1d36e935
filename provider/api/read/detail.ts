import { isNotFound } from "../../errors";
import { type ClusterRecord, clusterNames, notRecords, type Reader, recordDepth, type StatusRecord } from "../records";
import { readCluster } from "./clusterRecord";
import { objectsIn, plainName } from "./json";
import { stateOf } from "./states";

const envNames: ReadonlySet<string> = new Set(clusterNames.env);

/** Reads one cluster by its id, with all fields of the answer, including those unknown to this package. */
export const readDetail =
  (id: string): Reader<ClusterRecord> =>
  (json) => {
    const record = readCluster(id)(json);
    const fields = fieldsIn(json);
    return { ...record, ...(record.health ? { health: knownHealth(record.health, fields) } : {}), fields };
  };

/** If the health check of a cluster is off, its health says nothing: the states of its replicas count. */
function knownHealth(health: StatusRecord, fields: ReadonlyMap<string, unknown>): StatusRecord {
  if (fields.get("health_check_enabled") !== false) return health;
  const replicas = health.replicas.map((replica) => ({ ...replica, healthy: stateOf(replica.status) === "running" }));
  return { ...health, replicas };
}

/** The fields by plain name, without env; the outermost one counts. null stays: it shows that a value is absent. */
function fieldsIn(json: unknown): ReadonlyMap<string, unknown> {
  const objects = objectsIn(json, recordDepth, notRecords);
  const entries = objects.flatMap((object) =>
    Object.entries(object).map(([name, value]) => [plainName(name), value] as const),
  );
  return new Map(entries.filter(([name]) => !envNames.has(name)).reverse());
}

/**
 * The health that a record shows. Without replicas, its status word counts for all of them, and nothing is known about
 * them otherwise. Not after a 404: that may be about replicas that do not exist yet.
 */
export function statusIn({ health, status }: ClusterRecord, missing?: unknown): StatusRecord | undefined {
  const word = status === undefined ? {} : { status };
  if (health) return { ...health, ...word };
  return isNotFound(missing)
    ? undefined
    : { replicas: [], ...word, overall: stateOf(status) === "running", isMissing: true };
}
