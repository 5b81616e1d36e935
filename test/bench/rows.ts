import type { Figures } from "./figures";

/** What a row is about. */
export interface Subject {
  readonly kind:
    | "up"
    | "refresh"
    | "destroy"
    | "processes"
    | "phases"
    | "twin"
    | "preview"
    | "state"
    | "provider"
    | "door";
  /** `naive` does what `Retry-After` says; `hasty` only backs off. */
  readonly who: "ours" | "native" | "naive" | "hasty" | "bound" | "empty";
  readonly clusters: number;
  readonly provisioningS?: number;
  readonly healthCheck?: "status" | "list";
  /** Where one subject has several rows. */
  readonly note?: string;
}

/** The note of a refresh where a list shows as much of a cluster as the cluster itself. */
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
};

const kindTitles: Record<Subject["kind"], string> = {
  up: "create",
  refresh: "refresh",
  destroy: "destroy",
  processes: "create, 3 processes on one key",
  phases: "create, at 6 phases of the window, worst",
  twin: "create",
  preview: "preview without changes",
  state: "state of one cluster, 2 env keys",
  provider: "provider process over an empty one",
  door: "through the real engine",
};

/** Whose row it is. */
export function whoOf({ who, healthCheck }: Subject): string {
  return healthCheck === "list" ? `${whoTitles[who]}, \`healthCheck: "list"\`` : whoTitles[who];
}

/** What a row is about, whoever does it: `create 100, 30 s`. */
export function titleOf({ kind, clusters, provisioningS, note }: Subject): string {
  const parts = [
    `${kindTitles[kind]}${clusters > 0 ? ` ${clusters}` : ""}`,
    provisioningS && `${provisioningS} s`,
    note,
  ];
  return parts.filter(Boolean).join(", ");
}
