import { ApiError } from "./answer";
import type { ClusterState } from "./clusterState";
import { parseScale, parseUpdate } from "./requests";
import type { Service } from "./service";
import { configure, restart, rollOut, scale } from "./transitions";

/** One `POST /v1/clusters/:id/<name>`. */
export interface Action {
  takesBody?: boolean;
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
      const { fleet, dialect } = service;
      const isStopped = state.stoppedAt !== undefined;
      if (isStopped && dialect.startedBy === "redeploy") {
        throw new ApiError(409, "invalid_state", `The cluster "${state.id}" is stopped. Redeploy it to start it.`);
      }
      ensureCapacity(service, state.gpuType, isStopped ? state.desiredReplicas : 0, state);
      if (isStopped && dialect.updateRollsOut) rollOut(state, "restarting", fleet.clock.now(), fleet.timing);
      else restart(state, fleet.clock.now(), fleet.timing);
    },
  },
  scale: {
    takesBody: true,
    run(service, state, body) {
      resize(service, state, parseScale(body));
    },
  },
  redeploy: {
    run(service, state) {
      const { fleet } = service;
      ensureCapacity(service, state.gpuType, state.stoppedAt === undefined ? 0 : state.desiredReplicas, state);
      rollOut(state, "deploying", fleet.clock.now(), fleet.timing);
    },
  },
};

/** The update operation. */
export function update(service: Service, state: ClusterState, body: unknown): void {
  const { fleet, dialect } = service;
  const changes = parseUpdate[dialect.updateSemantics](body, state);
  resize(service, state, changes.replicas ?? state.desiredReplicas);
  const { container, env } = state.configuration;
  const changed = configure(state, { container: changes.container ?? container, env: changes.env ?? env });
  // A stopped cluster takes its new configuration when it is started.
  if (!changed || !dialect.updateRollsOut || state.stoppedAt !== undefined) return;
  rollOut(state, "updating", fleet.clock.now(), fleet.timing);
}

/** Refuses more replicas than there are GPUs; `except` is the cluster whose own GPUs count as free. */
export function ensureCapacity(service: Service, gpuType: string, replicas: number, except?: ClusterState): void {
  const free = service.fleet.available(gpuType, except);
  if (replicas <= free) return;
  const message = `${replicas} GPUs of type "${gpuType}" are wanted, ${free} are free.`;
  throw new ApiError(409, "insufficient_capacity", message);
}

function resize(service: Service, state: ClusterState, replicas: number): void {
  const { fleet } = service;
  if (replicas > state.desiredReplicas) ensureCapacity(service, state.gpuType, replicas, state);
  scale(state, replicas, fleet.clock.now(), fleet.timing);
}
