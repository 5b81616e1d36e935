import type { ClusterState } from "./clusterState";
import type { Dialect } from "./dialects";
import {
  clusterName,
  environment,
  fieldsOf,
  gpuTypeName,
  imageReference,
  invalid,
  optional,
  replicaCount,
  required,
} from "./fields";
import type { ClusterSeed } from "./fleet";

/** The fields that an update asks to change. */
export interface Update {
  replicas?: number;
  container?: string;
  env?: Record<string, string>;
}

/** Body of `POST /v1/clusters`. */
export function parseCreate(body: unknown, dialect: Dialect): Omit<ClusterSeed, "organization"> {
  const fields = fieldsOf(body, ["name", "gpu_type", "replicas", "container", "env"]);
  return {
    name: required(fields, "name", clusterName),
    gpuType: required(fields, "gpu_type", gpuTypeName),
    replicas: required(fields, "replicas", replicaCount),
    container: required(fields, "container", imageReference),
    env: (dialect.envRequired ? required : optional)(fields, "env", environment) ?? {},
  };
}

/** Body of `POST /v1/clusters/:id/scale`. */
export function parseScale(body: unknown): number {
  return required(fieldsOf(body, ["replicas"]), "replicas", replicaCount);
}

/** Body of the update operation. */
export const parseUpdate: Record<Dialect["updateSemantics"], (body: unknown, state: ClusterState) => Update> = {
  merge(body) {
    const fields = fieldsOf(body, ["replicas", "container", "env"]);
    if (Object.keys(fields).length === 0) throw invalid("The update changes nothing.");
    return {
      replicas: optional(fields, "replicas", replicaCount),
      container: optional(fields, "container", imageReference),
      env: optional(fields, "env", environment),
    };
  },
  replace(body, state) {
    const fields = fieldsOf(body, ["name", "gpu_type", "replicas", "container", "env"]);
    const fixed = { name: state.name, gpu_type: state.gpuType };
    for (const [field, value] of Object.entries(fixed)) {
      if (Object.hasOwn(fields, field) && fields[field] !== value) throw invalid(`"${field}" cannot be changed.`);
    }
    return {
      replicas: required(fields, "replicas", replicaCount),
      container: required(fields, "container", imageReference),
      env: optional(fields, "env", environment) ?? {},
    };
  },
};
