import { type Answer, ApiError } from "./answer";
import { applyBirthFaults } from "./birthFaults";
import { acted, deleted } from "./changeAnswers";
import { changeable, deletable, readable } from "./clusterAccess";
import { type Action, actions, ensureCapacity, update } from "./clusterActions";
import { listAnswer, pageParameter } from "./clusterPages";
import { clusterDetail, clusterRecord, createdRecord, oneCluster } from "./clusterRecords";
import type { ClusterState } from "./clusterState";
import { parseCreate } from "./requests";
import type { Call, Route } from "./router";
import type { Service } from "./service";
import { clusterStatus } from "./statusRecords";

/** Everything about clusters. */
export function clusterRoutes(service: Service): Route[] {
  const { fleet, dialect } = service;
  const clusters = "/v1/clusters";
  const id = `${clusters}/:id`;
  const read = (path: string, render: (state: ClusterState) => unknown): Route => ({
    method: "GET",
    path,
    run: (call) => ({ status: 200, body: render(readable(service, call)) }),
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
    { method: "POST", path: clusters, takesBody: true, run: (call) => create(service, call) },
    { method: "GET", path: clusters, query: pageParameter(dialect), run: (call) => list(service, call) },
    read(id, (state) => oneCluster[dialect.recordShape](clusterDetail(fleet.view(state), dialect))),
    read(`${id}/status`, (state) => clusterStatus(fleet.view(state), dialect)),
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
  return { status: 201, body: createdRecord(fleet.view(state)) };
}

function list({ fleet, dialect }: Service, { organization, query }: Call): Answer {
  return listAnswer(fleet.listed(organization), query, dialect, (view) => clusterRecord(view, dialect));
}

function change(service: Service, call: Call): Answer {
  const state = changeable(service, call);
  update(service, state, call.body);
  return { status: 200, body: answered(service, state) };
}

function terminate(service: Service, call: Call): Answer {
  const { fleet, dialect } = service;
  const state = deletable(service, call);
  state.deletedAt ??= fleet.clock.now();
  const record = clusterRecord({ ...fleet.view(state), status: "terminating" }, dialect);
  return deleted[dialect.deleteAnswer](oneCluster[dialect.recordShape](record));
}

function answered({ fleet, dialect }: Service, state: ClusterState): unknown {
  return oneCluster[dialect.recordShape](clusterRecord(fleet.view(state), dialect));
}
