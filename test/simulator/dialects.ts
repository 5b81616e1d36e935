/** One reading of the specification: an answer to each question that it leaves open. */
export interface Dialect {
  /** `GET /v1/clusters` answers `[...]` or `{"clusters": [...]}`. */
  listShape: "bare" | "wrapped";
  /** Get, update, delete and actions answer `{...}` or `{"cluster": {...}}`; create is specified, so always bare. */
  recordShape: "bare" | "wrapped";
  /** What `GET /v1/clusters/:id` says besides the seven specified fields. */
  detailEcho: "none" | "container-and-env";
  /** Method of the update operation on `/v1/clusters/:id`. */
  updateMethod: "PATCH" | "PUT" | "POST";
  /** What an update leaves out keeps its value, or is reset (env) and refused as missing (replicas, container). */
  updateSemantics: "merge" | "replace";
  /** Whether an update of env or container restarts the replicas by itself; otherwise it waits for a redeploy. */
  updateRollsOut: boolean;
  /** Whether the create request must carry env. */
  envRequired: boolean;
  /** The status word is `running` once every replica is healthy, or as soon as none is pending. */
  runningWhen: "all-healthy" | "placed";
  /** Which actions start a stopped cluster. The others are refused with 409. */
  startedBy: "restart-or-redeploy" | "redeploy";
  /** `/status` answers `{"cluster_id", "status", "replicas": [...]}` or the replicas alone. */
  statusShape: "record" | "bare";
  /** GPU lists are `[...]`, `{"gpus": [...]}` (or models, availability, pricing), or an object keyed by type. */
  gpuListShape: "bare" | "wrapped" | "by-type";
  /** `"price_per_hour": 2.99`, `"price_per_hour": "2.99"`, or `"pricing": {"hourly": 2.99, "currency": "USD"}`. */
  priceShape: "number" | "string" | "object";
  /** `"available": true` with `"available_count": 5`, or one of them alone. */
  stockShape: "flag-and-count" | "flag" | "count";
  /** DELETE answers 200 with the terminating cluster, or 204. */
  deleteAnswer: "cluster" | "empty-204";
  /** Stop, restart, scale and redeploy answer 200 with the cluster, or 202 without a body. */
  actionAnswer: "cluster" | "empty-202";
  /** Variables that the service adds to the env that it echoes. */
  injectedEnv: Readonly<Record<string, string>>;
  /** Whether a second live cluster of the same name in an organization is refused with 409 `name_taken`. */
  uniqueNames: boolean;
  /** Status of a request over the rate limit. */
  rateLimitStatus: 429 | 503;
  /** `X-RateLimit-Reset` as a Unix time in seconds or milliseconds, or as seconds from now. */
  rateResetUnit: "seconds" | "milliseconds" | "delta";
  /** Path of the descriptor document. */
  descriptorPath: string;
}

const plain: Dialect = {
  listShape: "wrapped",
  recordShape: "bare",
  detailEcho: "container-and-env",
  updateMethod: "PATCH",
  updateSemantics: "merge",
  updateRollsOut: true,
  envRequired: false,
  runningWhen: "all-healthy",
  startedBy: "restart-or-redeploy",
  statusShape: "record",
  gpuListShape: "wrapped",
  priceShape: "number",
  stockShape: "flag-and-count",
  deleteAnswer: "cluster",
  actionAnswer: "cluster",
  injectedEnv: {},
  uniqueNames: false,
  rateLimitStatus: 429,
  rateResetUnit: "seconds",
  descriptorPath: "/",
};

const terse: Dialect = {
  ...plain,
  listShape: "bare",
  detailEcho: "none",
  updateRollsOut: false,
  envRequired: true,
  statusShape: "bare",
  gpuListShape: "bare",
  stockShape: "count",
  deleteAnswer: "empty-204",
  actionAnswer: "empty-202",
  uniqueNames: true,
};

/** Whole sets of answers, by name. */
export const dialects: Readonly<Record<string, Dialect>> = { plain, terse };

/** The dialect that a name, or a few options on top of `plain`, stands for. */
export function resolveDialect(choice: string | Partial<Dialect> = "plain"): Dialect {
  if (typeof choice !== "string") return { ...plain, ...choice };
  const named = Object.hasOwn(dialects, choice) ? dialects[choice] : undefined;
  if (named) return named;
  throw new RangeError(`Unknown dialect "${choice}". Known: ${Object.keys(dialects).join(", ")}.`);
}
