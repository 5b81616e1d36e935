import { randomBytes } from "node:crypto";
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

const recordForms: PerValue<"records", (service: Service) => RecordForm> = {
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
  return recordForms[service.dialect.records](service);
}

/** The wrapping of a single cluster in an answer. */
const oneCluster: PerValue<"recordShape", (record: object) => unknown> = {
  bare: (record) => record,
  wrapped: (record) => ({ cluster: record }),
  data: (record) => ({ data: record }),
};

/** Answer of DELETE; `answered` is the cluster's record in other answers. */
export const deleted: PerValue<"deleteAnswer", (answered: unknown) => Answer> = {
  cluster: (answered) => ({ status: 200, body: answered }),
  "empty-204": () => ({ status: 204 }),
  "empty-202": () => ({ status: 202 }),
};

/** Answer of stop, restart, scale and redeploy. */
export const acted: PerValue<"actionAnswer", (answered: unknown) => Answer> = {
  cluster: (answered) => ({ status: 200, body: answered }),
  "empty-202": () => ({ status: 202 }),
  // The id looks like an operation's, but no request can read it: the specification has no path for operations.
  operation: () => ({ status: 202, body: { id: `op_${randomBytes(4).toString("hex")}`, status: "accepted" } }),
};

/** One page: the index at which it begins in the whole list, and the index of the next page, if there is one. */
interface Page {
  start: number;
  size: number;
  total: number;
  next: number | undefined;
}

interface Paging {
  /** The query parameter that selects a page. The service refuses every other parameter. */
  parameter?: string;
  /** The index at which the requested page begins, or NaN if there is no such page. Called only with a parameter. */
  start?(value: string, size: number): number;
  /** The part of the list on the page that begins at `start`. */
  cut(start: number, size: number, total: number): { from: number; to: number; next: number | undefined };
  /** The fields beside the list. */
  fields(page: Page): object;
  /** The same facts as headers, for a bare list. */
  headers(page: Page): Record<string, string>;
}

const path = "/v1/clusters";

function cutPage(start: number, size: number, total: number) {
  const to = Math.min(start + size, total);
  return { from: start, to, next: to < total ? to : undefined };
}

const cursors: Paging = {
  parameter: "cursor",
  start: startOfCursor,
  cut: cutPage,
  fields: ({ next }) => ({ next_cursor: next === undefined ? null : cursorOf(next) }),
  headers: ({ next }): Record<string, string> => (next === undefined ? {} : { "X-Next-Cursor": cursorOf(next) }),
};

const nextCursors: Paging = {
  ...cursors,
  // Absent on the last page.
  fields: ({ next }): object => (next === undefined ? {} : { nextCursor: cursorOf(next) }),
};

const links: Paging = {
  parameter: "from",
  start: startOfCursor,
  cut: cutPage,
  fields: ({ next }) => ({ links: { next: next === undefined ? null : urlOf(next) } }),
  headers: ({ next }): Record<string, string> => (next === undefined ? {} : { Link: `<${urlOf(next)}>; rel="next"` }),
};

const repeating: Paging = {
  ...cursors,
  // Each cursor is new, so that only the repeated clusters show that no new ones come.
  cut: (start, size, total) => ({ from: 0, to: Math.min(size, total), next: start + size }),
};

const whole: Paging = {
  cut: (_start, _size, total) => ({ from: 0, to: total, next: undefined }),
  fields: () => ({}),
  headers: () => ({}),
};

const numbered: PerValue<"pageNumbers", Paging> = {
  offset: {
    parameter: "offset",
    start: (value) => wholeNumber(value),
    cut: cutPage,
    fields: ({ start, size, total }) => ({ offset: start, limit: size, total }),
    headers: ({ start, total }) => ({ "X-Offset": String(start), "X-Total-Count": String(total) }),
  },
  page: {
    parameter: "page",
    // There is no page 0.
    start: (value, size) => (wholeNumber(value) || Number.NaN) * size - size,
    cut: cutPage,
    fields: (page) => ({ page: numberOf(page), total_pages: pagesOf(page) }),
    headers: (page) => ({ "X-Page": String(numberOf(page)), "X-Total-Pages": String(pagesOf(page)) }),
  },
};

const pagings: PerValue<"paging", (dialect: Dialect) => Paging> = {
  cursor: () => cursors,
  link: () => links,
  numbered: ({ pageNumbers }) => numbered[pageNumbers],
  repeating: () => repeating,
  "next-cursor": () => nextCursors,
};

/** The query parameters of lists of clusters. */
export function pageParameters(dialect: Dialect): string[] {
  const { parameter } = pagingOf(dialect);
  return parameter === undefined ? [] : [parameter];
}

/** The page of a list that the query of a request selects. */
export function listAnswer<T extends { id: string }>(
  clusters: readonly T[],
  query: Readonly<Record<string, string>>,
  dialect: Dialect,
  render: (cluster: T) => object,
): Answer {
  const { pageSize: size, listShape, listForm } = dialect;
  const paging = pagingOf(dialect);
  const total = clusters.length;
  const asked = query[paging.parameter ?? ""];
  const start = asked === undefined ? 0 : (paging.start?.(asked, size) ?? 0);
  if (Number.isNaN(start)) throw invalid(`There is no page "${paging.parameter}=${asked}".`);
  const { from, to, next } = paging.cut(start, size, total);
  const page = { start, size, total, next };
  const items = clusters.slice(from, to).map((cluster) => ({ id: cluster.id, record: render(cluster) }));
  // A bare map without clusters would be `{}`, which is ambiguous.
  const form = listShape === "bare" ? "list" : listForm;
  const body = shapes[listShape](forms[form](items), paging.fields(page));
  return { status: 200, body, headers: listShape === "bare" ? paging.headers(page) : {} };
}

function pagingOf(dialect: Dialect): Paging {
  return dialect.paged ? pagings[dialect.paging](dialect) : whole;
}

interface Item {
  id: string;
  record: object;
}

const forms: PerValue<"listForm", (items: Item[]) => object> = {
  list: (items) => items.map(({ record }) => record),
  "by-id": (items) => Object.fromEntries(items.map(({ id, record }) => [id, record])),
};

const shapes: PerValue<"listShape", (list: object, fields: object) => unknown> = {
  wrapped: (list, fields) => ({ clusters: list, ...fields }),
  // A bare list has no fields beside it: headers carry the facts.
  bare: (list) => list,
  nested: (list, fields) => ({ data: { items: list, ...fields } }),
  data: (list, fields) => ({ data: list, ...fields }),
  items: (list, fields) => ({ items: list, ...fields }),
};

/** Opaque on purpose: a client must send the cursor back unchanged. */
function cursorOf(start: number): string {
  return Buffer.from(`from:${start}`).toString("base64");
}

function startOfCursor(cursor: string): number {
  const [, start = ""] = /^from:(.*)$/.exec(Buffer.from(cursor, "base64").toString()) ?? [];
  const number = wholeNumber(start);
  return cursorOf(number) === cursor ? number : Number.NaN;
}

function urlOf(start: number): string {
  return `${path}?${new URLSearchParams({ from: cursorOf(start) })}`;
}

function wholeNumber(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}

function numberOf({ start, size }: Page): number {
  return start / size + 1;
}

function pagesOf({ total, size }: Page): number {
  return Math.max(1, Math.ceil(total / size));
}
