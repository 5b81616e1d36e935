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
  requestNames: ["specification", "client", "both", "neither"],
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
