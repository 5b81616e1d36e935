const values = <T>(...listed: T[]): readonly T[] => listed;

// No option has more than three values: two long options need as many dialects as the product of their lengths. Each dialect
// costs time in every suite that tests all dialects. A question with two sides (form and place), or with a kind and its
// variants, is two options.
// The covering dialects (coveringDialects.ts), the checks of a choice (dialects.ts) and the command line's
// --list-dialects all read this table, so a new value is one word here and one line in the table that renders it.
/**
 * The questions that the specification leaves open, each with the values that the simulator supports. The first value is
 * that of `plain`. Any combination works; if two values contradict each other, the renderer says which one has priority.
 */
export const dialectOptions = {
  /** `GET /v1/clusters`: `{"clusters": [...]}`, `[...]`, or `{"data": {"items": [...]}}`. */
  listShape: ["wrapped", "bare", "nested"],
  /** The list is a list, or an object keyed by id: `{"clusters": {"cl_1": {...}}}`; a bare list is always a list. */
  listForm: ["list", "by-id"],
  /** Whether lists of clusters come in pages of `pageSize`; otherwise they are whole, without any field about pages. */
  paged: [false, true],
  /**
   * How a page names the next one: by an opaque cursor, by the next page's URL, or by a number. The cursor or URL is beside
   * the list, or in headers if the list is bare.
   */
  paging: ["cursor", "link", "numbered"],
  /** Meaning of the number: the clusters before the page, or the number of the page. */
  pageNumbers: ["offset", "page"],
  /** Get, update, delete and actions answer `{...}`, `{"cluster": {...}}`, or `{"data": {...}}`; create as specified. */
  recordShape: ["bare", "wrapped", "data"],
  /**
   * Records of clusters: as specified, or with names in camelCase, undocumented fields, the number of replicas as text and
   * a slash at the end of the endpoint; create as specified.
   */
  recordNames: ["snake", "camel"],
  /** `created_at`, except in the create answer: ISO 8601 in UTC, in another time zone, or a number of Unix seconds. */
  stampShape: ["iso", "offset", "epoch-seconds"],
  /** `GET /v1/clusters/:id` shows the container unchanged, not at all, or with the name of its registry. */
  containerEcho: ["same", "none", "registry"],
  /** `GET /v1/clusters/:id` shows env unchanged, not at all, or without its values. */
  envEcho: ["same", "none", "hidden"],
  /** Hidden values are stars, or omitted: then the names alone. */
  envHidden: ["masked", "names"],
  /** The env is an object (of names alone: a list), or a list of `{"name", "value"}` (of names alone: `{"name"}`). */
  envForm: ["map", "pairs"],
  /** Variables that the service adds to the env in its answers. */
  injectedEnv: values<Readonly<Record<string, string>>>({}, { GPU_HOST: "node-7" }),
  /** Method of the update operation on `/v1/clusters/:id`. */
  updateMethod: ["PATCH", "PUT", "POST"],
  /** Status of an answer to a method that the path does not support. */
  updateRefusal: [405, 404, 501],
  /** Whether this refusal names the allowed methods; a 404 never does. */
  refusalAllow: ["named", "unnamed"],
  /**
   * `merge`: an omitted field keeps its value. `merge-keys`: so does an omitted variable of env, and a null removes one.
   * `replace`: an omitted env is reset; an update without replicas or container is refused.
   */
  updateSemantics: ["merge", "merge-keys", "replace"],
  /** Whether an update may carry replicas; otherwise only `/scale` changes them. */
  updateFields: ["any", "no-replicas"],
  /** Whether an update of env or container restarts the replicas; otherwise it takes effect at the next redeploy. */
  updateRollsOut: [true, false],
  /** Whether the create request must carry env. */
  envRequired: [false, true],
  /** Whether a second live cluster of the same name in an organization is refused with 409 `name_taken`. */
  uniqueNames: [false, true],
  /** When the status word is `running`: if every replica is healthy, if no replica is pending, or always. */
  runningWhen: ["all-healthy", "placed", "always"],
  /** `/status` answers `{"cluster_id", "status", "replicas": ...}`, or the replicas alone. */
  statusShape: ["record", "bare"],
  /** The replicas of `/status` are a list, or `{"total": 3, "healthy": 2}`. */
  replicasForm: ["list", "counts"],
  /** `running`, `CLUSTER_STATUS_RUNNING` (of a replica `REPLICA_STATUS_...`), or `Running`; create as specified. */
  statusWords: ["plain", "upper-prefixed", "title"],
  /** A replica shows its health by a flag and a word, by the word `status` alone, or by the words `health` and `state`. */
  replicaHealth: ["flag", "word", "text"],
  /** The flag is `healthy`, beside the word `status`; or `ready`, beside `phase`. */
  replicaFlag: ["healthy", "ready"],
  /** Whether `/status` lists a replica from its creation, or only after it is scheduled. */
  replicasListed: ["always", "once-scheduled"],
  /** The actions that start a stopped cluster. Restart and redeploy are refused with 409 if they do not. */
  startedBy: ["restart-or-redeploy", "redeploy", "scale"],
  /** Status word of a stopped cluster, in the style of `statusWords`; its replicas stay `stopped`. */
  stoppedWord: ["stopped", "suspended", "paused"],
  /**
   * An update of a stopped or stopping cluster is stored until the start, or refused with 409 `invalid_state`. Or the update
   * starts the cluster, whatever fields it changes.
   */
  stoppedUpdate: ["stored", "refused", "starts"],
  /** Whether `/status` of a stopped cluster lists its replicas. */
  stoppedReplicas: ["listed", "none"],
  /** GPU lists are `{"gpus": [...]}` (or models, availability, pricing), `[...]`, or an object keyed by type. */
  gpuListShape: ["wrapped", "bare", "by-type"],
  /** Whether `GET /v1/gpus` and `/v1/gpus/availability` list the types that are sold out. */
  gpuStockListed: ["all", "in-stock-only"],
  /** The price is `2.99`, the text `"2.99"`, or `299` under a name with `cents`. */
  priceForm: ["number", "text", "cents"],
  /**
   * The price is in the record of its type (`"price_per_hour": 2.99`), in an object there (`"pricing": {"hourly": 2.99}`),
   * or in a list `pricing` beside the list of types.
   */
  pricePlace: ["flat", "object", "beside"],
  /** The stock: a flag and a count of the available GPUs, or one of these alone. */
  stockForm: ["flag-and-count", "flag", "count"],
  /** The flag is `"available": true`, or `"availability": "in_stock"`. */
  stockFlag: ["boolean", "word"],
  /** The stock is that of the whole type, or `"availability": {"eu-north": 3, "us-east": 2}`. */
  stockPlace: ["flat", "by-region"],
  /** DELETE answers 200 with the terminating cluster, 204, or 202 without a body. */
  deleteAnswer: ["cluster", "empty-204", "empty-202"],
  /**
   * Answer to a second DELETE. `gone-404`: the first answer while the cluster terminates, 404 when it is gone. `409`: 409
   * while the cluster terminates. `410`: 410 when it is gone, as for every other request about the cluster.
   */
  deleteAgain: ["gone-404", "409", "410"],
  /** Whether reads show a cluster that is gone for one more minute, as `terminated`. */
  tombstone: ["none", "listed"],
  /** Stop, restart, scale and redeploy answer 200 with the cluster, 202 without a body, or 202 with an operation. */
  actionAnswer: ["cluster", "empty-202", "operation"],
  /** Whether a cluster that is changing its state refuses every change with 409 `cluster_busy`. */
  busyWhen: ["never", "changing"],
  /** Codes and statuses as documented; or other words, and 422 instead of 400. */
  errorCodes: ["documented", "other"],
  /** `{"error": {"code", "message", "status"}}`, or `{"message", "code"}` without an envelope. */
  errorShape: ["envelope", "flat"],
  /** Status of a request over the rate limit. */
  rateLimitStatus: [429, 503],
  /** Whether the refusal of a request over the rate limit has a `Retry-After`. */
  rateLimitForm: ["retry-after", "no-retry-after"],
  /** `X-RateLimit-Reset` as a Unix time in seconds or milliseconds, or as seconds from now. */
  rateResetUnit: ["seconds", "milliseconds", "delta"],
  /** Path of the descriptor document. */
  descriptorPath: values<string>("/", "/v1", "/api"),
} as const;

