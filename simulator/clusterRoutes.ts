import { type Answer, ApiError } from "./answers";
import { gpuIds } from "./catalog";
import { clientRecords } from "./clientRecords";
import { type Action, actions, applyUpdate, ensureCapacity } from "./clusterActions";
import { clusterStatus, type RecordRenderer, specificationRecords } from "./clusterRecords";
import type { ClusterState } from "./clusterState";
import type { PerValue } from "./dialectOptions";
import { applyClusterFaults } from "./faultEffects";
import type { Service } from "./fleet";
import { listAnswer, pageParameters } from "./pages";
import { parseCreate } from "./requests";
import type { ParsedRequest, Route } from "./router";
import { isChanging } from "./snapshot";

const clustersPath = "/v1/clusters";
const clusterPath = `${clustersPath}/:id`;

const renderers: PerValue<"variant", (service: Service) => RecordRenderer> = {
  specification: specificationRecords,
  client: clientRecords,
};

/** The routes of clusters. */
export function clusterRoutes(service: Service): Route[] {
  const { fleet, dialect } = service;
  const records = renderers[dialect.variant](service);
  const routes: Route[] = [
    { method: "POST", path: clustersPath, takesBody: true, run: (request) => create(service, records, request) },
    {
      method: "GET",
      path: clustersPath,
      query: pageParameters(dialect),
      run: ({ organization, query }) => listAnswer(fleet.listed(organization), query, dialect, records.listed),
    },
    readRoute(service, clusterPath, (state) => records.detail(fleet.view(state))),
  ];
  // The official client reads the replicas in the record.
  if (dialect.variant !== "client") {
    routes.push(readRoute(service, `${clusterPath}/status`, (state) => clusterStatus(fleet.view(state), dialect)));
  }
  if (dialect.updateMethod !== "none") {
    const run = (request: ParsedRequest) => update(service, records, request);
    routes.push({ method: dialect.updateMethod, path: clusterPath, takesBody: true, run });
  }
  routes.push({ method: "DELETE", path: clusterPath, run: (request) => terminate(service, records, request) });
  return [...routes, ...Object.entries(actions).map(([name, action]) => actionRoute(service, records, name, action))];
}

function readRoute(service: Service, path: string, render: (state: ClusterState) => unknown): Route {
  return { method: "GET", path, run: (request) => ({ status: 200, body: render(findReadable(service, request)) }) };
}

function actionRoute(service: Service, records: RecordRenderer, name: string, { takesBody, run }: Action): Route {
  const { fleet, dialect } = service;
  return {
    method: "POST",
    path: `${clusterPath}/${name}`,
    takesBody: takesBody?.(dialect),
    run(request) {
      const state = findChangeable(service, request);
      const replicasBefore = name === "scale" ? state.desiredReplicas : undefined;
      run(service, state, request.body);
      if (dialect.actionAnswer === "empty") return { status: 202 };
      return { status: 200, body: records.changed(fleet.view(state), replicasBefore) };
    },
  };
}

function create(service: Service, records: RecordRenderer, { organization, body }: ParsedRequest): Answer {
  const { fleet, dialect } = service;
  const fields = parseCreate(body, dialect);
  const seed = { ...fields, gpuType: findGpuType(service, fields.gpuType), organization };
  ensureCapacity(service, seed, seed.replicas);
  if (dialect.uniqueNames && fleet.existing(organization).some(({ name }) => name === seed.name)) {
    throw new ApiError(409, "name_taken", `There is a cluster named "${seed.name}" already.`);
  }
  const state = fleet.add(seed, fleet.timing.provisioningMs);
  applyClusterFaults(service.faults, "creation", state, state.createdAt, fleet.timing);
  return { status: 201, body: records.created(fleet.view(state)) };
}

/** The GPU type for the id in a request. Without an id, the cluster has no GPU. */
function findGpuType({ fleet, dialect }: Service, id: string): string {
  if (id === "") return "";
  const { type } = fleet.gpus().find((gpu) => gpuIds[dialect.variant](gpu.type) === id) ?? {};
  // The specification refuses a type without a free GPU like one that does not exist; the control plane does not.
  const isRefusedLater = dialect.capacityRefusal !== "insufficient";
  if (type !== undefined && (isRefusedLater || fleet.available(type) > 0)) return type;
  throw new ApiError(400, "invalid_gpu_type", `The GPU type "${id}" is not available.`);
}

function update(service: Service, records: RecordRenderer, request: ParsedRequest): Answer {
  const state = findChangeable(service, request);
  applyUpdate(service, state, request.body);
  return { status: 200, body: records.changed(service.fleet.view(state)) };
}

function terminate(service: Service, records: RecordRenderer, request: ParsedRequest): Answer {
  const { fleet } = service;
  const state = findDeletable(service, request);
  state.deletedAt ??= fleet.clock.now();
  // Even if the deletion takes no time.
  return { status: 200, body: records.changed({ ...fleet.view(state), status: "terminating" }) };
}

/** The cluster of a read request: an existing cluster, or a tombstone. */
function findReadable({ fleet }: Service, { param, organization }: ParsedRequest): ClusterState {
  const state = fleet.find(param, organization);
  if (state && fleet.isReadable(state) && !fleet.view(state).hidden) return state;
  throw notFound(param);
}

/** The cluster of a change request. Refuses if the cluster is terminating or busy. */
function findChangeable(service: Service, request: ParsedRequest): ClusterState {
  const state = findExisting(service, request);
  if (state.deletedAt !== undefined) throw terminating(state);
  ensureNotBusy(service, state);
  return state;
}

/** The cluster of a DELETE request. */
function findDeletable(service: Service, request: ParsedRequest): ClusterState {
  const state = findExisting(service, request);
  if (state.deletedAt === undefined) ensureNotBusy(service, state);
  else if (service.dialect.busyWhen === "changing") throw terminating(state);
  return state;
}

/** A cluster that is not gone: only reads find a tombstone. */
function findExisting({ fleet }: Service, { param, organization }: ParsedRequest): ClusterState {
  const state = fleet.find(param, organization);
  if (state && !fleet.isGone(state)) return state;
  throw notFound(param);
}

function ensureNotBusy({ fleet, dialect }: Service, state: ClusterState): void {
  if (dialect.busyWhen === "never" || !isChanging(state, fleet.clock.now(), fleet.timing)) return;
  throw new ApiError(409, "cluster_busy", `The cluster "${state.id}" is changing its state.`);
}

function notFound(id: string): ApiError {
  return new ApiError(404, "cluster_not_found", `There is no cluster "${id}".`);
}

function terminating({ id }: ClusterState): ApiError {
  return new ApiError(409, "invalid_state", `The cluster "${id}" is terminating.`);
}
