import { type Answer, ApiError } from "./answers";
import { wireIds } from "./catalog";
import { clientRecords } from "./clientRecords";
import { type Action, actions, applyUpdate, ensureCapacity } from "./clusterActions";
import { clusterStatus, type RecordForm, specifiedRecords } from "./clusterRecords";
import type { ClusterState } from "./clusterState";
import { applyClusterFaults } from "./faultEffects";
import type { Service } from "./fleet";
import { isChanging } from "./life";
import { listAnswer, pageParameters } from "./pages";
import { parseCreate } from "./requests";
import type { Call, Route } from "./router";

/** The routes of clusters. */
export function clusterRoutes(service: Service): Route[] {
  const { fleet, dialect } = service;
  const records = recordForm(service);
  const clusters = "/v1/clusters";
  const id = `${clusters}/:id`;
  const read = (path: string, render: (state: ClusterState) => unknown): Route => ({
    method: "GET",
    path,
    run: (call) => ({ status: 200, body: render(readable(service, call)) }),
  });
  // The official client reads the replicas in the record.
  const status = read(`${id}/status`, (state) => clusterStatus(fleet.view(state), dialect));
  const update = (method: string): Route => ({
    method,
    path: id,
    takesBody: true,
    run: (call) => change(service, call),
  });
  const action = ([name, { takesBody, run }]: [string, Action]): Route => ({
    method: "POST",
    path: `${id}/${name}`,
    takesBody: takesBody?.(dialect),
    run(call) {
      const state = changeable(service, call);
      const before = name === "scale" ? state.desiredReplicas : undefined;
      run(service, state, call.body);
      if (dialect.actionAnswer === "empty") return { status: 202 };
      return { status: 200, body: records.changed(fleet.view(state), before) };
    },
  });
  return [
    { method: "POST", path: clusters, takesBody: true, run: (call) => create(service, call) },
    { method: "GET", path: clusters, query: pageParameters(dialect), run: (call) => list(service, call) },
    read(id, (state) => records.detail(fleet.view(state))),
    ...(dialect.form === "client" ? [] : [status]),
    ...(dialect.updateMethod === "none" ? [] : [update(dialect.updateMethod)]),
    { method: "DELETE", path: id, run: (call) => terminate(service, call) },
    ...Object.entries(actions).map(action),
  ];
}

function recordForm(service: Service): RecordForm {
  return service.dialect.form === "client" ? clientRecords(service) : specifiedRecords(service);
}

function create(service: Service, { organization, body }: Call): Answer {
  const { fleet, dialect } = service;
  const parsed = parseCreate(body, dialect);
  const wanted = { ...parsed, gpuType: gpuTypeOf(service, parsed.gpuType) };
  const { name } = wanted;
  ensureCapacity(service, wanted, wanted.replicas);
  if (dialect.uniqueNames && fleet.living(organization).some((state) => state.name === name)) {
    throw new ApiError(409, "name_taken", `There is a cluster named "${name}" already.`);
  }
  const state = fleet.add({ ...wanted, organization }, fleet.timing.provisioningMs);
  applyClusterFaults(service.faults, "birth", state, state.createdAt, fleet.timing);
  return { status: 201, body: recordForm(service).created(fleet.view(state)) };
}

/** The GPU type of a request; without one, the cluster has no GPU. */
function gpuTypeOf({ fleet, dialect }: Service, asked: string): string {
  if (asked === "") return asked;
  const { type } = fleet.gpus().find((gpu) => wireIds[dialect.form](gpu.type) === asked) ?? {};
  // The specification refuses a type without a free GPU like one that does not exist; the control plane does not.
  const isRefusedLater = dialect.capacityRefusal !== "insufficient";
  if (type !== undefined && (isRefusedLater || fleet.available(type) > 0)) return type;
  throw new ApiError(400, "invalid_gpu_type", `The GPU type "${asked}" is not available.`);
}

function list(service: Service, { organization, query }: Call): Answer {
  const records = recordForm(service);
  return listAnswer(service.fleet.listed(organization), query, service.dialect, records.listed);
}

function change(service: Service, call: Call): Answer {
  const state = changeable(service, call);
  applyUpdate(service, state, call.body);
  return { status: 200, body: recordForm(service).changed(service.fleet.view(state)) };
}

function terminate(service: Service, call: Call): Answer {
  const { fleet } = service;
  const state = deletable(service, call);
  state.deletedAt ??= fleet.clock.now();
  const body = recordForm(service).changed({ ...fleet.view(state), status: "terminating" });
  return { status: 200, body };
}

/** The cluster of a read request: an existing cluster, or a tombstone. */
function readable({ fleet }: Service, { param, organization }: Call): ClusterState {
  const state = fleet.find(param, organization);
  if (state && fleet.isReadable(state) && !fleet.view(state).hidden) return state;
  throw notFound(param);
}

/** The cluster of a change request. Refuses if the cluster is terminating or busy. */
function changeable(service: Service, call: Call): ClusterState {
  const state = living(service, call);
  if (state.deletedAt !== undefined) throw terminating(state);
  ensureNotBusy(service, state);
  return state;
}

/** The cluster of a DELETE request. */
function deletable(service: Service, call: Call): ClusterState {
  const state = living(service, call);
  if (state.deletedAt === undefined) ensureNotBusy(service, state);
  else if (service.dialect.busyWhen === "changing") throw terminating(state);
  return state;
}

function living({ fleet }: Service, { param, organization }: Call): ClusterState {
  const state = fleet.find(param, organization);
  if (state && !fleet.isGone(state)) return state;
  // Only reads see a tombstone.
  throw notFound(param);
}

function ensureNotBusy({ fleet, dialect }: Service, state: ClusterState): void {
  if (dialect.busyWhen === "never" || !isChanging(state, fleet.clock.now(), fleet.timing)) return;
  throw new ApiError(409, "cluster_busy", `The cluster "${state.id}" is on its way to another state.`);
}

function notFound(id: string): ApiError {
  return new ApiError(404, "cluster_not_found", `There is no cluster "${id}".`);
}

function terminating({ id }: ClusterState): ApiError {
  return new ApiError(409, "invalid_state", `The cluster "${id}" is terminating.`);
}
