import { gpuNameForms, kindWords } from "../records";
import { asText, isRecord, plainName } from "./json";

/** A text by which a record identifies a GPU, or a machine with GPUs. */
export interface GpuText {
  readonly text: string;
  /** The field that holds it: `gpu_type`, `gpu_model.id`. */
  readonly field: string;
  /** The lower, the more certain it is that requests accept this text. */
  readonly rank: number;
  /** What the field name means: a GPU, a machine, any kind of thing, or only a display name. */
  readonly of: "gpu" | "machine" | "any" | "people";
}

/** Normalizes an identifier for comparison: `RTX 4090`, `rtx-4090` and `rtx_4090` are equal. */
export function gpuKey(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") || text;
}

/** All texts that identify the GPU of a record, also in the objects inside it, the best first. */
export function gpuTexts(record: Readonly<Record<string, unknown>>): GpuText[] {
  const found = Object.entries(record).flatMap(([name, value]) => {
    const plain = plainName(name);
    return isRecord(value) ? innerTexts(plain, value) : textOf(plain, plain, value);
  });
  return found.sort((a, b) => a.rank - b.rank);
}

/** In an object that is a GPU or a machine, any name may hold the id; in another one, only a name for either does. */
function innerTexts(outer: string, object: Record<string, unknown>): GpuText[] {
  const of = formOf(outer)?.of;
  const prefix = of === "gpu" ? "gpu_" : of === "machine" ? "instance_type_" : "";
  return Object.entries(object).flatMap(([name, value]) => {
    const inner = plainName(name);
    const texts = textOf(`${outer}.${inner}`, `${prefix}${inner}`, value);
    if (prefix !== "") return texts.map((text) => (inner.endsWith("name") ? afterPlain(text) : text));
    return texts.filter((text) => text.of === "gpu" || text.of === "machine").map(afterPlain);
  });
}

/** A deeper text ranks after the record's own id, and before its name. */
function afterPlain(text: GpuText): GpuText {
  return { ...text, rank: text.rank / gpuNameForms.length + firstWeak - 1 };
}

function textOf(field: string, plain: string, value: unknown): GpuText[] {
  const text = asText(value)?.trim();
  const form = formOf(plain);
  // A number is a count, or the key of a database table.
  const isIdentifier = text !== undefined && !/^\d+$/.test(text) && !kindWords.has(plainName(text));
  if (!form || !isIdentifier) return [];
  const isOpaque = form.of === "any" && /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(text);
  return [{ field, text, of: form.of, rank: isOpaque ? firstWeak - 0.5 : form.rank }];
}

const forms = gpuNameForms.map(([of, form], rank) => ({ of, form, rank }));
const firstWeak = forms.findIndex(({ of }) => of === "people");

/** Whether a name is one of a GPU, or of a machine with GPUs. */
export function isGpuName(plain: string): boolean {
  const of = formOf(plain)?.of;
  return of === "gpu" || of === "machine";
}

/** A cache: lists of hundreds of records are read each second, with the same few names. */
const formByName = new Map<string, (typeof forms)[number] | undefined>();
const mostNames = 1_000;

function formOf(plain: string) {
  if (formByName.has(plain)) return formByName.get(plain);
  const form = forms.find((each) => each.form.test(plain));
  if (formByName.size < mostNames) formByName.set(plain, form);
  return form;
}
