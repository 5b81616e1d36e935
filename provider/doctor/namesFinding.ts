import { evidenceIn, evidenceOfEmptyList, evidenceOfGpus, type RequestNames } from "../api/requestNames";
import { type Examination, pathsOf } from "./examine";

/** The names that requests would use, and the reason. */
export interface NamesFinding {
  readonly names: RequestNames;
  /**
   * `shown` by an answer, `likely` by the form of an empty list, or `open`: the specification's, or those of a setting.
   */
  readonly certainty: "shown" | "likely" | "open";
  /** The evidence of each answer; the first one decides. */
  readonly evidence: readonly { readonly endpoint: string; readonly names: RequestNames }[];
}

/** The answers in the order in which the provider reads them before a creation. */
export function namesFinding(examination: Examination): NamesFinding {
  const { observations, gpus } = examination;
  const evidence = pathsOf(examination).flatMap(({ path, endpoint, subject }) => {
    const { json, error } = observations.get(path) ?? {};
    const isTelling = error === undefined && json !== undefined && subject !== "service";
    const isIdentified = path === "/v1/gpus" || path === "/v1/gpus/models";
    const found = isTelling
      ? (evidenceIn(json) ?? (isIdentified ? evidenceOfGpus(gpus?.gpus ?? []) : undefined))
      : undefined;
    return found ? [{ endpoint, names: found }] : [];
  });
  const [first] = evidence;
  if (first) return { names: first.names, certainty: "shown", evidence };
  const { json, error } = observations.get("/v1/clusters") ?? {};
  const likely = json === undefined || error !== undefined ? undefined : evidenceOfEmptyList(json);
  return { names: likely ?? "specification", certainty: likely ? "likely" : "open", evidence };
}
