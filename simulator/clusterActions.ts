import { isDeepStrictEqual } from "node:util";
import { ApiError } from "./answers";
import { type ClusterState, type PhaseStatus, restart, rollOut, scale } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import { applyClusterFaults } from "./faultEffects";
import type { Service } from "./fleet";
import { parseRedeploy, parseScale, parseUpdate, type Update } from "./requests";

/** One `POST /v1/clusters/:id/<name>`. */
export interface Action {
  takesBody?(dialect: Dialect): boolean | "optional";
  run(service: Service, state: ClusterState, body: unknown): void;
}

/** The actions, by the last part of their path. */
export const actions: Readonly<Record<string, Action>> = {
  stop: {
    run({ fleet }, state) {
      state.stoppedAt ??= fleet.clock.now();
    },
  },
  restart: {
    run(service, state) {
      if (state.stoppedAt !== undefined) start(service, state, "restart");
      else restart(state, service.fleet.clock.now(), service.fleet.timing);
    },
  },
  scale: {
    takesBody: () => true,
    run(service, state, body) {
      resize(service, state, parseScale(body, service.dialect));
      if (state.stoppedAt !== undefined && starters[service.dialect.startedBy].includes("scale")) {
        start(service, state, "scale");
      }
    },
  },
  redeploy: {
    takesBody: ({ requestNames }) => (requestNames === "client" ? "optional" : false),
    run(service, state, body) {
      storeUpdate(state, parseRedeploy(body, state, service.dialect));
      if (state.stoppedAt === undefined) replaceReplicas(service, state, "deploying");
      else start(service, state, "redeploy");
    },
  },
};

/** The update operation. */
export function applyUpdate(service: Service, state: ClusterState, body: unknown): void {
  const { dialect } = service;
  const changes = parseUpdate[dialect.updateSemantics](body, state, dialect);
  const isStopped = state.stoppedAt !== undefined;
  if (isStopped && dialect.stoppedUpdate === "refused") {
    throw new ApiError(409, "invalid_state", `The cluster "${state.id}" is stopped and takes no update.`);
  }
  const replicas = changes.replicas ?? state.desiredReplicas;
  const starts = isStopped && dialect.stoppedUpdate === "starts";
  if (starts) ensureCapacity(service, state, replicas, state);
  resize(service, state, replicas);
  const hasChanged = storeUpdate(state, changes);
  if (starts) startWithUpdates(service, state);
  // A stopped cluster runs its new configuration from the next start.
  else if (hasChanged && dialect.updateRollsOut && !isStopped) replaceReplicas(service, state, "updating");
}

/** Refuses more replicas than there are free GPUs; the GPUs of the cluster `except` count as free. */
export function ensureCapacity(
  service: Service,
  { gpuType, gpusPerReplica }: Pick<ClusterState, "gpuType" | "gpusPerReplica">,
  replicas: number,
  except?: ClusterState,
): void {
  const free = service.fleet.available(gpuType, except);
  const needed = replicas * gpusPerReplica;
  if (needed <= free) return;
  const message = `${needed} GPUs of type "${gpuType}" are wanted, ${free} are free.`;
  throw new ApiError(...capacityRefusals[service.dialect.capacityRefusal], message);
}

const capacityRefusals: PerValue<"capacityRefusal", readonly [status: number, code: string]> = {
  insufficient: [409, "insufficient_capacity"],
  "insufficient-gpu": [503, "INSUFFICIENT_GPU_CAPACITY"],
  "node-full": [503, "NODE_AT_CAPACITY"],
  count: [400, "GPU_COUNT_NOT_ALLOCATABLE"],
};

type Starter = "restart" | "redeploy" | "scale";

const starters: PerValue<"startedBy", readonly Starter[]> = {
  "restart-or-redeploy": ["restart", "redeploy"],
  redeploy: ["redeploy"],
  scale: ["scale"],
};

/** Starts a stopped cluster, or refuses if only another action starts it. */
function start(service: Service, state: ClusterState, by: Starter): void {
  const { dialect } = service;
  const allowed = starters[dialect.startedBy];
  if (!allowed.includes(by)) {
    const message = `The cluster "${state.id}" is stopped. To start it: ${allowed.join(", ")}.`;
    throw new ApiError(409, "invalid_state", message);
  }
  ensureCapacity(service, state, state.desiredReplicas, state);
  if (by === "redeploy") replaceReplicas(service, state, "deploying");
  else startWithUpdates(service, state);
}

/** Starts a stopped cluster. Stored updates take effect, unless they need a redeploy. */
function startWithUpdates(service: Service, state: ClusterState): void {
  const { fleet, dialect } = service;
  if (dialect.updateRollsOut) replaceReplicas(service, state, "restarting");
  else restart(state, fleet.clock.now(), fleet.timing);
}

/** Replaces every replica. The faults of their container apply to the new ones. */
function replaceReplicas({ fleet, faults }: Service, state: ClusterState, status: PhaseStatus): void {
  const now = fleet.clock.now();
  rollOut(state, status, now, fleet.timing);
  applyClusterFaults(faults, "rollout", state, now, fleet.timing);
}

/** Stores the update of a request. Returns whether the configuration has changed. */
function storeUpdate(state: ClusterState, { container, env, extras }: Update): boolean {
  const before = state.configuration;
  state.configuration = { container: container ?? before.container, env: env ?? before.env };
  state.extras = extras ?? state.extras;
  return !isDeepStrictEqual(before, state.configuration);
}

function resize(service: Service, state: ClusterState, replicas: number): void {
  const { fleet } = service;
  if (replicas > state.desiredReplicas) ensureCapacity(service, state, replicas, state);
  scale(state, replicas, fleet.clock.now(), fleet.timing);
}
