import { isSameGpu, matchGpu } from "../api/gpuMatch";
import { isGpuName } from "../api/read/gpuIdentity";
import { plainName } from "../api/read/json";
import { type ClusterRecord, clusterNames } from "../api/records";
import { isOpaque, vocabularies } from "../api/requestNames";
import type { GpuType } from "../types";
import type { CheckedInputs } from "./fields";
import { sameImage } from "./forms";

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
  if (shown.length === 0)
    return isEmpty(record, "gpuType") || hasNoGpu(record) ? `no GPU instead of "${asked}"` : undefined;
  if (hasNoGpu(record)) return `no GPU instead of "${asked}"`;
  if (isSameGpu(asked, shown)) return undefined;
  const wanted = matchGpu(asked, gpus);
  const others = shown.map((text) => matchGpu(text, gpus)).filter((match) => match.kind === "one");
  const isOther = wanted.kind === "one" && others.length > 0 && others.every(({ gpu }) => gpu.type !== wanted.gpu.type);
  return isOther ? `the GPU type "${record.gpuType}" instead of "${asked}"` : undefined;
}

/** Every text by which a record identifies its GPU. */
export function identifiersIn({ gpuType, gpuIdentifiers = [] }: ClusterRecord): string[] {
  return [...new Set([...(gpuType === undefined ? [] : [gpuType]), ...gpuIdentifiers])];
}

/** What a person calls the GPU of a record, if the record says it. */
export function gpuLabel(record: ClusterRecord): string | undefined {
  const shown = identifiersIn(record);
  return shown.find((identifier) => !isOpaque(identifier)) ?? shown[0];
}

function hasNoGpu({ fields = {} }: ClusterRecord): boolean {
  return fields["gpus_per_replica"] === 0;
}

function imageProblem(asked: string, record: ClusterRecord): string | undefined {
  const { container } = record;
  if (container === undefined) return isEmpty(record, "container") ? `no image instead of "${asked}"` : undefined;
  // A mirror or a digest keeps the name of the image; what is no reference at all is the service's own way to write it.
  const isReference = /[/:]/.test(container);
  const isOther = isReference && !sameImage(asked, container) && !container.includes(nameOf(asked));
  return isOther ? `the image "${container}" instead of "${asked}"` : undefined;
}

/** The last part of an image's path: `vllm-openai`. */
function nameOf(image: string): string {
  return (image.split("@")[0] ?? "").split("/").at(-1)?.split(":")[0] ?? image;
}

/** Whether a record shows a field and nothing in it. */
function isEmpty({ fields = {} }: ClusterRecord, field: "gpuType" | "container"): boolean {
  const names: readonly string[] = [
    ...(field === "container" ? clusterNames.container : []),
    ...Object.values(vocabularies).map((own) => plainName(own[field])),
  ];
  const shown = Object.keys(fields).filter((name) => names.includes(name) || (field === "gpuType" && isGpuName(name)));
  return shown.some((name) => fields[name] === null || fields[name] === "");
}
