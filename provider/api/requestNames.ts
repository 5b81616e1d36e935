import { ApiError } from "../errors";
import type { GpuType } from "../types";
import { plainName } from "./names";
import { missingField, unwantedWords } from "./records";

/**
 * Two public descriptions of the service name the fields of a request differently: its specification, and its official
 * Python client. This file contains both vocabularies, the evidence for the one that a service uses, and the refusals
 * that cause a switch to the other one. Pure.
 */
export type RequestNames = "specification" | "client";

/** The body of a create request (section 4). */
export interface CreateBody {
  readonly name: string;
  readonly gpuType: string;
  readonly replicas: number;
  readonly container: string;
  readonly env: Readonly<Record<string, string>>;
  /** Fields unknown to this package, sent unchanged. */
  readonly extraFields?: Readonly<Record<string, unknown>>;
  /** Whether the request may contain the number of GPUs of a replica. Default: true. */
  readonly hasGpuCount?: boolean;
}

/** @assumption An update uses the field names of the create request; null removes a variable if the service merges env by name. */
/** The configuration to change (section 4). */
export interface UpdateBody extends Partial<Omit<CreateBody, "env" | "hasGpuCount">> {
  readonly env?: Readonly<Record<string, string | null>>;
}

type Field = Exclude<keyof UpdateBody, "extraFields">;

/** @assumption A service accepts the names of the specification, or the names that the official client sends. */
export const vocabularies: Readonly<Record<RequestNames, Readonly<Record<Field, string>>>> = {
  specification: { name: "name", gpuType: "gpu_type", replicas: "replicas", container: "container", env: "env" },
  client: { name: "name", gpuType: "gpuModelId", replicas: "replicaCount", container: "imageUrl", env: "envVars" },
};

/** @assumption The number of GPUs of a replica is 0 unless a request with the client's names sets it. */
const gpusPerReplica = "gpusPerReplica";

const fields = Object.keys(vocabularies.specification) as Field[];

/** Every name that a request of this package may contain, in either vocabulary, with the input that sets it. */
export const sentNames: ReadonlyMap<string, Field> = new Map(
  Object.values(vocabularies).flatMap((names) => fields.map((field) => [plainName(names[field]), field] as const)),
);

/** Encodes a request body with the names of a vocabulary, without undefined fields. Extra fields are sent unchanged. */
export function encodeBody(names: RequestNames, { extraFields, ...body }: UpdateBody): EncodedBody {
  const own = vocabularies[names];
  const known = fields.filter((field) => body[field] !== undefined).map((field) => [own[field], body[field]]);
  return { ...Object.fromEntries(known), ...extraFields };
}

/** Encodes the body of a creation. The client's names add one GPU for each replica, and omit an empty environment. */
export function encodeCreation(names: RequestNames, { env, hasGpuCount = true, ...body }: CreateBody): EncodedBody {
  if (names === "specification") return encodeBody(names, { ...body, env });
  const isEmpty = Object.keys(env).length === 0;
  const encoded = encodeBody(names, { ...body, env: isEmpty ? undefined : env });
  return { ...(hasGpuCount ? { [gpusPerReplica]: 1 } : {}), ...encoded };
}

/**
 * Whether the service refuses the number of GPUs of a replica: some services with the client's names do not know it.
 */
export function refusesGpuCount(error: unknown, names: RequestNames, { extraFields = {} }: CreateBody): boolean {
  const isOurs = names === "client" && !(gpusPerReplica in extraFields);
  return isOurs && error instanceof ApiError && isAboutBody(error) && isUnwanted(gpusPerReplica, error);
}

export type EncodedBody = Readonly<Record<string, unknown>>;

/** @assumption A field for the GPU model in exactly the client's spelling shows the client's names; a field for the GPU type shows the specification's. */
const telling: readonly (readonly [RequestNames, RegExp])[] = [
  ["client", /^gpuModel(Id|Name)?$/],
  ["specification", /^gpu[_-]?type$/i],
];

const depthOfEvidence = 4;
/** More fields than a record has, so that a map of many records is not searched to its end. */
const mostNames = 60;

/** The vocabulary of the names in an answer; `undefined` if the names show neither, or both. */
export function evidenceIn(json: unknown): RequestNames | undefined {
  const names = namesIn(json, depthOfEvidence);
  const found = telling.filter(([, pattern]) => names.some((name) => pattern.test(name))).map(([kind]) => kind);
  return found.length === 1 ? found[0] : undefined;
}

/** The names in an answer. Of a list, the names of the first record stand for those of all. */
function namesIn(json: unknown, depth: number): string[] {
  if (typeof json !== "object" || json === null || depth < 0) return [];
  if (Array.isArray(json)) return namesIn(json[0], depth - 1);
  return Object.entries(json)
    .slice(0, mostNames)
    .flatMap(([name, value]) => [name, ...namesIn(value, depth - 1)]);
}

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Whether an identifier is opaque (a UUID): only services with the client's names have such GPU types. */
export function isOpaque(identifier: string): boolean {
  return uuid.test(identifier);
}

/** The vocabulary that the identifiers of GPUs show; `undefined` for words, which occur in both vocabularies. */
export function evidenceOfGpus(gpus: readonly GpuType[]): RequestNames | undefined {
  return gpus.length > 0 && gpus.every(({ type }) => isOpaque(type)) ? "client" : undefined;
}

/** The vocabulary that an empty list shows: none in the envelope of the official client, else the specification's. */
export function evidenceOfEmptyList(json: unknown): RequestNames | undefined {
  const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
  return isObject && ("data" in json || "items" in json) ? undefined : "specification";
}

export function otherNames(names: RequestNames): RequestNames {
  return names === "client" ? "specification" : "client";
}

/**
 * Whether the refusal of a body is about its names: it calls one of them unknown, or one of the other vocabulary
 * missing. A refusal of a value is not.
 */
export function isAboutNames(error: ApiError, sent: RequestNames): boolean {
  if (!isAboutBody(error)) return false;
  const [own, others] = [vocabularies[sent], vocabularies[otherNames(sent)]];
  const different = fields.filter((field) => own[field] !== others[field]);
  const isMissed = different.some((field) => isNamed(others[field], error.said)) && missingField.test(error.said);
  return isMissed || different.some((field) => isUnwanted(own[field], error));
}

/** Whether a refusal is about the body, so that nothing was done. */
export function isAboutBody({ status }: ApiError): boolean {
  return status === 400 || status === 422;
}

/** Matches a field by its name in any spelling; not a part of the field, such as `env.MODEL`. */
function patternOf(name: string): string {
  return `\\b${plainName(name).replaceAll("_", "[_-]?")}\\b(?![.[])`;
}

/** Whether a text names a field. */
export function isNamed(name: string, text: string): boolean {
  return new RegExp(patternOf(name), "i").test(text);
}

/** Whether a refusal calls the field itself unwanted. If only its value is refused, the field has to stay. */
export function isUnwanted(name: string, { said, code = "" }: ApiError): boolean {
  const { before, after, code: unwantedCode } = unwantedWords;
  if (unwantedCode.test(code)) return isNamed(name, said);
  const plain = said.replace(/["'`:]+/g, " ").replace(/\s+/g, " ");
  return new RegExp(`${before} ${patternOf(name)}|${patternOf(name)} ${after}`, "i").test(plain);
}
