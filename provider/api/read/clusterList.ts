import { messageOf, RequestError, ResponseShapeError } from "../../errors";
import { type ClusterList, type ClusterRecord, clusterListNames } from "../records";
import { isKeyedCluster, readListed } from "./clusterRecord";
import { Fields, isRecord, UnreadableError } from "./json";
import { findRecords, type Listing, type ListKind } from "./listing";
import { nextPage, pageNumber } from "./pages";

const clusters: ListKind = {
  names: clusterListNames,
  holds: (value) => readListed(value) !== undefined,
  holdsKeyed: isKeyedCluster,
  key: "id",
};

/** Far more than any organization has; the end of a list that never ends. */
const mostPages = 1_000;

/** One answer, as far as a list needs it. */
export interface Answer {
  readonly json: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads the list of clusters page by page to its end. The first page has to be readable; what cannot be had of the others
 * leaves the list incomplete, with the reason.
 */
export async function readClusterList(get: (query?: string) => Promise<Answer>): Promise<ClusterList> {
  const found = new Map<string, ClusterRecord>();
  const asked = new Set<string>();
  let page = readPage(await get());
  const firstNumber = pageNumber(page) ?? 1;
  let isSure = true;
  for (let soFar = 0; ; ) {
    const fresh = page.clusters.filter(({ id }) => !found.has(id.toLowerCase()));
    for (const cluster of fresh) found.set(cluster.id.toLowerCase(), cluster);
    isSure &&= page.sure;
    soFar += page.count;
    const listed = (more: Partial<ClusterList>): ClusterList => ({
      clusters: [...found.values()],
      complete: false,
      ...more,
    });
    const next = nextPage({ ...page, soFar, firstNumber });
    // A cluster that moved from page to page while they were read may hide another that did so.
    if (next.kind !== "page") return listed({ complete: isSure && next.kind === "end" && found.size === soFar });
    const isRepeated = asked.has(next.query) || (page.count > 0 && fresh.length === 0);
    if (isRepeated || asked.size >= mostPages) return listed({ problem: repeats });
    asked.add(next.query);
    try {
      page = readPage(await get(next.query));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return listed({ problem: `${unlisted}: ${messageOf(error)}` });
    }
  }
}

const repeats = "the service answers the same page again and again";
const unlisted = "the service shows that there are more clusters, but not how to list them";

/** A page that the service will not give, or that cannot be read, stays so; anything else is worth another attempt. */
function isRefusal(error: unknown): boolean {
  const isRefused = error instanceof RequestError && error.outcome === "refused";
  return isRefused || error instanceof ResponseShapeError || error instanceof UnreadableError;
}

function readPage({ json, headers }: Answer) {
  const listing = findRecords(json, clusters) ?? nothingIn(json);
  const { records, members } = listing;
  const read = records.map(readListed).filter((cluster) => cluster !== undefined);
  // Where it is said that there are none, an empty list of any kind is the one.
  const isNone = records.length === 0 && new Fields(json).get("total") === 0;
  const sure = isNone || (listing.sure && read.length === records.length);
  return { json, headers, members, clusters: read, count: records.length, sure };
}

/** `{}` may be a map without clusters, or an answer that says nothing. */
function nothingIn(json: unknown): Listing {
  const isNothing = isRecord(json) && new Fields(json).names().length === 0;
  if (isNothing) return { records: [], members: new Set(), sure: false };
  throw new UnreadableError("it is not a list of records in any form that this version knows");
}
