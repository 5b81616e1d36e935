import type { Properties } from "../../core";

/** What is certain of the outputs before anything is done: an update keeps the endpoint and the time of creation. Pure. */
export function previewCluster(_news: Properties, known: Properties = {}): Properties {
  const certain = ["endpoint", "createdAt"] as const;
  return Object.fromEntries(certain.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]));
}
