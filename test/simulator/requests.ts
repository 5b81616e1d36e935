import type { ClusterState } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import {
  clusterName,
  environment,
  environmentChanges,
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
export const parseUpdate: PerValue<
  "updateSemantics",
  (body: unknown, state: ClusterState, dialect: Dialect) => Update
> = {
  merge(body, _state, dialect) {
    const fields = changesOf(body, dialect);
    return { ...parseSettings(fields), env: optional(fields, "env", environment) };
  },
  "merge-keys"(body, { configuration }, dialect) {
    const fields = changesOf(body, dialect);
    const changes = optional(fields, "env", environmentChanges);
    return { ...parseSettings(fields), env: changes && merged(configuration.env, changes) };
  },
  replace(body, state, dialect) {
    const settings = updateFields[dialect.updateFields];
    const fields = fieldsOf(body, ["name", "gpu_type", ...settings]);
    const fixed = { name: state.name, gpu_type: state.gpuType };
    for (const [field, value] of Object.entries(fixed)) {
      if (Object.hasOwn(fields, field) && fields[field] !== value) throw invalid(`"${field}" cannot be changed.`);
    }
    return {
      // What an update cannot say, it cannot replace either.
      replicas: (settings.includes("replicas") ? required : optional)(fields, "replicas", replicaCount),
      container: required(fields, "container", imageReference),
      env: optional(fields, "env", environment) ?? {},
    };
  },
};

const updateFields: PerValue<"updateFields", readonly string[]> = {
  any: ["replicas", "container", "env"],
  "no-replicas": ["container", "env"],
};

function changesOf(body: unknown, dialect: Dialect): Record<string, unknown> {
  const fields = fieldsOf(body, updateFields[dialect.updateFields]);
  if (Object.keys(fields).length === 0) throw invalid("The update changes nothing.");
  return fields;
}

function parseSettings(fields: Record<string, unknown>): Update {
  return {
    replicas: optional(fields, "replicas", replicaCount),
    container: optional(fields, "container", imageReference),
  };
}

function merged(env: Record<string, string>, changes: Record<string, string | null>): Record<string, string> {
  const entries = Object.entries<string | null>({ ...env, ...changes });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}
