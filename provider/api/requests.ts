import { isRecord } from "../contract";
import { plainName } from "./names";
import type { GpuType } from "./types";

/**
 * Two public descriptions of the service name the fields of a request differently: its specification, and its official
 * Python client. This file contains both vocabularies, and the evidence for the one that a service uses. Pure.
 */
export type RequestNames = "specification" | "client";

/** The body of a create request (section 4). */
export interface CreateBody {
  readonly name: string;
  readonly gpuType: string;
  readonly replicas: number;
  readonly container: string;
  readonly env: Readonly<Record<string, string>>;
  readonly registryCredentialId?: string;
  /** Fields unknown to this package, sent unchanged. */
  readonly extraFields?: Readonly<Record<string, unknown>>;
}

/** @assumption An update uses the field names of the create request; null removes a variable if the service merges env by name, and the credential of a registry. */
/** The configuration to change (section 4). */
export interface UpdateBody extends Partial<Omit<CreateBody, "env" | "registryCredentialId">> {
  readonly env?: Readonly<Record<string, string | null>>;
  readonly registryCredentialId?: string | null | undefined;
}

type Field = Exclude<keyof UpdateBody, "extraFields">;

/** @assumption A service accepts the names of the specification, or the names that the official client sends. The specification names no credential of a registry: its name follows that of the client. */
export const vocabularies: Readonly<Record<RequestNames, Readonly<Record<Field, string>>>> = {
  specification: {
    name: "name",
    gpuType: "gpu_type",
    replicas: "replicas",
    container: "container",
    env: "env",
    registryCredentialId: "registry_credential_id",
  },
  client: {
    name: "name",
    gpuType: "gpuModelId",
    replicas: "replicaCount",
    container: "imageUrl",
    env: "envVars",
    registryCredentialId: "registryCredentialId",
  },
};

const fields = Object.keys(vocabularies.specification) as Field[];

/** Every name that a request of this package may contain, in either vocabulary, with the input that sets it. */
export const sentNames: ReadonlyMap<string, Field> = new Map(
  Object.values(vocabularies).flatMap((names) => fields.map((field) => [plainName(names[field]), field] as const)),
);

export type EncodedBody = Readonly<Record<string, unknown>>;

/** Encodes a request body with the names of a vocabulary, without undefined fields. Extra fields are sent unchanged. */
export function encodeBody(names: RequestNames, { extraFields, ...body }: UpdateBody): EncodedBody {
  const own = vocabularies[names];
  const known = fields.filter((field) => body[field] !== undefined).map((field) => [own[field], body[field]]);
  return { ...Object.fromEntries(known), ...extraFields };
}

/** @assumption The number of GPUs of a replica is 0 unless a request with the client's names sets it. */
/** Encodes the body of a creation. The client's names add one GPU for each replica, and omit an empty environment. */
export function encodeCreation(names: RequestNames, { env, ...body }: CreateBody): EncodedBody {
  if (names === "specification") return encodeBody(names, { ...body, env });
  const isEmpty = Object.keys(env).length === 0;
  return { gpusPerReplica: 1, ...encodeBody(names, { ...body, env: isEmpty ? undefined : env }) };
}

/** @assumption A field for the GPU model in exactly the client's spelling shows the client's names; a field for the GPU type shows the specification's. */
const telling: Readonly<Record<RequestNames, RegExp>> = {
  client: /"gpuModel(Id|Name)?":/,
  specification: /"gpu[_-]?type":/i,
};

/** The vocabulary of the names in an answer; `undefined` if the names show neither, or both. */
export function evidenceIn(json: unknown): RequestNames | undefined {
  // The names of one record stand for those of all.
  const list = isRecord(json) ? Object.values(json).find(Array.isArray) : json;
  const said = JSON.stringify(Array.isArray(list) ? list[0] : json) ?? "";
  const [names, other] = (["client", "specification"] as const).filter((each) => telling[each].test(said));
  return other === undefined ? names : undefined;
}

/** @assumption A list of clusters inside one of these fields may be that of a service with the client's names; others have the specification's. */
const clientEnvelopes = ["data", "items"];

export function mayBeClient(list: unknown): boolean {
  return isRecord(list) && clientEnvelopes.some((name) => name in list);
}

/** The vocabulary that the identifiers of GPUs show; `undefined` for words, which occur in both vocabularies. */
export function evidenceOfGpus(gpus: readonly GpuType[]): RequestNames | undefined {
  return gpus.length > 0 && gpus.every(({ type }) => isOpaque(type)) ? "client" : undefined;
}

/** Whether an identifier is a UUID: only services with the client's names have such GPU types. */
export function isOpaque(identifier: string): boolean {
  return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(identifier);
}
