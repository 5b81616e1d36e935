import { ApiError } from "./answer";
import type { ClusterState } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import { isChanging } from "./life";
import type { Call } from "./router";
import type { Service } from "./service";

/** The cluster of a read request: an existing cluster, or a tombstone. */
export function readable({ fleet, dialect }: Service, { param, organization }: Call): ClusterState {
  const state = fleet.find(param, organization);
  if (!state || !fleet.isReadable(state)) throw absent(param, state, dialect);
  if (!fleet.view(state).hidden) return state;
  throw notFound(param);
}

/** The cluster of a change request. Refuses if the cluster is terminating or busy. */
export function changeable(service: Service, call: Call): ClusterState {
  const state = living(service, call);
  if (state.deletedAt !== undefined) throw terminating(state);
  ensureNotBusy(service, state);
  return state;
}

/** The cluster of a DELETE request. */
export function deletable(service: Service, call: Call): ClusterState {
  const state = living(service, call);
  if (state.deletedAt === undefined) ensureNotBusy(service, state);
  else if (service.dialect.deleteAgain === "409") throw terminating(state);
  return state;
}

function living({ fleet, dialect }: Service, { param, organization }: Call): ClusterState {
  const state = fleet.find(param, organization);
  if (state && !fleet.isGone(state)) return state;
  // Only reads see a tombstone.
  throw absent(param, state, dialect);
}

function ensureNotBusy({ fleet, dialect }: Service, state: ClusterState): void {
  if (dialect.busyWhen === "never" || !isChanging(state, fleet.clock.now(), fleet.timing)) return;
  throw new ApiError(409, "cluster_busy", `The cluster "${state.id}" is on its way to another state.`);
}

function absent(id: string, state: ClusterState | undefined, dialect: Dialect): ApiError {
  return state ? goneErrors[dialect.deleteAgain](id) : notFound(id);
}

const goneErrors: PerValue<"deleteAgain", (id: string) => ApiError> = {
  "gone-404": notFound,
  "409": notFound,
  "410": (id) => new ApiError(410, "cluster_gone", `The cluster "${id}" is gone.`),
};

function notFound(id: string): ApiError {
  return new ApiError(404, "cluster_not_found", `There is no cluster "${id}".`);
}

function terminating({ id }: ClusterState): ApiError {
  return new ApiError(409, "invalid_state", `The cluster "${id}" is terminating.`);
}
