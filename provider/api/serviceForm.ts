import { type ApiFailure, GpuClusterError } from "../base/errors";
import { cut, listOf, mostNamed } from "../base/text";
import { isRecord } from "../contract";
import { type UpdateMethod, updateMethods } from "./endpoints";
import { matchGpu } from "./gpuMatch";
import { evidenceIn, evidenceOfGpus, isOpaque, mayBeClient, type RequestNames } from "./requests";
import type { GpuType } from "./types";

/** The optional endpoints of the service: only some of its public descriptions have them. */
export type OptionalEndpoint = "status" | "update" | "redeploy" | "gpus" | "gpuAvailability";

/** The subject of a list about GPUs. */
export type GpuSubject = "types" | "models" | "pricing" | "availability";

/** Inputs that only an update or a redeploy changes. */
export const configInputs = ["container", "env", "registryCredentialId", "extraFields"] as const;
export type ConfigInput = (typeof configInputs)[number];
/** A redeploy changes the image, and nothing else. */
export const onlyByUpdate = configInputs.filter((input) => input !== "container");

/**
 * The form of the API that a service has: the names of its requests, its missing endpoints, and its GPUs. The form is
 * learned from reads, and cached for the process. A write never tests the form: a service that ignores unknown names would
 * create a cluster without a GPU and an image.
 */
export class ServiceForm {
  #ofClusters: RequestNames | undefined;
  /** Whether the lists about GPUs count as evidence: the list of clusters leaves the names open. */
  #isOpen = true;
  #ofGpus: RequestNames | undefined;
  #isAsked = false;
  #hasItems = false;
  #types: readonly GpuType[] = [];
  #models: readonly GpuType[] = [];
  readonly #endpoints = new Map<OptionalEndpoint, boolean>();
  readonly #said = new Set<string>();
  /** The methods that an update may have; empty if the service has refused all. */
  updateMethods: readonly UpdateMethod[] = updateMethods;
  /** The last refusal of a service that has refused all. */
  updateRefusal: ApiFailure = { outcome: "refused", method: "", path: "", status: 405, isApiAnswer: true };
  /** Whether a read has left out a cluster that a later one has shown: reads lag behind writes. */
  readsLag = false;

  /** @param forced The names of requests, if the setting `gpucluster:requestNames` forces them. */
  constructor(private readonly forced?: RequestNames) {}

  /** Whether the service has an endpoint; `undefined` while that is unknown. */
  has(endpoint: OptionalEndpoint): boolean | undefined {
    return this.#endpoints.get(endpoint);
  }

  /** The inputs that the service has refused to change in place, as far as is known. */
  get fixed(): readonly ConfigInput[] {
    if (this.has("update") !== false) return [];
    return this.has("redeploy") === false ? configInputs : onlyByUpdate;
  }

  learned(endpoint: OptionalEndpoint, isThere: boolean): void {
    this.#endpoints.set(endpoint, isThere);
  }

  /** Remembers the method of updates; none if the service has refused all. */
  learnedUpdate(methods: readonly UpdateMethod[], refusal: ApiFailure = this.updateRefusal): void {
    this.updateMethods = methods;
    this.updateRefusal = refusal;
    this.learned("update", methods.length > 0);
  }

  /** True at the first call with a text: a fact about the service is reported once. */
  isNews(text: string): boolean {
    const isNews = !this.#said.has(text);
    this.#said.add(text);
    return isNews;
  }

  get #shown(): RequestNames | undefined {
    return this.#ofClusters ?? (this.#isOpen ? this.#ofGpus : undefined);
  }

  /** The names of requests, if known. */
  get names(): RequestNames | undefined {
    return this.forced ?? this.#shown;
  }

  /** Whether an answer of the service has shown the names that requests use. */
  get isConfirmed(): boolean {
    return this.#shown !== undefined && this.#shown === this.names;
  }

  /** The GPUs that the service listed last. */
  get gpus(): readonly GpuType[] {
    return this.#types.length > 0 ? this.#types : this.#models;
  }

  /** Whether the service has the later of the two published forms with the client's names: it has no redeploy. */
  get isLater(): boolean {
    return this.names === "client" && this.#hasItems && this.has("redeploy") !== true;
  }

  /** Learns from an answer about clusters: a list of clusters, or any answer about one cluster. */
  saw(json: unknown, isList: boolean): void {
    this.#ofClusters ??= evidenceIn(json);
    if (isList) this.#isOpen = mayBeClient(json);
    if (isList) this.#hasItems = isRecord(json) && "items" in json;
  }

  /** Learns from a list of GPUs. */
  sawGpus(list: GpuSubject, json: unknown, gpus: readonly GpuType[]): void {
    if (list === "types") this.#types = gpus;
    if (list === "models") this.#models = gpus;
    this.#ofGpus ??= evidenceIn(json) ?? evidenceOfGpus(gpus);
  }

  /** The names for a creation. Lists about GPUs are read once if the list of clusters leaves the names open. */
  async namesForCreation(reads: readonly (() => Promise<unknown>)[]): Promise<RequestNames> {
    for (const read of this.#isAsked ? [] : reads) {
      if (this.names || !this.#isOpen) break;
      // A list that cannot be read is no evidence; the creation itself then reports the problem of the service.
      await read().catch(() => undefined);
    }
    this.#isAsked = true;
    return this.names ?? "specification";
  }

  /** The identifier of the GPU type for a request. */
  gpuTypeFor(names: RequestNames, asked: string): string {
    const match = matchGpu(asked, this.gpus);
    if (match.kind === "one") return match.gpu.type;
    if (match.kind === "ambiguous") throw new GpuClusterError(ambiguousText(asked, match.candidates));
    if (names === "specification" || isOpaque(asked)) return asked;
    const known = this.gpus.map((gpu) => `"${labelOf(gpu)}"`);
    const there =
      known.length > 0 ? `the models are ${listOf(known, mostNamed)}` : "the list of models could not be read";
    throw new GpuClusterError(
      `the GPU type "${asked}" is not one of the service's models, and the request needs the id of a model; ${there}. ` +
        "getGpuModels() lists the models",
    );
  }
}

/** The message for a user who has to choose between models. */
export function ambiguousText(asked: string, candidates: readonly GpuType[]): string {
  const shown = candidates.map((gpu) => `"${gpu.type}" (${labelOf(gpu)})`);
  return `"${cut(asked, 60)}" fits several GPU types: ${listOf(shown, mostNamed)}. Give the identifier of one`;
}

function labelOf({ type, name, memoryGb }: GpuType): string {
  return [cut(name ?? type, 60), memoryGb === undefined ? "" : `${memoryGb} GB`].filter(Boolean).join(", ");
}
