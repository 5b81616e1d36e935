import { type ClusterList, clusterListNames } from "../records";
import { isKeyedCluster, readListed } from "./clusterRecord";
import { Fields, isRecord, UnreadableError } from "./json";
import { findRecords, type Listing, type ListKind } from "./listing";
import { type Answer, type GetPage, walkPages } from "./pageWalk";

const clusters: ListKind = {
  names: clusterListNames,
  holds: (value) => readListed(value) !== undefined,
  holdsKeyed: isKeyedCluster,
  key: "id",
};

/** Reads all pages of the list of clusters. */
export async function readClusterList(get: GetPage): Promise<ClusterList> {
  const { items, ...rest } = await walkPages(get, readPage, ({ id }) => id.toLowerCase());
  return { clusters: items, ...rest };
}

function readPage({ json, headers }: Answer) {
  const { records, members, sure: isWhole } = findRecords(json, clusters) ?? nothingIn(json);
  const items = records.map(readListed).filter((cluster) => cluster !== undefined);
  // If the answer says that there are no clusters, an empty list under any name is the list.
  const isNone = records.length === 0 && new Fields(json).get("total") === 0;
  return {
    json,
    headers,
    members,
    items,
    count: records.length,
    sure: isNone || (isWhole && items.length === records.length),
  };
}

/** `{}` may be a map without clusters, or an answer that says nothing. */
function nothingIn(json: unknown): Listing {
  const isNothing = isRecord(json) && new Fields(json).names().length === 0;
  if (isNothing) return { records: [], members: new Set(), sure: false };
  throw new UnreadableError("it is not a list of records in any form that this version knows");
}
