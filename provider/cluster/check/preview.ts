import { type Properties, UNKNOWN } from "../../core";

/** What is certain of the outputs before anything is done: an update keeps the endpoint and the time of creation. Pure. */
export function previewCluster(_news: Properties, known: Properties = {}): Properties {
  const certain = ["endpoint", "createdAt"] as const;
  return Object.fromEntries(certain.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]));
}

/** The same for who shows outputs: of a list of types, only the creation tells which one the service gives. */
export function previewOutputs(news: Properties, known: Properties = {}): Properties {
  const isOpen = news["__gpuTypes"] !== undefined || Array.isArray(news["gpuType"]);
  return { ...previewCluster(news, known), ...(isOpen ? { gpuType: known["gpuType"] ?? UNKNOWN } : {}) };
}
