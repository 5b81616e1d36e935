import type { furtherOptions, furtherValues } from "./furtherOptions";

const values = <T>(...listed: T[]): readonly T[] => listed;

// No option has more than three values: two long options alone make as many dialects as the product of their lengths, and
// each dialect costs every suite that tries all of them. What has two sides (form and place), or a kind and its variants,
// is two options.
// The covering dialects (coveringDialects.ts), the checks of a choice (parseDialect.ts) and the command line's
// --list-dialects all read this table, so a new value is one word here and one line in the table that renders it.
/**
 * The questions that the specification leaves open, each with the answers that the simulator can give. The first
 * answer is the one of `plain`. Any combination works; where two answers contradict each other, the renderer says
 * which one gives way.
 */
export const dialectOptions = {
  /** `GET /v1/clusters`: `{"clusters": [...]}`, `[...]`, or `{"data": {"items": [...]}}`. */
  listShape: ["wrapped", "bare", "nested"],
  /** That list is one, or an object keyed by id: `{"clusters": {"cl_1": {...}}}`; a bare one is always a list. */
  listForm: ["list", "by-id"],
  /** Whether lists of clusters come in pages of `pageSize`; otherwise they are whole, and say nothing of pages. */
  paged: [false, true],
  /**
   * How a page says what follows it, and is asked for: by an opaque cursor, by the next page's URL, or by a number. The
   * facts stand beside the list, or in headers where the list is bare.
   */
  paging: ["cursor", "link", "numbered"],
  /** What that number counts: the clusters before the page, or the pages. */
  pageNumbers: ["offset", "page"],
  /** Get, update, delete and actions answer `{...}`, `{"cluster": {...}}`, or `{"data": {...}}`; create as specified. */
  recordShape: ["bare", "wrapped", "data"],
  /**
   * Records of clusters: as specified, or with names in camelCase, fields that nobody knows, the number of replicas as
   * text and a slash at the end of the endpoint; create as specified.
   */
  recordNames: ["snake", "camel"],
  /** `created_at`, but in the create answer: ISO 8601 in UTC, in another time zone, or a number of Unix seconds. */
  stampShape: ["iso", "offset", "epoch-seconds"],
  /** `GET /v1/clusters/:id` says the container as it was sent, not at all, or with the registry that it comes from. */
  containerEcho: ["same", "none", "registry"],
  /** `GET /v1/clusters/:id` says env as it was sent, not at all, or without its values. */
  envEcho: ["same", "none", "hidden"],
  /** Hidden values are stars, or left out: the names alone. */
  envHidden: ["masked", "names"],
  /** That env is an object (of names alone: a list), or a list of `{"name", "value"}` (of names alone: `{"name"}`). */
  envForm: ["map", "pairs"],
  /** Variables that the service adds to the env that it echoes. */
  injectedEnv: values<Readonly<Record<string, string>>>({}, { GPU_HOST: "node-7" }),
  /** Method of the update operation on `/v1/clusters/:id`. */
  updateMethod: ["PATCH", "PUT", "POST"],
  /** Status of a method that a path does not have. */
  updateRefusal: [405, 404, 501],
  /** Whether that refusal names the methods that there are; a 404 never does. */
  refusalAllow: ["named", "unnamed"],
  /**
   * What an update leaves out keeps its value, down to each variable in env (a null removes one), or is reset (env) and
   * refused as missing (replicas, container).
   */
  updateSemantics: ["merge", "merge-keys", "replace"],
  /** Whether an update may carry replicas; otherwise only `/scale` changes them. */
  updateFields: ["any", "no-replicas"],
  /** Whether an update of env or container restarts the replicas by itself; otherwise it waits for a redeploy. */
  updateRollsOut: [true, false],
  /** Whether the create request must carry env. */
  envRequired: [false, true],
  /** Whether a second live cluster of the same name in an organization is refused with 409 `name_taken`. */
  uniqueNames: [false, true],
  /** The status word is `running` once every replica is healthy, as soon as none is pending, or from the first moment. */
  runningWhen: ["all-healthy", "placed", "always"],
  /** `/status` answers `{"cluster_id", "status", "replicas": ...}`, or the replicas alone. */
  statusShape: ["record", "bare"],
  /** Those replicas are a list, an object keyed by id, or `{"total": 3, "healthy": 2}`. */
  replicasForm: ["list", "by-id", "counts"],
  /** `running`, `CLUSTER_STATUS_RUNNING` (of a replica `REPLICA_STATUS_...`), or `Running`; create says it as specified. */
  statusWords: ["plain", "upper-prefixed", "title"],
  /** A replica says its health by a flag and a word, by the word `status` alone, or by `health` in words and `state`. */
  replicaHealth: ["flag", "word", "text"],
  /** That flag is `healthy`, beside the word `status`; or `ready`, beside `phase`. */
  replicaFlag: ["healthy", "ready"],
  /** Whether `/status` knows a replica from the start, or only once it has a place. */
  replicasListed: ["always", "once-scheduled"],
  /** Which actions start a stopped cluster. Restart and redeploy are refused with 409 where they do not. */
  startedBy: ["restart-or-redeploy", "redeploy", "scale"],
  /** What a stopped cluster calls itself, in the style of `statusWords`; its replicas stay `stopped`. */
  stoppedWord: ["stopped", "suspended", "paused"],
  /**
   * An update of a cluster that is stopped, or about to be, is stored until the start, refused with 409 `invalid_state`,
   * or starts the cluster, whatever it changes.
   */
  stoppedUpdate: ["stored", "refused", "starts"],
  /** Whether `/status` of a stopped cluster lists its replicas. */
  stoppedReplicas: ["listed", "none"],
  /** GPU lists are `{"gpus": [...]}` (or models, availability, pricing), `[...]`, or an object keyed by type. */
  gpuListShape: ["wrapped", "bare", "by-type"],
  /** Whether `GET /v1/gpus` and `/v1/gpus/availability` name the types that are sold out. */
  gpuStockListed: ["all", "in-stock-only"],
  /** The price is `2.99`, a text, or `299` under a name with `cents`. */
  priceForm: ["number", "text", "cents"],
  /** That text is `"2.99"`, or `"$2.99/hr"`. */
  priceText: ["plain", "currency"],
  /**
   * It stands in the record of its type (`"price_per_hour": 2.99`), in an object there (`"pricing": {"hourly": 2.99}`), or
   * in a list `pricing` beside the one of the types.
   */
  pricePlace: ["flat", "object", "beside"],
  /** What can be had: whether any, with how many; or one of them alone. */
  stockForm: ["flag-and-count", "flag", "count"],
  /** Whether any can be had is `"available": true`, or `"availability": "in_stock"`. */
  stockFlag: ["boolean", "word"],
  /** It is said of the type as a whole, or `"availability": {"eu-north": 3, "us-east": 2}`. */
  stockPlace: ["flat", "by-region"],
  /** DELETE answers 200 with the terminating cluster, 204, or 202 without a body. */
  deleteAnswer: ["cluster", "empty-204", "empty-202"],
  /**
   * A second DELETE is answered like the first while the cluster terminates, and with 404 when it is gone; or with 409
   * while it terminates; or with 410 when it is gone, as every other request about it.
   */
  deleteAgain: ["gone-404", "409", "410"],
  /** Whether reads show a cluster that is gone for a minute more, as `terminated`. */
  tombstone: ["none", "listed"],
  /** Stop, restart, scale and redeploy answer 200 with the cluster, 202 without a body, or 202 with an operation. */
  actionAnswer: ["cluster", "empty-202", "operation"],
  /** Whether a cluster on its way to another state refuses every change with 409 `cluster_busy`. */
  busyWhen: ["never", "changing"],
  /** Codes and statuses as documented; or other words, and 422 for 400. */
  errorCodes: ["documented", "other"],
  /** `{"error": {"code", "message", "status"}}`, or `{"message", "code"}` without an envelope. */
  errorShape: ["envelope", "flat"],
  /** Status of a request over the rate limit. */
  rateLimitStatus: [429, 503],
  /** Whether the refusal of a request over the rate limit says when to come again. */
  rateLimitForm: ["retry-after", "no-retry-after"],
  /** `X-RateLimit-Reset` as a Unix time in seconds or milliseconds, or as seconds from now. */
  rateResetUnit: ["seconds", "milliseconds", "delta"],
  /** Path of the descriptor document. */
  descriptorPath: values<string>("/", "/v1", "/api"),
} as const;

/** Clusters on one page, where nobody says otherwise: few, so that a handful of clusters makes several pages. */
export const defaultPageSize = 2;

type Options = typeof dialectOptions;
type Listed<Option extends keyof Options> = Options[Option][number];
type Further<Option> = Option extends keyof typeof furtherValues ? (typeof furtherValues)[Option][number] : never;

/** One reading of the specification: an answer to each question that it leaves open. */
export type Dialect = { readonly [Option in keyof Options]: Listed<Option> | Further<Option> } & {
  readonly [Option in keyof typeof furtherOptions]: (typeof furtherOptions)[Option][number];
} & {
  /** Clusters on one page of a list that has pages. */
  readonly pageSize: number;
};

/** One entry per value of an option: how the simulator behaves with it. */
export type PerValue<Option extends keyof Dialect, Entry> = Readonly<
  Record<Dialect[Option] & (string | number), Entry>
>;
