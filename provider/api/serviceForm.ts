import { ApiError, GpuClusterError, messageOf, RequestError } from "../errors";
import type { GpuType } from "../types";
import { matchGpu } from "./gpuMatch";
import {
  evidenceIn,
  evidenceOfEmptyList,
  evidenceOfGpus,
  isAboutNames,
  isOpaque,
  otherNames,
  type RequestNames,
} from "./requestNames";
import { cut } from "./text";

/** The optional endpoints of the service: public descriptions of it differ in which there are. */
export type OptionalEndpoint = "status" | "update" | "gpus" | "gpuAvailability";

/**
 * Which form of the API a service speaks: the names of its requests, the endpoints that it lacks, and the GPUs that it
 * lists. Everything is learned from answers to reads, and remembered for the process. The form is never found out by trial
 * with a creation: a service that drops unknown names would make a cluster without a GPU and an image.
 */
export class ServiceForm {
  /** What records of clusters show, or a creation has proved. */
  #names: RequestNames | undefined;
  /** What the envelope of a list suggests. */
  #likely: RequestNames | undefined;
  /** What the lists about GPUs show: it counts only if the envelope of the list of clusters leaves the question open. */
  #ofGpus: RequestNames | undefined;
  #isAsked = false;
  #types: readonly GpuType[] = [];
  #models: readonly GpuType[] = [];
  readonly #endpoints = new Map<OptionalEndpoint, boolean>();
  readonly #said = new Set<string>();
  /** Whether a read has left out a cluster that a later one has shown: reads lag behind writes. */
  showsLate = false;

  /** @param forced The names of requests, if the setting `gpucluster:requestNames` gives them. */
  constructor(private readonly forced?: RequestNames) {}

  /** Whether the service has an endpoint; `undefined` if that is not known yet. */
  has(endpoint: OptionalEndpoint): boolean | undefined {
    return this.#endpoints.get(endpoint);
  }

  learned(endpoint: OptionalEndpoint, isThere: boolean): void {
    this.#endpoints.set(endpoint, isThere);
  }

  /** True the first time that it is called with a text: a fact about the service is reported once. */
  isNews(text: string): boolean {
    const isNews = !this.#said.has(text);
    this.#said.add(text);
    return isNews;
  }

  /** The names of requests as far as they are known. */
  get names(): RequestNames | undefined {
    return this.forced ?? this.#evidence;
  }

  get #evidence(): RequestNames | undefined {
    return this.#names ?? (this.#likely === undefined ? this.#ofGpus : undefined);
  }

  /** Whether an answer of the service has shown the names that requests hold. */
  get isConfirmed(): boolean {
    return this.#evidence !== undefined && this.#evidence === this.names;
  }

  /** The GPUs that the service listed last. */
  get gpus(): readonly GpuType[] {
    return this.#types.length > 0 ? this.#types : this.#models;
  }

  /** Learns from an answer about clusters: a list of them, or anything about one. */
  saw(json: unknown, isList: boolean): void {
    this.#names ??= evidenceIn(json);
    if (isList) this.#likely = evidenceOfEmptyList(json);
  }

  /** Learns from a list of GPUs. */
  sawGpus(list: "types" | "models" | "pricing" | "availability", json: unknown, gpus: readonly GpuType[]): void {
    if (list === "types") this.#types = gpus;
    if (list === "models") this.#models = gpus;
    const isIdentified = list === "types" || list === "models";
    this.#ofGpus ??= evidenceIn(json) ?? (isIdentified ? evidenceOfGpus(gpus) : undefined);
  }

  /**
   * The names for a creation. If the lists that were read so far leave them open, the lists about GPUs are read, once.
   * What no evidence contradicts is the specification.
   */
  async namesForCreation(reads: readonly (() => Promise<unknown>)[]): Promise<RequestNames> {
    for (const read of this.#isAsked ? [] : reads) {
      if (this.names ?? this.#likely) break;
      // A list that is not to be had is no evidence; the creation itself then says what is wrong with the service.
      await read().catch(() => undefined);
    }
    this.#isAsked = true;
    return this.names ?? this.#likely ?? "specification";
  }

  /** As `inNames`, for a change: a service that has shown its names means the field itself when it refuses one. */
  async change<T>(send: (names: RequestNames) => Promise<T>): Promise<T> {
    return this.isConfirmed && this.names ? send(this.names) : this.inNames(this.names ?? "specification", send);
  }

  /**
   * Sends a request with the names that fit, and once with the other names if the refusal is about those: a refused request
   * has made nothing.
   * @throws One error that shows both refusals.
   */
  async inNames<T>(names: RequestNames, send: (names: RequestNames) => Promise<T>): Promise<T> {
    try {
      return await send(names);
    } catch (error) {
      const mayDiffer = this.forced === undefined && error instanceof ApiError && isAboutNames(error, names);
      if (!mayDiffer) throw error;
      const others = otherNames(names);
      try {
        const result = await send(others);
        this.#names = others;
        return result;
      } catch (second) {
        throw bothRefused(error, second);
      }
    }
  }

  /** The GPU type as a request has to say it. */
  gpuTypeFor(names: RequestNames, asked: string): string {
    const match = matchGpu(asked, this.gpus);
    if (match.kind === "one") return match.gpu.type;
    if (match.kind === "ambiguous") throw new GpuClusterError(ambiguousText(asked, match.candidates));
    if (names === "specification" || isOpaque(asked)) return asked;
    const known = this.gpus.map((gpu) => `"${labelOf(gpu)}"`).slice(0, mostShown);
    const there = known.length > 0 ? `there are ${known.join(", ")}` : "its list of models could not be read";
    throw new GpuClusterError(
      `the GPU type "${asked}" is none of the service's models, whose id the request has to hold; ${there}. ` +
        "getGpuModels() lists them",
    );
  }
}

const mostShown = 12;

/** Between which models a user has to decide. */
export function ambiguousText(asked: string, candidates: readonly GpuType[]): string {
  const shown = candidates.slice(0, mostShown).map((gpu) => `"${gpu.type}" (${labelOf(gpu)})`);
  return `"${cut(asked, 60)}" fits several GPU types: ${shown.join(", ")}. Give the identifier of one`;
}

function labelOf({ type, name, memoryGb }: GpuType): string {
  return [cut(name ?? type, 60), memoryGb === undefined ? "" : `${memoryGb} GB`].filter(Boolean).join(", ");
}

/** One error that shows both refusals. A second request whose answer was lost stays that: something may have been made. */
function bothRefused(first: ApiError, second: unknown): unknown {
  const text =
    `${messageOf(second)}; before that, with the other names of fields: ${first.message}. If the service takes one of ` +
    'them, gpucluster:requestNames ("specification" or "client") forces it';
  if (second instanceof ApiError) return second.maybeApplied ? second : new ApiError(text, second, { cause: second });
  return second instanceof RequestError ? second : new GpuClusterError(text, { cause: second });
}