/** Default number of clusters on one page: small, so that a few clusters make several pages. */
export const defaultPageSize = 2;

type Options = typeof dialectOptions;
type Listed<Option extends keyof Options> = Options[Option][number];
type Further<Option> = Option extends keyof typeof furtherValues ? (typeof furtherValues)[Option][number] : never;

/** One reading of the specification: a value for each question that the specification leaves open. */
export type Dialect = { readonly [Option in keyof Options]: Listed<Option> | Further<Option> } & {
  readonly [Option in keyof typeof furtherOptions]: (typeof furtherOptions)[Option][number];
} & {
  /** Number of clusters on one page of a list with pages. */
  readonly pageSize: number;
};

/** One entry per value of an option: how the simulator behaves with it. */
export type PerValue<Option extends keyof Dialect, Entry> = Readonly<
  Record<Dialect[Option] & (string | number), Entry>
>;

// These options describe the published service and faulty services. The covering dialects do not vary them. Most of them
// change the requests that a client has to send, and a client with one form of requests cannot work with all pairs.
/**
 * Options besides those of the covering dialects. The first value is that of `plain` and of every mix. Each option can be
 * set on top of any dialect.
 */
export const furtherOptions = {
  /**
   * Records of clusters and replicas: as in the specification, or as the official Python client reads them. The client's
   * records have the client's states, and the replicas in the answer to get. They ignore `recordNames` and `statusWords`.
   */
  records: ["specification", "client"],
  /** Ids of clusters, replicas and GPU types: `cl_1`, `rep_1` and `h100`, or UUIDs. */
  ids: ["words", "uuids"],
  /** The default GPU types: the simulator's own, or the published ones, such as rtx-4090. */
  catalog: ["own", "published"],
  /** Names of request fields: `gpu_type`, `replicas`, `container`, `env`; `gpuModelId`, `replicaCount`, `imageUrl`, `envVars`. */
  requestNames: ["specification", "client", "both"],
  /** Whether an unknown field of a request is refused or ignored. */
  unknownFields: ["refused", "ignored"],
  /** Whether requests may carry port, tier, size, autoscaling and so on; otherwise these fields are unknown. */
  extraFields: ["unknown", "stored"],
  /** The existing endpoints: all of the specification, or only those in its descriptor. */
  endpoints: ["all", "described"],
  /**
   * The descriptor: true; or lying: it names the path `/status` and an update by another method, and omits `scale`; or
   * absent.
   */
  descriptor: ["true", "lying", "absent"],
  /** Records of GPU models, availability and prices: by the other options, or as the official client reads them. */
  gpus: ["specification", "client"],
  /** `GET /v1/gpus/pricing`: by the other options, or `{"gpu": [...], "cpu": []}` with cents by model and tier. */
  priceList: ["same", "cents"],
  /** The clusters that can be restarted. The restart of any other cluster is refused with 409 `invalid_state`. */
  restartOf: ["any", "stopped"],
  /**
   * Refusal of a request that needs more GPUs than are free: 409 `insufficient_capacity`; 503 `INSUFFICIENT_GPU_CAPACITY` or
   * `NODE_AT_CAPACITY`, or 400 `GPU_COUNT_NOT_ALLOCATABLE`, as the control plane of the published service writes them.
   */
  capacityRefusal: ["insufficient", "insufficient-gpu", "node-full", "count"],
  /** The health of a replica in client records if the cluster has no health check (`healthCheckEnabled`). */
  uncheckedHealth: ["same", "false"],
} as const;

/** Further values of the covering options, which the covering dialects do not use. */
export const furtherValues = {
  /** `repeating` is a broken service: its cursors never end and lead to the first page. `next-cursor`: `nextCursor`. */
  paging: ["repeating", "next-cursor"],
  /** `{"data": [...]}`, and `{"items": [...]}`. */
  listShape: ["data", "items"],
  /** `{"error": {"type", "code", "message"}}`, with or without the code. */
  errorShape: ["typed", "typed-no-code"],
  /** A cluster that is gone is removed from the list, but stays readable by id. */
  tombstone: ["readable"],
} as const;
