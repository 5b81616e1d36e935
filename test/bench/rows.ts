import type { Figures } from "./figures";

/** The subject of a row. */
export interface Subject {
  readonly kind:
    | "up"
    | "refresh"
    | "destroy"
    | "processes"
    | "phases"
    | "twin"
    | "preview"
    | "nativePreview"
    | "state"
    | "provider"
    | "adapter";
  /** `naive` does what `Retry-After` says; `hasty` only backs off. */
  readonly who: "ours" | "native" | "naive" | "hasty" | "bound" | "empty" | "inert" | "undici" | "http";
  readonly clusters: number;
  /** The number of processes with one key, each with its part of the clusters. */
  readonly processes?: number;
  readonly provisioningS?: number;
  /** Distinguishes several rows of one subject. */
  readonly note?: string;
}

/** The note of a refresh if a list shows as much of a cluster as a read by id. */
export const listShowsAll = "the list shows all";

export interface Row extends Subject {
  readonly figures: Figures;
}

const whoTitles: Record<Subject["who"], string> = {
  ours: "pulumi-gpucluster",
  native: "pulumi-gpucluster/native",
  naive: "naive, heeds Retry-After",
  hasty: "naive, backs off only",
  bound: "physical bound",
  empty: "empty dynamic resource",
  inert: "empty native resource",
  undici: "a plain undici client",
  http: "a plain node:http client",
};

const kindTitles: Record<Subject["kind"], string> = {
  up: "create",
  refresh: "refresh",
  destroy: "destroy",
  processes: "create",
  phases: "create, at 6 phases of the window, worst",
  twin: "create",
  preview: "preview without changes",
  nativePreview: "preview without changes",
  state: "state of one cluster, 2 env keys",
  provider: "provider process over an empty one",
  adapter: "through the real engine",
};

/** The provider of a row, for tables. */
export function whoOf({ who }: Pick<Subject, "who">): string {
  return whoTitles[who];
}

/** The title of a row without its provider: `create 100, 30 s`. */
export function titleOf({ kind, clusters, processes, provisioningS, note }: Subject): string {
  const parts = [
    `${kindTitles[kind]}${clusters > 0 ? ` ${clusters}` : ""}`,
    provisioningS && `${provisioningS} s`,
    processes && (processes === 1 ? "in 1 process" : `in ${processes} processes on one key`),
    note,
  ];
  return parts.filter(Boolean).join(", ");
}
