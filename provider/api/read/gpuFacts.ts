import { isRecord } from "../../core";
import {
  gpuMemoryForm,
  gpuNameForms,
  gpuNames,
  kindWords,
  machineForm,
  stockNames,
  stockPlacesForm,
  stockWords,
} from "../records";
import { asCount, asFlag, asNumber, asText, defined, Fields, plainName } from "./json";

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

type Raw = Readonly<Record<string, unknown>>;

/** The memory of a GPU in GB. If the record describes a machine, a name that may mean any memory is the machine's. */
export function readMemory(raw: Raw): number | undefined {
  const fields = new Fields(raw);
  const own = fields.names().filter((name) => gpuMemoryForm.test(name));
  const isMachine = fields.names().some((name) => machineForm.test(name));
  const names = isMachine ? own : [...own, ...gpuNames.memory];
  return names.map((name) => asMemory(fields.get(name), name)).find((memory) => memory !== undefined);
}

/** A number with a unit in its name, or in the range of GPU memory; or a text with a unit. */
function asMemory(value: unknown, name: string): number | undefined {
  const number = asNumber(value);
  if (number !== undefined) {
    const isGb = /_gi?b$/.test(name) || (number >= smallestGpu && number <= largestGpu);
    return number > 0 && isGb ? number : undefined;
  }
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*([GM])(?:i?B)?\s*$/i.exec(asText(value) ?? "") ?? [];
  return amount === undefined ? undefined : Number(amount) / (unit?.toUpperCase() === "M" ? 1024 : 1);
}

/** The range of GPU memory in GB; a number in MB is larger. */
const smallestGpu = 4;
const largestGpu = 512;

export interface Stock {
  readonly available?: boolean;
  readonly availableCount?: number;
}

/** Reads the stock: a flag, a number or a word, or any of these by region. */
export function readStock(raw: Raw, depth = 2): Stock {
  const fields = new Fields(raw);
  const availableCount = fields.first(stockNames.count, (value) =>
    typeof value === "boolean" ? undefined : asCount(value),
  );
  const available = fields.first(stockNames.available, asStockWord);
  if (available !== undefined || availableCount !== undefined)
    return defined({ available: available ?? (availableCount ?? 0) > 0, availableCount });
  const places = fields
    .names()
    .filter((name) => stockPlacesForm.test(name))
    .map((name) => fields.get(name));
  const listed = places.find((value) => Array.isArray(value));
  if (Array.isArray(listed)) return { available: listed.length > 0 };
  return (depth > 0 && fields.first(stockNames.regions, (value) => asRegions(value, depth - 1))) || {};
}

const stockByWord = new Map([
  ...stockWords.yes.split(" ").map((word) => [word, true] as const),
  ...stockWords.no.split(" ").map((word) => [word, false] as const),
]);

function asStockWord(value: unknown): boolean | undefined {
  return asFlag(value) ?? (typeof value === "string" ? stockByWord.get(plainName(value)) : undefined);
}

const countForm = /(^|_)(gpus?|nodes?|count|total)(_|$)/;

/**
 * `{"eu": 3, "us": 0}`, `[{"region": "eu", "available": true}]`, `["eu"]`: one region is enough; numbers are summed.
 */
function asRegions(value: unknown, depth: number): Stock | undefined {
  const places = isRecord(value) ? Object.values(value) : Array.isArray(value) ? value : undefined;
  if (!places) return undefined;
  if (isRecord(value)) {
    const own = readStock(value, 0);
    if (own.available !== undefined) return own;
    // Total numbers of GPUs and machines say nothing about the free ones.
    if (Object.keys(value).some((name) => countForm.test(plainName(name)))) return undefined;
  }
  const isNames = Array.isArray(value) && value.every((place) => typeof place === "string");
  const stocks = isNames ? value.map(() => ({ available: true })) : places.map((place) => stockOf(place, depth));
  const known = stocks.filter(({ available }) => available !== undefined);
  if (known.length === 0) return places.length === 0 ? { available: false } : undefined;
  const counts = known.map(({ availableCount }: Stock) => availableCount);
  const availableCount = counts.every((count) => count !== undefined)
    ? counts.reduce((sum, count) => sum + count, 0)
    : undefined;
  return defined({ available: known.some(({ available }) => available), availableCount });
}

function stockOf(place: unknown, depth: number): Stock {
  return readStock(isRecord(place) ? place : { available: place }, depth);
}
