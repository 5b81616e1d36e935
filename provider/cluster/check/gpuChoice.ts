import { isSameGpu } from "../../api/gpuMatch";
import { cleanText } from "../../api/text";
import { UNKNOWN } from "../../core";
import type { CheckedInputs } from "../fields";
import { listOf } from "./gaps";
import type { Transition } from "./transition";

/** The entries of `gpuType` where it is a list. Before it is resolved, it may be one in spite of its type. */
export function preferences({ gpuType }: { readonly gpuType: unknown }): readonly string[] | undefined {
  return Array.isArray(gpuType) ? gpuType.filter((type) => typeof type === "string" && type !== UNKNOWN) : undefined;
}

/**
 * The inputs with the list that their type is from, for as long as the service may give another one of it: when it creates the
 * cluster, and until somebody has seen which one it was.
 */
export function withList(inputs: CheckedInputs, asked: CheckedInputs, { kind, before }: Transition): CheckedInputs {
  const types = preferences(asked) ?? [];
  const isOpen = kind !== "update" || before?.__gpuTypes !== undefined;
  return isOpen && types.length > 1 && hasOneType(inputs) ? { ...inputs, __gpuTypes: types } : inputs;
}

/** Whether it is one type, and known. */
export function hasOneType({ gpuType }: { readonly gpuType: unknown }): boolean {
  return typeof gpuType === "string" && gpuType !== UNKNOWN;
}

/**
 * The inputs with the type that the cluster has, in the spelling of before, if it is the one asked for or one of the list:
 * a preview then shows no difference of it.
 */
export function withKeptType(inputs: CheckedInputs, before: CheckedInputs | undefined): CheckedInputs {
  const asked = preferences(inputs) ?? (hasOneType(inputs) ? [inputs.gpuType] : []);
  const isKept = before !== undefined && hasOneType(before) && isSameGpu(before.gpuType, asked);
  return isKept ? { ...inputs, gpuType: before.gpuType } : inputs;
}

/**
 * The first type that enough can be had of; else the first of which that is not known; else the first.
 * @param free How many can be had of a type; `undefined` where that is not known. Not asked beyond what is needed.
 */
export async function chooseType(
  types: readonly string[],
  replicas: number,
  free: (type: string) => Promise<number | undefined>,
): Promise<string | undefined> {
  let unknown: string | undefined;
  for (const type of types) {
    const count = await free(type);
    if (count === undefined) unknown ??= type;
    else if (count >= replicas) return type;
  }
  return unknown ?? types[0];
}

const longestList = 12;

/** What is wrong with a type that the service does not list, and what may be right. */
export function unlistedText(type: string, listed: readonly string[], source: string): string {
  const close = closeNames(type, listed).map(quote);
  const shown = listed.slice(0, longestList).map(quote);
  const more = listed.length > shown.length ? [`${listed.length - shown.length} more`] : [];
  const advice = close.length > 0 ? `close to it: ${listOf(close)}` : `there are ${listOf([...shown, ...more])}`;
  return `"${type}" is not a GPU type that the service lists (${source}); ${advice}`;
}

function quote(type: string): string {
  return `"${cleanText(type, 60)}"`;
}

/** What makes two names close, the surest first: only what is surest of what there is helps. */
const likenesses: readonly ((a: string, b: string) => boolean)[] = [
  (a, b) => a === b,
  (a, b) => Math.min(a.length, b.length) > 1 && (a.includes(b) || b.includes(a)),
  (a, b) => editDistance(a, b) === 1,
  (a, b) => Math.min(a.length, b.length) > 4 && editDistance(a, b) === 2,
];

/** At most three. Capitals, dashes and blanks do not count. */
export function closeNames(name: string, names: readonly string[]): string[] {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const found = likenesses.map((isLike) => names.filter((other) => isLike(plain(name), plain(other))));
  return (found.find((close) => close.length > 0) ?? []).slice(0, 3);
}

/** How many letters have to be put in, taken out or changed. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const [left = 0, up = 0, corner = 0] = [next[j], row[j + 1], row[j]];
      next.push(Math.min(left + 1, up + 1, corner + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
