import * as z from "zod";
import { invalid } from "./answers";
import type { ClusterState } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import { changedExtras, type ExtraFields, extraFields, extrasOf } from "./extraFields";
import { checked, fieldsOf, type MainField, mainFields, stringLike, wholeNumber } from "./fields";
import type { ClusterSeed } from "./fleet";

// The endpoint's host label is <name>-<8 characters>, and a label has at most 63.
const name = stringLike(/^[a-z0-9]([a-z0-9-]{0,52}[a-z0-9])?$/, "a DNS label of at most 54 characters");
const gpuType = stringLike(/^\S+$/, "a GPU type");
const replicas = wholeNumber(1);

// The specification asks for a repository and a tag. Registries have images without a repository too, and a digest is more
// exact than a tag. Without a tag or a digest, the running image would be unknown.
const container = stringLike(
  /^([^\s/@]+\/)*[^\s/@:]+(:[^\s/@:]+(@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$/,
  "<repository>/<image>:<tag>",
);

const env = z.record(z.string(), z.string("a string"), "an object of strings");
/** A null removes a variable. */
const envChanges = z.record(z.string(), z.string("a string or null").nullable(), "an object of strings");

const clientCreation = z.object({ name, gpuType, replicas, container, env }).partial().required({ name: true });

// The client omits fields without a value, so a service for this client cannot require them.
const creations: PerValue<"requestNames", z.ZodType<z.infer<typeof clientCreation>>> = {
  specification: z.object({ name, gpuType, replicas, container, env: env.optional() }),
  client: clientCreation,
};

/** The GPUs of each replica if the request has a GPU type, but no number of GPUs. */
const defaultGpus: PerValue<"requestNames", number> = { specification: 1, client: 0 };

/** Body of `POST /v1/clusters`. `gpuType` is the id in the request, or an empty string. */
export function parseCreate(body: unknown, dialect: Dialect): Omit<ClusterSeed, "organization"> {
  const fields = fieldsOf(body, [...mainFields, ...extraFields], dialect);
  const {
    name,
    gpuType = "",
    replicas = 1,
    container = "",
    env = {},
  } = checked(creations[dialect.requestNames], fields, dialect);
  const extras = extrasOf(fields, dialect);
  const { gpusPerReplica = defaultGpus[dialect.requestNames] } = extras;
  return {
    ...{ name, gpuType, replicas, container, env },
    gpusPerReplica: gpuType === "" ? 0 : Number(gpusPerReplica),
    extras,
  };
}

/** Body of `POST /v1/clusters/:id/scale`. */
export function parseScale(body: unknown, dialect: Dialect): number {
  return checked(z.object({ replicas }), fieldsOf(body, ["replicas"], dialect), dialect).replicas;
}

/** The fields that a change request changes. */
export interface Update {
  replicas?: number;
  container?: string;
  env?: Record<string, string>;
  extras?: ExtraFields;
}

/** Body of `POST /v1/clusters/:id/redeploy`, if there is one. */
export function parseRedeploy(body: unknown, { extras }: ClusterState, dialect: Dialect): Update {
  if (body === undefined) return {};
  const fields = fieldsOf(body, ["container", "cloudInitRuncmd"], dialect);
  return {
    ...checked(z.object({ container: container.optional() }), fields, dialect),
    extras: { ...extras, ...extrasOf(fields, dialect) },
  };
}

/** Body of the update operation. */
export const parseUpdate: PerValue<
  "updateSemantics",
  (body: unknown, state: ClusterState, dialect: Dialect) => Update
> = {
  merge(body, { extras }, dialect) {
    const fields = changesOf(body, dialect);
    const settings = checked(z.object({ replicas, container, env }).partial(), fields, dialect);
    return { ...settings, extras: { ...extras, ...extrasOf(fields, dialect) } };
  },
  "merge-keys"(body, { configuration, extras }, dialect) {
    const fields = changesOf(body, dialect);
    const schema = z.object({ replicas, container, env: envChanges }).partial();
    const { env: changes, ...settings } = checked(schema, fields, dialect);
    const env = changes && merged(configuration.env, changes);
    return { ...settings, env, extras: { ...extras, ...extrasOf(fields, dialect) } };
  },
  replace(body, _state, dialect) {
    const fields = fieldsOf(body, settings, dialect);
    return {
      ...checked(z.object({ replicas, container, env: env.default({}) }), fields, dialect),
      extras: extrasOf(fields, dialect),
    };
  },
};

/** The fields that an update can change. */
const settings: readonly string[] = [...(["replicas", "container", "env"] satisfies MainField[]), ...changedExtras];

function changesOf(body: unknown, dialect: Dialect): Record<string, unknown> {
  const fields = fieldsOf(body, settings, dialect);
  if (Object.keys(fields).length === 0) throw invalid("The update changes nothing.");
  return fields;
}

function merged(env: Record<string, string>, changes: Record<string, string | null>): Record<string, string> {
  const entries = Object.entries<string | null>({ ...env, ...changes });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}
