import { invalid } from "./answers";
import { wireIds } from "./catalog";
import type { ClusterState } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import { type ExtraFields, extraFields, isFixed, omitted, parseExtra } from "./extraFields";
import {
  clusterName,
  environment,
  environmentChanges,
  type Fields,
  fieldsOf,
  gpuTypeName,
  imageReference,
  type MainField,
  optional,
  replicaCount,
  required,
} from "./fields";
import type { ClusterSeed } from "./fleet";

/** The fields that an update changes. */
export interface Update {
  replicas?: number;
  container?: string;
  env?: Record<string, string>;
  extras?: ExtraFields;
}

const main: readonly MainField[] = ["name", "gpuType", "replicas", "container", "env"];

/** Body of `POST /v1/clusters`; `gpuType` is the request's name of the GPU type, or an empty string. */
export function parseCreate(body: unknown, dialect: Dialect): Omit<ClusterSeed, "organization"> {
  const fields = fieldsOf(body, [...main, ...extraFields[dialect.extraFields]], dialect);
  const read = mainReaders[dialect.requestNames];
  const extras = parseExtras(fields, dialect);
  return {
    name: required(fields, "name", clusterName),
    gpuType: read(fields, "gpuType", gpuTypeName) ?? "",
    replicas: read(fields, "replicas", replicaCount) ?? 1,
    container: read(fields, "container", imageReference) ?? "",
    env: optional(fields, "env", environment) ?? {},
    gpusPerReplica: gpusPerReplica(fields, extras),
    extras: { ...omitted(), ...extras },
  };
}

// The client omits fields without a value, so a service for this client cannot require them.
const mainReaders: PerValue<"requestNames", typeof optional> = {
  specification: required,
  client: optional,
  both: optional,
};

/** The default with the specification's field `gpu_type` is one GPU for each replica; with the client's field it is none. */
function gpusPerReplica({ sent }: Fields, { gpusPerReplica: given }: ExtraFields): number {
  const gpu = sent.get("gpuType")?.name;
  if (gpu === undefined) return 0;
  if (typeof given === "number") return given;
  return gpu === "gpu_type" ? 1 : 0;
}

function parseExtras(fields: Fields, dialect: Dialect): ExtraFields {
  const entries = extraFields[dialect.extraFields].map((extra) => {
    return [extra, optional(fields, extra, (value, name) => parseExtra(extra, value, name))];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Body of `POST /v1/clusters/:id/scale`. */
export function parseScale(body: unknown, dialect: Dialect): number {
  return required(fieldsOf(body, ["replicas"], dialect), "replicas", replicaCount);
}

/** Body of `POST /v1/clusters/:id/redeploy`, if there is one. */
export function parseRedeploy(body: unknown, { extras }: ClusterState, dialect: Dialect): Update {
  if (body === undefined) return {};
  const fields = fieldsOf(body, ["container", "cloudInitRuncmd"], dialect);
  return {
    container: optional(fields, "container", imageReference),
    extras: { ...extras, ...parseExtras(fields, dialect) },
  };
}

/** Body of the update operation. */
export const parseUpdate: PerValue<
  "updateSemantics",
  (body: unknown, state: ClusterState, dialect: Dialect) => Update
> = {
  merge(body, { extras }, dialect) {
    const fields = changesOf(body, dialect);
    return { ...parseSettings(fields, extras, dialect), env: optional(fields, "env", environment) };
  },
  "merge-keys"(body, { configuration, extras }, dialect) {
    const fields = changesOf(body, dialect);
    const changes = optional(fields, "env", environmentChanges);
    return { ...parseSettings(fields, extras, dialect), env: changes && merged(configuration.env, changes) };
  },
  replace(body, state, dialect) {
    const settings = settingsOf(dialect);
    const fields = fieldsOf(body, ["name", "gpuType", ...settings], dialect);
    const fixed = { name: state.name, gpuType: wireIds[dialect.form](state.gpuType) };
    for (const [field, value] of Object.entries(fixed)) {
      const sent = fields.sent.get(field);
      if (sent && sent.value !== value) throw invalid(`"${sent.name}" cannot be changed.`);
    }
    return {
      // If the dialect's update has no `replicas`, the update cannot require it.
      replicas: (settings.includes("replicas") ? required : optional)(fields, "replicas", replicaCount),
      container: required(fields, "container", imageReference),
      env: optional(fields, "env", environment) ?? {},
      extras: { ...omitted(state.extras), ...parseExtras(fields, dialect) },
    };
  },
};

const updateFields: PerValue<"updateFields", readonly MainField[]> = {
  any: ["replicas", "container", "env"],
  "no-replicas": ["container", "env"],
};

/** The fields that an update may change. */
function settingsOf(dialect: Dialect): readonly string[] {
  const extras = extraFields[dialect.extraFields].filter((extra) => !isFixed(extra));
  return [...updateFields[dialect.updateFields], ...extras];
}

function changesOf(body: unknown, dialect: Dialect): Fields {
  const fields = fieldsOf(body, settingsOf(dialect), dialect);
  if (fields.sent.size === 0) throw invalid("The update changes nothing.");
  return fields;
}

function parseSettings(fields: Fields, extras: ExtraFields, dialect: Dialect): Update {
  return {
    replicas: optional(fields, "replicas", replicaCount),
    container: optional(fields, "container", imageReference),
    extras: { ...extras, ...parseExtras(fields, dialect) },
  };
}

function merged(env: Record<string, string>, changes: Record<string, string | null>): Record<string, string> {
  const entries = Object.entries<string | null>({ ...env, ...changes });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}
