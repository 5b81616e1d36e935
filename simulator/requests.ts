import * as z from "zod";
import { invalid } from "./answers";
import type { ClusterState } from "./clusterState";
import type { Dialect, PerValue } from "./dialectOptions";
import { changedExtras, type ExtraFields, extraFields, parseExtras } from "./extraFields";
import { type MainField, mainFields, parseFields, stringLike, validate, wholeNumber } from "./fields";
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

const creations: PerValue<"requestNames", z.ZodType<Pick<ClusterSeed, MainField>>> = {
  specification: z.object({ name, gpuType, replicas, container, env: env.default({}) }),
  // The client omits fields without a value, so a service for this client cannot require them.
  client: z.object({
    name,
    gpuType: gpuType.default(""),
    replicas: replicas.default(1),
    container: container.default(""),
    env: env.default({}),
  }),
};

/** The GPUs of each replica if the request has a GPU type, but no number of GPUs. */
const defaultGpus: PerValue<"requestNames", number> = { specification: 1, client: 0 };

/** Body of `POST /v1/clusters`. `gpuType` is the id in the request, or an empty string. */
export function parseCreate(body: unknown, dialect: Dialect): Omit<ClusterSeed, "organization"> {
  const fields = parseFields(body, [...mainFields, ...extraFields], dialect);
  const main = validate(creations[dialect.requestNames], fields, dialect);
  const extras = parseExtras(fields, dialect);
  const { gpusPerReplica = defaultGpus[dialect.requestNames] } = extras;
  return { ...main, gpusPerReplica: main.gpuType === "" ? 0 : Number(gpusPerReplica), extras };
}

/** Body of `POST /v1/clusters/:id/scale`. */
export function parseScale(body: unknown, dialect: Dialect): number {
  return validate(z.object({ replicas }), parseFields(body, ["replicas"], dialect), dialect).replicas;
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
  const fields = parseFields(body, ["container", "cloudInitRuncmd"], dialect);
  return {
    ...validate(z.object({ container: container.optional() }), fields, dialect),
    extras: { ...extras, ...parseExtras(fields, dialect) },
  };
}

/** Body of the update operation. */
export const parseUpdate: PerValue<
  "updateSemantics",
  (body: unknown, state: ClusterState, dialect: Dialect) => Update
> = {
  merge(body, { extras }, dialect) {
    const fields = parseChanges(body, dialect);
    const settings = validate(z.object({ replicas, container, env }).partial(), fields, dialect);
    return { ...settings, extras: { ...extras, ...parseExtras(fields, dialect) } };
  },
  "merge-keys"(body, { configuration, extras }, dialect) {
    const fields = parseChanges(body, dialect);
    const schema = z.object({ replicas, container, env: envChanges }).partial();
    const { env: changes, ...settings } = validate(schema, fields, dialect);
    const env = changes && mergeEnv(configuration.env, changes);
    return { ...settings, env, extras: { ...extras, ...parseExtras(fields, dialect) } };
  },
  replace(body, _state, dialect) {
    const fields = parseFields(body, settings, dialect);
    return {
      ...validate(z.object({ replicas, container, env: env.default({}) }), fields, dialect),
      extras: parseExtras(fields, dialect),
    };
  },
};

/** The fields that an update can change. */
const settings: readonly string[] = [...(["replicas", "container", "env"] satisfies MainField[]), ...changedExtras];

function parseChanges(body: unknown, dialect: Dialect): Record<string, unknown> {
  const fields = parseFields(body, settings, dialect);
  if (Object.keys(fields).length === 0) throw invalid("The update changes nothing.");
  return fields;
}

function mergeEnv(env: Record<string, string>, changes: Record<string, string | null>): Record<string, string> {
  const entries = Object.entries<string | null>({ ...env, ...changes });
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}
