import type { RequestNames } from "../config/settings";
import { isRecord } from "../contract";
import { isUuid } from "./decode/records";
import type { GpuType, ServiceInfo } from "./decode/types";
import type { UpdateMethod } from "./endpoints";

/** Inputs that only an update or a redeploy changes. */
export const configInputs = ["container", "env", "registryCredentialId", "extraFields"] as const;
export type ConfigInput = (typeof configInputs)[number];
/** A redeploy changes only the image. */
const onlyByUpdate = configInputs.filter((input) => input !== "container");

/** What answers and refusals have shown of a service. Of a flag, `undefined` means that it is not known. */
export interface Evidence {
  readonly configuredNames?: RequestNames | undefined;
  /** The names that answers about clusters show; `undecided` if only lists about GPUs can show them. */
  readonly clusterNames?: RequestNames | "undecided" | undefined;
  /** The names that lists about GPUs show. They count only while the clusters leave the names undecided. */
  readonly gpuNames?: RequestNames | undefined;
  readonly types?: readonly GpuType[];
  readonly models?: readonly GpuType[];
  readonly updateMethod?: UpdateMethod;
  readonly hasUpdate?: boolean;
  readonly hasRedeploy?: boolean;
  readonly hasStatus?: boolean;
  readonly rollsOut?: boolean;
}

/**
 * What this process knows of a service. Request names are learned from what it shows, never by trying: a service that ignores
 * unknown names would create a cluster without a GPU and an image.
 */
export interface Capabilities extends Evidence {
  readonly names: RequestNames | undefined;
  readonly isConfirmed: boolean;
  /** Whether lists about GPUs can show the unknown names. */
  readonly isUndecided: boolean;
  readonly gpus: readonly GpuType[];
  /** The inputs that the service has refused to change in place. */
  readonly fixed: readonly ConfigInput[];
}

export function capabilitiesOf(evidence: Evidence): Capabilities {
  const { configuredNames, clusterNames, gpuNames, types = [], models = [], hasUpdate, hasRedeploy } = evidence;
  let observedNames = clusterNames === "undecided" ? gpuNames : clusterNames;
  // Only services with the client's names have UUIDs as GPU models. Other identifiers occur with both vocabularies.
  const isClient = models.length > 0 && models.every(({ type }) => isUuid(type));
  if (clusterNames === "undecided" && isClient) observedNames ??= "client";
  const names = configuredNames ?? observedNames;
  let fixed: readonly ConfigInput[] = [];
  if (hasUpdate === false) fixed = hasRedeploy === false ? configInputs : onlyByUpdate;
  return {
    ...evidence,
    names,
    isConfirmed: observedNames !== undefined && observedNames === names,
    isUndecided: names === undefined && clusterNames === "undecided",
    gpus: types.length > 0 ? types : models,
    fixed,
  };
}

/** What an answer about clusters shows. A record that shows the names is final. */
export function evidenceOfClusters({ clusterNames }: Capabilities, answer: unknown): Evidence {
  const isFinal = clusterNames !== undefined && clusterNames !== "undecided";
  return isFinal ? {} : { clusterNames: namesIn(answer) ?? clusterNames };
}

/** What a list about GPUs shows. The first names are final. */
export function evidenceOfGpus({ gpuNames }: Capabilities, answer: unknown): Evidence {
  const names = namesIn(answer);
  return gpuNames !== undefined || names === "undecided" ? {} : { gpuNames: names };
}

/** @assumption A field for the GPU model in exactly the client's spelling shows the client's names; a field for the GPU type shows the specification's. */
const clientField = /"gpuModel(Id|Name)?":/;
const specificationField = /"gpu[_-]?type":/i;
/** @assumption A list of clusters inside one of these fields may be that of a service with the client's names; others have the specification's. */
const clientEnvelopes = ["data", "items"];

/**
 * The request names that an answer shows, by the GPU field of its first record. A list of clusters without such a field leaves
 * them `undecided` if it may be that of a service with the client's names.
 */
function namesIn(answer: unknown): RequestNames | "undecided" | undefined {
  const list = isRecord(answer) ? Object.values(answer).find(Array.isArray) : answer;
  const record = JSON.stringify(Array.isArray(list) ? list[0] : answer) ?? "";
  const isClient = clientField.test(record);
  if (isClient !== specificationField.test(record)) return isClient ? "client" : "specification";
  const isEnvelope = (name: string) => isRecord(answer) && name in answer && !isRecord(answer[name]);
  return clientEnvelopes.some(isEnvelope) ? "undecided" : undefined;
}

/**
 * The inputs that the service probably cannot change in place: a service with the client's names has no update endpoint unless
 * its descriptor names one, by the word or by a method. A descriptor that names a scale names every action, so that it shows
 * whether there is a redeploy.
 */
export function fixedInputs({ names }: Capabilities, info: ServiceInfo | undefined): readonly ConfigInput[] {
  const actions = JSON.stringify(info?.endpoints ?? {});
  if (names !== "client" || /"update|"(patch|put)\b/i.test(actions)) return [];
  return /\bscale\b/i.test(actions) && !/redeploy/i.test(actions) ? configInputs : onlyByUpdate;
}
