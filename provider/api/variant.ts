import type { RequestNames } from "../config/settings";
import { isRecord } from "../contract";
import type { GpuType, ServiceInfo } from "./decode/types";
import type { UpdateMethod } from "./endpoints";
import { isUuid } from "./requests";

/** What only some services have: endpoints, and a rollout that an update starts by itself. */
export type OptionalPart = "status" | "update" | "redeploy" | "rollout";

/** Inputs that only an update or a redeploy changes. */
export const configInputs = ["container", "env", "registryCredentialId", "extraFields"] as const;
export type ConfigInput = (typeof configInputs)[number];
/** A redeploy changes only the image. */
const onlyByUpdate = configInputs.filter((input) => input !== "container");

/**
 * What this process knows of a service: its request names, its missing endpoints, and its GPUs. Request names are learned from
 * reads only: a service that ignores unknown names would create a cluster without a GPU and an image.
 */
export class ApiVariant {
  /** The names that answers about clusters show; `undecided` if only lists about GPUs can show them. */
  #clusterNames: RequestNames | "undecided" | undefined;
  #gpuNames: RequestNames | undefined;
  types: readonly GpuType[] = [];
  models: readonly GpuType[] = [];
  updateMethod: UpdateMethod | undefined;
  readonly #parts = new Map<OptionalPart, boolean>();
  readonly #reported = new Set<string>();

  constructor(private readonly forcedNames?: RequestNames) {}

  has(part: OptionalPart): boolean | undefined {
    return this.#parts.get(part);
  }

  note(part: OptionalPart, exists: boolean): void {
    this.#parts.set(part, exists);
  }

  /** Learns from an answer about clusters. A record that shows the names is final. */
  observe(clusters: unknown): void {
    if (this.#clusterNames === undefined || this.#clusterNames === "undecided")
      this.#clusterNames = evidenceIn(clusters) ?? this.#clusterNames;
  }

  /** Learns from a list about GPUs. Its evidence counts only while the clusters leave the names undecided. */
  observeGpus(list: unknown): void {
    const evidence = evidenceIn(list);
    if (evidence !== "undecided") this.#gpuNames ??= evidence;
  }

  get names(): RequestNames | undefined {
    return this.forcedNames ?? this.#observedNames;
  }

  /** Whether lists about GPUs can show the unknown names. */
  get isUndecided(): boolean {
    return this.names === undefined && this.#clusterNames === "undecided";
  }

  get isConfirmed(): boolean {
    return this.#observedNames !== undefined && this.#observedNames === this.names;
  }

  /** Only services with the client's names have UUIDs as GPU models. Other identifiers occur with both vocabularies. */
  get #observedNames(): RequestNames | undefined {
    if (this.#clusterNames !== "undecided") return this.#clusterNames;
    if (this.#gpuNames !== undefined) return this.#gpuNames;
    return this.models.length > 0 && this.models.every(({ type }) => isUuid(type)) ? "client" : undefined;
  }

  get gpus(): readonly GpuType[] {
    return this.types.length > 0 ? this.types : this.models;
  }

  get fixed(): readonly ConfigInput[] {
    if (this.has("update") !== false) return [];
    return this.has("redeploy") === false ? configInputs : onlyByUpdate;
  }

  hasReported(message: string): boolean {
    return this.#reported.has(message);
  }

  noteReport(message: string): void {
    this.#reported.add(message);
  }
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
function evidenceIn(answer: unknown): RequestNames | "undecided" | undefined {
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
export function fixedInputs({ names }: ApiVariant, info: ServiceInfo | undefined): readonly ConfigInput[] {
  const actions = JSON.stringify(info?.endpoints ?? {});
  if (names !== "client" || /"update"|"(patch|put)\b/i.test(actions)) return [];
  return /\bscale\b/i.test(actions) && !/redeploy/i.test(actions) ? configInputs : onlyByUpdate;
}
