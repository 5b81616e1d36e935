import { messageOf, RequestError, ResponseShapeError } from "../../errors";
import { type ClusterList, type ClusterRecord, clusterListNames } from "../records";
import { isKeyedCluster, readListed } from "./clusterRecord";
import { Fields, isRecord, UnreadableError } from "./json";
import { findRecords, type ListKind } from "./listing";
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
  let answer = await get();
  const firstNumber = pageNumber(answer) ?? 1;
  let isSure = true;
  for (let soFar = 0; ; ) {
    const page = readPage(answer.json);
    const fresh = page.clusters.filter(({ id }) => !found.has(id.toLowerCase()));
    for (const cluster of fresh) found.set(cluster.id.toLowerCase(), cluster);
    isSure &&= page.sure;
    soFar += page.count;
    const list = { clusters: [...found.values()], complete: false };
    const next = nextPage({ ...answer, count: page.count, soFar, firstNumber });
    // A cluster that moved from page to page while they were read may hide another that did so.
    if (next.kind !== "page") return { ...list, complete: isSure && next.kind === "end" && found.size === soFar };
    const isRepeated = asked.has(next.query) || (page.count > 0 && fresh.length === 0);
    if (isRepeated || asked.size >= mostPages)
      return { ...list, problem: "the service answers the same page again and again" };
    asked.add(next.query);
    try {
      answer = await get(next.query);
      readPage(answer.json);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return {
        ...list,
        problem: `the service shows that there are more clusters, but not how to list them: ${messageOf(error)}`,
      };
    }
  }
}

/** A page that the service will not give, or that cannot be read, stays so; anything else is worth another attempt. */
function isRefusal(error: unknown): boolean {
  const isRefused = error instanceof RequestError && error.outcome === "refused";
  return isRefused || error instanceof ResponseShapeError || error instanceof UnreadableError;
}

function readPage(json: unknown) {
  const listing = findRecords(json, clusters) ?? nothingIn(json);
  const read = listing.records.map(readListed).filter((cluster) => cluster !== undefined);
  return {
    clusters: read,
    count: listing.records.length,
    sure: listing.sure && read.length === listing.records.length,
  };
}

/** `{}` may be a map without clusters, or an answer that says nothing. */
function nothingIn(json: unknown) {
  if (isRecord(json) && new Fields(json).names().length === 0) return { records: [], sure: false };
  throw new UnreadableError("it is not a list of records in any form that this version knows");
}
