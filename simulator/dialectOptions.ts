// dialects.ts checks choices against this table, and --help prints it: a new value is one word here and one line in the table
// that implements it.
/**
 * The questions that the specification leaves open, each with the values that the simulator supports. The first value is
 * that of `plain`. Any combination works.
 */
export const dialectOptions = {
  /** `GET /v1/clusters`: `{"clusters": [...]}`, `[...]`, `{"data": [...]}`, or `{"items": [...]}`. Lists of GPUs are bare too. */
  listShape: ["wrapped", "bare", "data", "items"],
  /**
   * Whether lists of clusters come in pages of two, and the name of the next page's cursor: `next_cursor` (null on the last
   * page), or `nextCursor` (absent there). A bare list has it in the header `X-Next-Cursor`.
   */
  paging: ["none", "cursor", "next-cursor"],
  /** Get, update, delete and actions answer `{...}`, `{"cluster": {...}}`, or `{"data": {...}}`; create always as specified. */
  recordShape: ["bare", "wrapped", "data"],
  /** `GET /v1/clusters/:id` shows the container unchanged, not at all, or with the name of its registry. */
  containerEcho: ["same", "none", "registry"],
  /** `GET /v1/clusters/:id` shows env unchanged, not at all, or with stars in place of its values. */
  envEcho: ["same", "none", "masked"],
  /** Variables that the service adds to the env in its answers. */
  injectedEnv: [{}, { GPU_HOST: "node-7" }] as readonly Readonly<Record<string, string>>[],
  /** Method of the update operation on `/v1/clusters/:id`, if there is one. */
  updateMethod: ["PATCH", "PUT", "POST", "none"],
  /**
   * `merge`: an omitted field keeps its value. `merge-keys`: so does an omitted variable of env, and null removes a variable.
   * `replace`: an omitted env is reset; an update without replicas or container is refused.
   */
  updateSemantics: ["merge", "merge-keys", "replace"],
  /** Whether an update of env or container restarts the replicas; otherwise it takes effect at the next redeploy. */
  updateRollsOut: [true, false],
  /** Whether a second live cluster of the same name in an organization is refused with 409 `name_taken`. */
  uniqueNames: [false, true],
  /** When the status is `running`: if every replica is healthy, if no replica is pending, or always. */
  runningWhen: ["all-healthy", "placed", "always"],
  /** The replicas of `/status` are a list, or `{"total": 3, "healthy": 2}`. */
  replicasShape: ["list", "counts"],
  /** The actions that start a stopped cluster. A restart or redeploy that does not start it is refused with 409. */
  startedBy: ["restart-or-redeploy", "redeploy", "scale"],
  /** An update of a stopped or stopping cluster is stored until the start, refused with 409 `invalid_state`, or starts it. */
  stoppedUpdate: ["stored", "refused", "starts"],
  /** A deleted cluster disappears; is shown as `terminated` for one more minute; or stays readable by id, but unlisted. */
  tombstone: ["none", "listed", "readable"],
  /** Stop, restart, scale and redeploy answer 200 with the cluster, or 202 without a body. */
  actionAnswer: ["cluster", "empty"],
  /** Whether a cluster that is changing its state refuses every change with 409, and a terminating one a second DELETE. */
  busyWhen: ["never", "changing"],
  /** `{"error": {"code", "message", "status"}}`; `{"message", "code"}`; or `{"error": {"type", "code", "message"}}`. */
  errorShape: ["envelope", "flat", "typed"],
  /**
   * Refusal of a request that needs more GPUs than are free: 409 `insufficient_capacity`; 503 `INSUFFICIENT_GPU_CAPACITY` or
   * `NODE_AT_CAPACITY`, or 400 `GPU_COUNT_NOT_ALLOCATABLE`, as the control plane of the published service writes them.
   */
  capacityRefusal: ["insufficient", "insufficient-gpu", "node-full", "count"],
  /**
   * Records of clusters, replicas and GPUs, their ids, and the existing endpoints: those of the specification; or those that
   * the official Python client reads, with UUIDs, the client's status words, and only the endpoints of the descriptor.
   */
  variant: ["specification", "client"],
  /** Names of request fields: `gpu_type`, `replicas`, `container`, `env`; `gpuModelId`, `replicaCount`, `imageUrl`, `envVars`. */
  requestNames: ["specification", "client"],
  /** Whether an unknown field of a request is refused or ignored. */
  unknownFields: ["refused", "ignored"],
  /** The default GPU types: the simulator's own, or the published ones, such as rtx-4090. */
  catalog: ["own", "published"],
} as const;

type Options = typeof dialectOptions;

/** One reading of the specification: a value for each question that the specification leaves open. */
export type Dialect = { readonly [Option in keyof Options]: Options[Option][number] };

/** One entry for each value of an option: how the simulator behaves with it. */
export type PerValue<Option extends keyof Dialect, Entry> = Readonly<
  Record<Dialect[Option] & (string | number), Entry>
>;
