import type { ApiFailure } from "../base/errors";
import type { GpuType, ServiceInfo } from "./decode/types";
import type { UpdateMethod } from "./endpoints";
import { evidenceIn, isOpaque, type RequestNames } from "./requests";

/** What only some services have: endpoints, and a rollout of each update without a further request. */
export type OptionalPart = "status" | "update" | "redeploy" | "rollout";

/** Inputs that only an update or a redeploy changes. */
export const configInputs = ["container", "env", "registryCredentialId", "extraFields"] as const;
export type ConfigInput = (typeof configInputs)[number];
/** A redeploy changes the image, and nothing else. */
const onlyByUpdate = configInputs.filter((input) => input !== "container");

/**
 * What this process knows of a service: the names of its requests, its missing endpoints, and its GPUs. Only reads fill it. A
 * write never tests anything: a service that ignores unknown names would create a cluster without a GPU and an image.
 */
export class ApiVariant {
  /** The names that answers about clusters show; `open` if only lists about GPUs can show them. */
  clusterNames: RequestNames | "open" | undefined;
  #gpuNames: RequestNames | undefined;
  /** The GPU types and the GPU models, as last listed. */
  types: readonly GpuType[] = [];
  models: readonly GpuType[] = [];
  /** The method of updates that the service has accepted. */
  updateMethod: UpdateMethod | undefined;
  /** The last refusal of a service that has refused an update by every method. */
  updateRefusal: ApiFailure = { outcome: "refused", method: "", path: "", status: 405, isApiAnswer: true };
  readonly #parts = new Map<OptionalPart, boolean>();
  readonly #reported = new Set<string>();

  /** @param forced The names of requests, if the setting `gpucluster:requestNames` forces them. */
  constructor(private readonly forced?: RequestNames) {}

  /** Whether the service has this part; `undefined` while that is unknown. */
  has(part: OptionalPart): boolean | undefined {
    return this.#parts.get(part);
  }

  learned(part: OptionalPart, isThere: boolean): void {
    this.#parts.set(part, isThere);
  }

  /** Learns from an answer about clusters. A record that shows the names is final. */
  observe(clusters: unknown): void {
    if (this.clusterNames === undefined || this.clusterNames === "open")
      this.clusterNames = evidenceIn(clusters) ?? this.clusterNames;
  }

  /** Learns from a list about GPUs, whose rows may show the names too. They count only while the clusters leave them open. */
  observeGpus(list: unknown): void {
    const evidence = evidenceIn(list);
    if (evidence !== "open") this.#gpuNames ??= evidence;
  }

  /** The names of requests, if known. */
  get names(): RequestNames | undefined {
    return this.forced ?? this.#observedNames;
  }

  /** Whether an answer of the service has shown the names that requests use. */
  get isConfirmed(): boolean {
    return this.#observedNames !== undefined && this.#observedNames === this.names;
  }

  /** Only services with the client's names have UUIDs as GPU models. Words occur with both vocabularies. */
  get #observedNames(): RequestNames | undefined {
    if (this.clusterNames !== "open") return this.clusterNames;
    if (this.#gpuNames !== undefined) return this.#gpuNames;
    return this.models.length > 0 && this.models.every(({ type }) => isOpaque(type)) ? "client" : undefined;
  }

  /** The GPUs that the service listed last. */
  get gpus(): readonly GpuType[] {
    return this.types.length > 0 ? this.types : this.models;
  }

  /** The inputs that the service has refused to change in place, as far as is known. */
  get fixed(): readonly ConfigInput[] {
    if (this.has("update") !== false) return [];
    return this.has("redeploy") === false ? configInputs : onlyByUpdate;
  }

  /** True at the first call with a text: each fact about the service is reported once. */
  isFirstReport(text: string): boolean {
    const isNews = !this.#reported.has(text);
    this.#reported.add(text);
    return isNews;
  }
}

/**
 * The inputs that the service cannot change in place, by what its answers show: a service with the client's names has no
 * update unless its descriptor names one, by the word or by a method.
 */
export function fixedInputs({ names }: ApiVariant, info: ServiceInfo | undefined): readonly ConfigInput[] {
  const hasUpdate = info !== undefined && /"update"|"(patch|put)\b/i.test(JSON.stringify(info.endpoints));
  return names === "client" && !hasUpdate ? onlyByUpdate : [];
}
