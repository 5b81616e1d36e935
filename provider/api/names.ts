import { clusterIdPrefix, gpuNameForms } from "./records";

/** Names, ids and identifiers of an answer in any spelling, made comparable. */

const plainForm = /^[a-z0-9]+(_[a-z0-9]+)*$/;

/** Normalizes a name for comparison: `gpuType`, `GPU-Type` and `gpu type` become `gpu_type`. */
export function plainName(name: string): string {
  // The usual case, made fast: lists of hundreds of records are read each second.
  if (plainForm.test(name)) return name;
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toLowerCase();
}

/** Whether an id has the documented form; another id may belong to something else. */
export function hasIdForm(id: string): boolean {
  return id.toLowerCase().startsWith(clusterIdPrefix);
}

/** Compares ids without case: a service may show an id in another case than at creation. */
export function sameId(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

export class IdSet {
  readonly #ids = new Set<string>();

  constructor(ids: Iterable<string> = []) {
    for (const id of ids) this.add(id);
  }

  add(id: string): void {
    this.#ids.add(id.toLowerCase());
  }

  has(id: string): boolean {
    return this.#ids.has(id.toLowerCase());
  }

  *[Symbol.iterator](): Iterator<string> {
    yield* this.#ids;
  }
}

/** Normalizes an identifier of a GPU type for comparison: `RTX 4090`, `rtx-4090` and `rtx_4090` are equal. */
export function gpuKey(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") || text;
}

const forms = gpuNameForms.map(([of, form], rank) => ({ of, form, rank }));

/** A cache: lists of hundreds of records are read each second, with the same few names. */
const formByName = new Map<string, (typeof forms)[number] | undefined>();
const mostNames = 1_000;

/** The form of names for GPUs and machines that a field name has, with its rank among all forms. */
export function gpuNameForm(plain: string) {
  if (formByName.has(plain)) return formByName.get(plain);
  const form = forms.find((each) => each.form.test(plain));
  if (formByName.size < mostNames) formByName.set(plain, form);
  return form;
}

/** Whether a field name is one of a GPU, or of a machine with GPUs. */
export function isGpuName(plain: string): boolean {
  const of = gpuNameForm(plain)?.of;
  return of === "gpu" || of === "machine";
}
