// They belong to the published service and to faulty ones. The covering dialects leave them alone: most of them change
// what a client has to send, and a client that speaks one form cannot be tried with all pairs.
/**
 * Options beside the ones of the covering dialects. The first value is the one of `plain` and of every mix. Each can be
 * set on top of any dialect.
 */
export const furtherOptions = {
  /**
   * Records of clusters and replicas: as the specification has them, or as the official Python client reads them. The
   * client's records have its states, and the replicas in the answer to get. They ignore `recordNames` and `statusWords`.
   */
  records: ["specification", "client"],
  /** Ids of clusters, replicas and GPU types: `cl_1`, `rep_1` and `h100`, or UUIDs. */
  ids: ["words", "uuids"],
  /** The GPU types of a simulator that is given none: its own, or the published ones, such as rtx-4090. */
  catalog: ["own", "published"],
  /** Names of request fields: `gpu_type`, `replicas`, `container`, `env`; `gpuModelId`, `replicaCount`, `imageUrl`, `envVars`. */
  requestNames: ["specification", "client", "both", "neither"],
  /** What an unknown field of a request does. */
  unknownFields: ["refused", "ignored"],
  /** Whether requests may carry port, tier, size, autoscaling and so on; otherwise these fields are unknown. */
  extraFields: ["unknown", "stored"],
  /** The endpoints that there are: all of the specification, or only those that its descriptor lists. */
  endpoints: ["all", "described"],
  /**
   * The descriptor: true; or it names the path `/status` and an update by another method, and leaves out `scale`; or
   * there is none.
   */
  descriptor: ["true", "lying", "absent"],
  /** Records of GPU models, availability and prices: as the other options say, or as the official client reads them. */
  gpus: ["specification", "client"],
  /** `GET /v1/gpus/pricing`: as the other options say, or `{"gpu": [...], "cpu": []}` with cents by model and tier. */
  priceList: ["same", "cents"],
  /** Which clusters can be restarted. A restart of another one is refused with 409 `invalid_state`. */
  restartOf: ["any", "stopped"],
  /** What a replica says of its health if the cluster has no health check (`healthCheckEnabled`); in client records. */
  uncheckedHealth: ["same", "false"],
} as const;

/** Values of the covering options that the covering dialects leave out. */
export const furtherValues = {
  /** `repeating` is a broken service: its cursors never end and lead to the first page again. `next-cursor`: `nextCursor`. */
  paging: ["repeating", "next-cursor"],
  /** `{"data": [...]}`, and `{"items": [...]}`. */
  listShape: ["data", "items"],
  /** `{"error": {"type", "code", "message"}}`; the code may be left out. */
  errorShape: ["typed", "typed-no-code"],
  /** A cluster that is gone leaves the list, but can be read for ever. */
  tombstone: ["readable"],
} as const;
