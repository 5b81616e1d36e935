import { type Answer, ApiError } from "./answer";
import { applyBirthFaults } from "./birthFaults";
import { type Action, actions, ensureCapacity, update } from "./clusterActions";
import type { ClusterState } from "./clusterState";
import { acted, clusterDetail, clusterList, clusterRecord, clusterStatus, deleted, oneCluster } from "./render";
import { parseCreate } from "./requests";
import type { Call, Route } from "./router";
import type { Service } from "./service";

/** Everything about clusters. */
export function clusterRoutes(service: Service): Route[] {
  const { fleet, dialect } = service;
  const id = "/v1/clusters/:id";
  const read = (path: string, render: (state: ClusterState) => unknown): Route => ({
    method: "GET",
    path,
    run: (call) => ({ status: 200, body: render(visible(service, call)) }),
  });
  const action = ([name, { takesBody, run }]: [string, Action]): Route => ({
    method: "POST",
    path: `${id}/${name}`,
    takesBody,
    run(call) {
      const state = changeable(service, call);
      run(service, state, call.body);
      return acted[dialect.actionAnswer](answered(service, state));
    },
  });
  return [
    { method: "POST", path: "/v1/clusters", takesBody: true, run: (call) => create(service, call) },
    { method: "GET", path: "/v1/clusters", run: (call) => list(service, call) },
    read(id, (state) => {
      const detail = clusterDetail[dialect.detailEcho](fleet.view(state), dialect);
      return oneCluster[dialect.recordShape](detail);
    }),
    read(`${id}/status`, (state) => clusterStatus[dialect.statusShape](fleet.view(state))),
    { method: dialect.updateMethod, path: id, takesBody: true, run: (call) => change(service, call) },
    { method: "DELETE", path: id, run: (call) => terminate(service, call) },
    ...Object.entries(actions).map(action),
  ];
}

function create(service: Service, { organization, body }: Call): Answer {
  const { fleet, dialect } = service;
  const wanted = parseCreate(body, dialect);
  const { gpuType, name } = wanted;
  if (fleet.available(gpuType) === 0) {
    throw new ApiError(400, "invalid_gpu_type", `The GPU type "${gpuType}" is not available.`);
  }
  ensureCapacity(service, gpuType, wanted.replicas);
  if (dialect.uniqueNames && fleet.living(organization).some((state) => state.name === name)) {
    throw new ApiError(409, "name_taken", `There is a cluster named "${name}" already.`);
  }
  const state = fleet.add({ ...wanted, organization }, fleet.timing.provisioningMs);
  applyBirthFaults(service, state);
  // The specification promises this word in the answer, however fast the simulator is.
  return { status: 201, body: { ...clusterRecord(fleet.view(state)), status: "provisioning" } };
}

function list({ fleet, dialect }: Service, { organization }: Call): Answer {
  const views = fleet.living(organization).map((state) => fleet.view(state));
  return { status: 200, body: clusterList[dialect.listShape](views.filter(({ hidden }) => !hidden)) };
}

function change(service: Service, call: Call): Answer {
  const state = changeable(service, call);
  update(service, state, call.body);
  return { status: 200, body: answered(service, state) };
}

function terminate({ fleet, dialect }: Service, { param, organization }: Call): Answer {
  const state = fleet.find(param, organization);
  state.deletedAt ??= fleet.clock.now();
  const record = { ...clusterRecord(fleet.view(state)), status: "terminating" };
  return deleted[dialect.deleteAnswer](oneCluster[dialect.recordShape](record));
}

function answered({ fleet, dialect }: Service, state: ClusterState): unknown {
  return oneCluster[dialect.recordShape](clusterRecord(fleet.view(state)));
}

function visible({ fleet }: Service, { param, organization }: Call): ClusterState {
  const state = fleet.find(param, organization);
  if (!fleet.view(state).hidden) return state;
  throw new ApiError(404, "cluster_not_found", `There is no cluster "${param}".`);
}

function changeable({ fleet }: Service, { param, organization }: Call): ClusterState {
  const state = fleet.find(param, organization);
  if (state.deletedAt === undefined) return state;
  throw new ApiError(409, "invalid_state", `The cluster "${param}" is terminating.`);
}
