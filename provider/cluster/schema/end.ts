import type { CheckedInputs } from "./state";

/** How long ago the end of a cluster was; `undefined` if it is still to come, not known yet, or not set. */
export function sinceEndMs({ runUntil }: Pick<CheckedInputs, "runUntil">, nowMs: number): number | undefined {
  const sinceMs = nowMs - Date.parse(runUntil ?? "");
  return sinceMs >= 0 ? sinceMs : undefined;
}

export const endAdvice = "set a later time, or remove the cluster from the program";
