import { ApiError, GpuClusterError, messageOf, RequestError } from "../errors";
import { cut } from "../text";
import type { GpuType } from "../types";
import { matchGpu } from "./gpuMatch";
import { inForms, type NextForm } from "./requestForms";
import {
  evidenceIn,
  evidenceOfEmptyList,
  evidenceOfGpus,
  isAboutNames,
  isOpaque,
  otherNames,
  type RequestNames,
} from "./requestNames";

/** The optional endpoints of the service: only some of its public descriptions have them. */
export type OptionalEndpoint = "status" | "update" | "gpus" | "gpuAvailability";

/**
 * The form of the API that a service has: the names of its requests, its missing endpoints, and its GPUs. The form is
 * learned from answers, and cached for the process. A creation never tests the form: a service that ignores unknown
 * names would create a cluster without a GPU and an image.
 */
export class ServiceForm {
  /** Shown by records of clusters, or proved by an accepted request. */
  #names: RequestNames | undefined;
  /** Suggested by the envelope of a list. */
  #likely: RequestNames | undefined;
  /** Shown by the lists about GPUs; counts only if the envelope of the list of clusters shows nothing. */
  #ofGpus: RequestNames | undefined;
  #isAsked = false;
  #types: readonly GpuType[] = [];
  #models: readonly GpuType[] = [];
  readonly #endpoints = new Map<OptionalEndpoint, boolean>();
  readonly #said = new Set<string>();
  /** Whether a read has left out a cluster that a later one has shown: reads lag behind writes. */
  showsLate = false;

  /** @param forced The names of requests, if the setting `gpucluster:requestNames` forces them. */
  constructor(private readonly forced?: RequestNames) {}

  /** Whether the service has an endpoint; `undefined` while that is unknown. */
  has(endpoint: OptionalEndpoint): boolean | undefined {
    return this.#endpoints.get(endpoint);
  }

  learned(endpoint: OptionalEndpoint, isThere: boolean): void {
    this.#endpoints.set(endpoint, isThere);
  }

  /** True at the first call with a text: a fact about the service is reported once. */
  isNews(text: string): boolean {
    const isNews = !this.#said.has(text);
    this.#said.add(text);
    return isNews;
  }

  /** The names of requests, if known. */
  get names(): RequestNames | undefined {
    return this.forced ?? this.#evidence;
  }

  get #evidence(): RequestNames | undefined {
    return this.#names ?? (this.#likely === undefined ? this.#ofGpus : undefined);
  }

  /** Whether an answer of the service has shown the names that requests use. */
  get isConfirmed(): boolean {
    return this.#evidence !== undefined && this.#evidence === this.names;
  }

  /** The GPUs that the service listed last. */
  get gpus(): readonly GpuType[] {
    return this.#types.length > 0 ? this.#types : this.#models;
  }

  /** Learns from an answer about clusters: a list of clusters, or any answer about one cluster. */
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
   * The names for a creation. If no answer so far has shown them, the lists about GPUs are read, once. Without
   * evidence, they are the specification's.
   */
  async namesForCreation(reads: readonly (() => Promise<unknown>)[]): Promise<RequestNames> {
    for (const read of this.#isAsked ? [] : reads) {
      if (this.names ?? this.#likely) break;
      // A list that cannot be read is no evidence; the creation itself then reports the problem of the service.
      await read().catch(() => undefined);
    }
    this.#isAsked = true;
    return this.names ?? this.#likely ?? "specification";
  }

  /** The names for a change. */
  get namesForChange(): RequestNames {
    return this.names ?? "specification";
  }

  /**
   * Sends a request in one form after another, and once with the other names if the refusal is about names. After the
   * service has shown its names, a refusal of a change is about the field itself.
   * @param rules The rules for other parts of the form: those that apply before the names, and those after. After the
   * latter, both names may be sent again.
   * @throws One error that shows both refusals.
   */
  async send<Form extends { readonly names: RequestNames }, Result>(
    first: Form,
    send: (form: Form) => Promise<Result>,
    { isChange = false, before = [], after = [] }: FormRules<Form> = {},
  ): Promise<Result> {
    const mayDiffer = this.forced === undefined && !(isChange && this.isConfirmed);
    let refusal: ApiError | undefined;
    const withOtherNames: NextForm<Form> = (error, form) => {
      if (!mayDiffer || refusal || !isAboutNames(error, form.names)) return undefined;
      refusal = error;
      return { ...form, names: otherNames(form.names) };
    };
    // The other names may have been refused for the part that a later rule changes.
    const withFirstNames = after.map(
      (rule): NextForm<Form> =>
        async (error, form) => {
          const next = await rule(error, form);
          if (next === undefined) return undefined;
          refusal = undefined;
          return { ...next, names: first.names };
        },
    );
    try {
      const result = await inForms(first, send, [...before, withOtherNames, ...withFirstNames]);
      if (refusal) this.#names = otherNames(first.names);
      return result;
    } catch (error) {
      throw refusal ? bothRefused(refusal, error) : error;
    }
  }

  /** The identifier of the GPU type for a request. */
  gpuTypeFor(names: RequestNames, asked: string): string {
    const match = matchGpu(asked, this.gpus);
    if (match.kind === "one") return match.gpu.type;
    if (match.kind === "ambiguous") throw new GpuClusterError(ambiguousText(asked, match.candidates));
    if (names === "specification" || isOpaque(asked)) return asked;
    const known = this.gpus.map((gpu) => `"${labelOf(gpu)}"`).slice(0, mostShown);
    const there = known.length > 0 ? `the models are ${known.join(", ")}` : "the list of models could not be read";
    throw new GpuClusterError(
      `the GPU type "${asked}" is not one of the service's models, and the request needs the id of a model; ${there}. ` +
        "getGpuModels() lists the models",
    );
  }
}

interface FormRules<Form> {
  readonly isChange?: boolean;
  readonly before?: readonly NextForm<Form>[];
  readonly after?: readonly NextForm<Form>[];
}

const mostShown = 12;

/** The message for a user who has to choose between models. */
export function ambiguousText(asked: string, candidates: readonly GpuType[]): string {
  const shown = candidates.slice(0, mostShown).map((gpu) => `"${gpu.type}" (${labelOf(gpu)})`);
  return `"${cut(asked, 60)}" fits several GPU types: ${shown.join(", ")}. Give the identifier of one`;
}

function labelOf({ type, name, memoryGb }: GpuType): string {
  return [cut(name ?? type, 60), memoryGb === undefined ? "" : `${memoryGb} GB`].filter(Boolean).join(", ");
}

/**
 * One error that shows both refusals. If the second answer was lost, its error stays: a cluster may have been created.
 */
function bothRefused(first: ApiError, second: unknown): unknown {
  const text =
    `${messageOf(second)}; before that, with the other names of fields: ${first.message}. If the service accepts one of ` +
    'the two, force it with gpucluster:requestNames ("specification" or "client")';
  if (second instanceof ApiError) return second.maybeApplied ? second : new ApiError(text, second, { cause: second });
  return second instanceof RequestError ? second : new GpuClusterError(text, { cause: second });
}
