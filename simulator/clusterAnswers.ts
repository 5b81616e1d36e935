import { type Answer, invalid } from "./answers";
import { clientChanged, clientCreated, clientDetail, clientListed, clientScaled, shown } from "./clientRecords";
import { clusterDetail, clusterRecord, createdRecord } from "./clusterRecords";
import type { Dialect, PerValue } from "./dialectOptions";
import type { Service } from "./fleet";
import type { SimulatedCluster } from "./life";

/** The records of clusters in the answers of one kind of service. */
interface RecordForm {
  /** The whole answer to a creation. */
  created(cluster: SimulatedCluster): unknown;
  /** The record in a list. */
  listed(cluster: SimulatedCluster): object;
  /** The answer to a read by id. */
  detail(cluster: SimulatedCluster): unknown;
  /** The answer to a change; for a scale, `before` is the number of replicas before the change. */
  changed(cluster: SimulatedCluster, before?: number): unknown;
}

const recordForms: PerValue<"form", (service: Service) => RecordForm> = {
  specification: ({ dialect }) => {
    const around = oneCluster[dialect.recordShape];
    return {
      created: (cluster) => createdRecord(cluster, dialect),
      listed: (cluster) => clusterRecord(cluster, dialect),
      detail: (cluster) => around(clusterDetail(cluster, dialect)),
      changed: (cluster) => around(clusterRecord(cluster, dialect)),
    };
  },
  client: ({ dialect, fleet }) => {
    const around = oneCluster[dialect.recordShape];
    const facts = (cluster: SimulatedCluster) => shown(cluster, fleet, dialect);
    return {
      created: (cluster) => around(clientCreated(facts(cluster))),
      listed: (cluster) => clientListed(facts(cluster)),
      detail: (cluster) => around(clientDetail(facts(cluster))),
      changed: (cluster, before) =>
        around(before === undefined ? clientChanged(facts(cluster)) : clientScaled(facts(cluster), before)),
    };
  },
};

/** The record form of a service's dialect. */
export function recordForm(service: Service): RecordForm {
  return recordForms[service.dialect.form](service);
}

/** The wrapping of a single cluster in an answer. */
const oneCluster: PerValue<"recordShape", (record: object) => unknown> = {
  bare: (record) => record,
  wrapped: (record) => ({ cluster: record }),
  data: (record) => ({ data: record }),
};

/** Answer of stop, restart, scale and redeploy. */
export const acted: PerValue<"actionAnswer", (answered: unknown) => Answer> = {
  cluster: (answered) => ({ status: 200, body: answered }),
  empty: () => ({ status: 202 }),
};

/** Clusters on one page: few, so that a few clusters make several pages. */
const pageSize = 2;

/** The query parameters of lists of clusters. The service refuses every other parameter. */
export function pageParameters({ paging }: Dialect): string[] {
  return paging === "none" ? [] : ["cursor"];
}

/** The list of clusters, or the page of it that the query of a request selects. */
export function listAnswer<T>(
  clusters: readonly T[],
  { cursor }: Readonly<Record<string, string>>,
  { listShape, paging }: Dialect,
  render: (cluster: T) => object,
): Answer {
  const start = cursor === undefined ? 0 : startOfCursor(cursor);
  if (Number.isNaN(start)) throw invalid(`There is no page "cursor=${cursor}".`);
  const end = paging === "none" ? clusters.length : start + pageSize;
  const next = end < clusters.length ? cursorOf(end) : undefined;
  const list = clusters.slice(start, end).map(render);
  const body = listShapes[listShape](list, pageFields[paging](next));
  return { status: 200, body, headers: listShape === "bare" && next !== undefined ? { "X-Next-Cursor": next } : {} };
}

/** What stands beside the list about the next page. */
const pageFields: PerValue<"paging", (next: string | undefined) => object> = {
  none: () => ({}),
  cursor: (next) => ({ next_cursor: next ?? null }),
  "next-cursor": (next) => (next === undefined ? {} : { nextCursor: next }),
};

const listShapes: PerValue<"listShape", (list: object[], fields: object) => unknown> = {
  wrapped: (list, fields) => ({ clusters: list, ...fields }),
  // A bare list has no fields beside it: a header names the next page.
  bare: (list) => list,
  data: (list, fields) => ({ data: list, ...fields }),
  items: (list, fields) => ({ items: list, ...fields }),
};

/** Opaque on purpose: a client must send the cursor back unchanged. */
function cursorOf(start: number): string {
  return Buffer.from(`from:${start}`).toString("base64");
}

function startOfCursor(cursor: string): number {
  const [, digits = ""] = /^from:(\d{1,9})$/.exec(Buffer.from(cursor, "base64").toString()) ?? [];
  const start = digits === "" ? Number.NaN : Number(digits);
  return cursorOf(start) === cursor ? start : Number.NaN;
}
