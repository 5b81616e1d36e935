import { type ClusterRecord, clusterNames, notRecords, type Reader, recordDepth } from "../records";
import { readCluster } from "./clusterRecord";
import { objectsIn, plainName } from "./json";

const envNames: ReadonlySet<string> = new Set(clusterNames.env);

/** One cluster, read by its id, with everything that the answer shows of it: also fields that this package does not know. */
export const readDetail =
  (id: string): Reader<ClusterRecord> =>
  (json) => ({ ...readCluster(id)(json), fields: fieldsIn(json) });

/** By plain name, the outermost first; null stays, for it says that something is not there. Never values of env. */
function fieldsIn(json: unknown): Record<string, unknown> {
  const objects = objectsIn(json, recordDepth, notRecords);
  const entries = objects.flatMap((object) =>
    Object.entries(object).map(([name, value]) => [plainName(name), value] as const),
  );
  return Object.fromEntries(entries.filter(([name]) => !envNames.has(name)).reverse());
}
