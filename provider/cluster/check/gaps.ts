import { ApiError, messageOf, RequestError, ResponseShapeError, TimeoutError } from "../../errors";

/** Something that a check could not find out. */
export interface Gap {
  /** In the plural: `stock figures`, `prices`. */
  readonly what: string;
  readonly error: unknown;
  /** The error in words, without secrets. */
  readonly text: string;
}

/** The text of an error whose request did not know what is secret: the words in it that are the service's may quote it. */
export function clearText(error: unknown, hide: (text: string) => string): string {
  const words = error instanceof ApiError ? [error.said, error.code ?? ""] : [];
  return words.reduce((text, word) => text.replace(word, () => hide(word)), messageOf(error));
}

/**
 * What makes two failures the same for whoever reads of them: a service that is down is so for all that it is asked, while
 * it may refuse one thing and answer another.
 */
export function natureOf(error: unknown): string {
  if (!(error instanceof RequestError || error instanceof TimeoutError)) return messageOf(error);
  if (error instanceof ResponseShapeError) return error.path;
  const isRefusal = error instanceof ApiError && error.outcome === "refused" && error.status !== 429;
  return isRefusal ? `refused with ${error.status}` : "down";
}

/** One sentence for all gaps of a check: what is not known, and why. */
export function gapText(gaps: readonly Gap[]): string {
  const whys = new Map<string, string>();
  for (const { error, text } of gaps) if (!whys.has(natureOf(error))) whys.set(natureOf(error), text);
  const whats = [...new Set(gaps.map(({ what }) => what))];
  return `${listOf(whats)} could not be checked: ${[...whys.values()].join("; ")}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listOf(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${last}` : last;
}
