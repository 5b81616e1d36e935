import { ApiError } from "./answer";
import type { ClusterState } from "./clusterState";
import type { PerValue } from "./dialectOptions";
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
      if (state.stoppedAt === undefined) restart(state, service.fleet.clock.now(), service.fleet.timing);
      else start(service, state, "restart");
    },
  },
  scale: {
    takesBody: true,
    run(service, state, body) {
      resize(service, state, parseScale(body));
      if (state.stoppedAt !== undefined && starters[service.dialect.startedBy].includes("scale")) {
        start(service, state, "scale");
      }
    },
  },
  redeploy: {
    run(service, state) {
      if (state.stoppedAt === undefined) rollOut(state, "deploying", service.fleet.clock.now(), service.fleet.timing);
      else start(service, state, "redeploy");
    },
  },
};

/** The update operation. */
export function update(service: Service, state: ClusterState, body: unknown): void {
  const { fleet, dialect } = service;
  const changes = parseUpdate[dialect.updateSemantics](body, state, dialect);
  const replicas = changes.replicas ?? state.desiredReplicas;
  const isStopped = state.stoppedAt !== undefined;
  const starts = isStopped && startsByUpdate[dialect.stoppedUpdate](service, state, replicas);
  resize(service, state, replicas);
  const { container, env } = state.configuration;
  const changed = configure(state, { container: changes.container ?? container, env: changes.env ?? env });
  if (starts) wake(service, state);
  // A stopped cluster takes its new configuration when it is started.
  else if (changed && dialect.updateRollsOut && !isStopped) rollOut(state, "updating", fleet.clock.now(), fleet.timing);
}

/** Whether an update starts a stopped cluster. What refuses it does so before anything is stored. */
const startsByUpdate: PerValue<"stoppedUpdate", (service: Service, state: ClusterState, replicas: number) => boolean> =
  {
    stored: () => false,
    refused: (_service, { id }) => {
      throw new ApiError(409, "invalid_state", `The cluster "${id}" is stopped and takes no update.`);
    },
    starts: (service, state, replicas) => {
      ensureCapacity(service, state.gpuType, replicas, state);
      return true;
    },
  };

/** Refuses more replicas than there are GPUs; `except` is the cluster whose own GPUs count as free. */
export function ensureCapacity(service: Service, gpuType: string, replicas: number, except?: ClusterState): void {
  const free = service.fleet.available(gpuType, except);
  if (replicas <= free) return;
  const message = `${replicas} GPUs of type "${gpuType}" are wanted, ${free} are free.`;
  throw new ApiError(409, "insufficient_capacity", message);
}

type Starter = "restart" | "redeploy" | "scale";

const starters: PerValue<"startedBy", readonly Starter[]> = {
  "restart-or-redeploy": ["restart", "redeploy"],
  redeploy: ["redeploy"],
  scale: ["scale"],
};

/** Starts a stopped cluster, or refuses to where the dialect starts it otherwise. */
function start(service: Service, state: ClusterState, by: Starter): void {
  const { fleet, dialect } = service;
  const calls = starters[dialect.startedBy];
  if (!calls.includes(by)) {
    throw new ApiError(409, "invalid_state", `The cluster "${state.id}" is stopped. To start it: ${calls.join(", ")}.`);
  }
  ensureCapacity(service, state.gpuType, state.desiredReplicas, state);
  if (by === "redeploy") rollOut(state, "deploying", fleet.clock.now(), fleet.timing);
  else wake(service, state);
}

/** Starts a stopped cluster, with what it was told meanwhile unless that waits for a redeploy. */
function wake({ fleet, dialect }: Service, state: ClusterState): void {
  const now = fleet.clock.now();
  if (dialect.updateRollsOut) rollOut(state, "restarting", now, fleet.timing);
  else restart(state, now, fleet.timing);
}

function resize(service: Service, state: ClusterState, replicas: number): void {
  const { fleet } = service;
  if (replicas > state.desiredReplicas) ensureCapacity(service, state.gpuType, replicas, state);
  scale(state, replicas, fleet.clock.now(), fleet.timing);
}
