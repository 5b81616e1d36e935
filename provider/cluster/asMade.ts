import { isSameGpu, matchGpu } from "../api/gpuMatch";
import { isGpuName } from "../api/read/gpuIdentity";
import { plainName } from "../api/read/json";
import { type ClusterRecord, clusterNames } from "../api/records";
import { isOpaque, vocabularies } from "../api/requestNames";
import type { GpuType } from "../types";
import type { CheckedInputs } from "./fields";
import { mayBeImage } from "./forms";

/**
 * Whether a new cluster is what was asked for. A service that drops the names of a request in silence makes a cluster
 * without a GPU or without the image; it exists and is paid for, so it stays in the state, and is an error. Pure.
 */

type Asked = Pick<CheckedInputs, "gpuType" | "container">;

/** What is wrong with a new cluster, one text for each part; what the service does not show is believed. */
export function madeOtherwise(inputs: Asked, record: ClusterRecord, gpus: readonly GpuType[]): string[] {
  const gpu = gpuProblem(inputs.gpuType, record, gpus);
  const image = imageProblem(inputs.container, record);
  return [gpu, image].filter((problem) => problem !== undefined);
}

function gpuProblem(asked: string, record: ClusterRecord, gpus: readonly GpuType[]): string | undefined {
  const shown = identifiersIn(record);
  const isNone = hasNoGpu(record) || (shown.length === 0 && isEmpty(record, "gpuType"));
  if (isNone) return `no GPU instead of "${asked}"`;
  if (isSameGpu(asked, shown)) return undefined;
  const wanted = matchGpu(asked, gpus);
  const others = shown.map((text) => matchGpu(text, gpus)).filter((match) => match.kind === "one");
  const isOther = wanted.kind === "one" && others.length > 0 && others.every(({ gpu }) => gpu.type !== wanted.gpu.type);
  return isOther ? `the GPU type "${record.gpuType}" instead of "${asked}"` : undefined;
}

/**
 * The inputs with the type that a cluster has, if it is one of the list that they hold; what another one than the expected one
 * costs is not known then.
 */
export function withTakenType(inputs: CheckedInputs, shown: readonly string[]): CheckedInputs {
  const { __gpuTypes: types = [], ...others } = inputs;
  const taken = types.find((type) => isSameGpu(type, shown));
  if (taken === undefined) return inputs;
  return isSameGpu(taken, [inputs.gpuType]) ? others : { ...others, gpuType: taken, hourlyCost: undefined };
}

/** Every text by which a record identifies its GPU. */
export function identifiersIn({ gpuType, gpuIdentifiers = [] }: ClusterRecord): string[] {
  return [...new Set([...(gpuType === undefined ? [] : [gpuType]), ...gpuIdentifiers])];
}

/** The GPU type as a program would say it: a word if the record shows one, else the id. */
export function gpuTypeOf(record: ClusterRecord): string | undefined {
  const shown = identifiersIn(record);
  return shown.find((text) => !isOpaque(text)) ?? shown[0];
}

function hasNoGpu({ fields }: ClusterRecord): boolean {
  return fields?.get("gpus_per_replica") === 0;
}

function imageProblem(asked: string, record: ClusterRecord): string | undefined {
  const { container } = record;
  if (container === undefined) return isEmpty(record, "container") ? `no image instead of "${asked}"` : undefined;
  return mayBeImage(asked, container) ? undefined : `the image "${container}" instead of "${asked}"`;
}

/** Whether a record shows a field and nothing in it. */
function isEmpty({ fields = new Map() }: ClusterRecord, field: "gpuType" | "container"): boolean {
  const names: readonly string[] = [
    ...(field === "container" ? clusterNames.container : []),
    ...Object.values(vocabularies).map((own) => plainName(own[field])),
  ];
  const shown = [...fields.keys()].filter((name) => names.includes(name) || (field === "gpuType" && isGpuName(name)));
  return shown.some((name) => fields.get(name) === null || fields.get(name) === "");
}
