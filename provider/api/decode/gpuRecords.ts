import { isRecord } from "../../contract";
import { defined, Fields, type Kind, number, object, type Raw, type Reader, text, UnreadableError } from "./json";
import { type Answer, type Listing, listIn, type Page, type Row, unwrap } from "./lists";
import { gpuKey, plainName } from "./names";
import {
  categoryForm,
  conditionalOffer,
  defaultTier,
  generalMemory,
  genericIdNames,
  gpuIdNames,
  gpuListNames,
  gpuTable,
  gpuTitleNames,
  isFieldOrPlace,
  machineWord,
  mayBeGpuTypes,
  placeNames,
  priceUnit,
  priceWords,
  scaleNames,
  stockTable,
  type ValueField,
  valueFields,
} from "./records";
import type { GpuType } from "./types";

/**
 * Reads one page of a list about GPUs.
 * @param field What a value alone is in a map by type.
 */
export function readGpuPage({ json, headers }: Answer, field?: ValueField): Page<GpuType> {
  const list = gpuListIn(json, field);
  if (!list) throw new UnreadableError("it is not a list of GPU types in a form that this version knows");
  const { rows, around } = list;
  const items = gpusIn(list);
  if (items.length === 0 && rows.length > 0) throw new UnreadableError("none of its records names a GPU type");
  const isNamed =
    items.length === rows.length && rows.every((row) => row.key !== undefined || new Fields(rawOf(row)).has(typeNames));
  // A type is listed once, or once for each place and tier: other lists are of offers, which come and go.
  const placeOf = ({ raw }: GpuType) => placeNames.map((name) => new Fields(raw).get(name));
  const offers = new Set(items.map((gpu) => [gpuKey(gpu.type), ...placeOf(gpu)].join(" ")));
  const isComplete = list.isComplete && items.length > 0 && isNamed && offers.size === items.length;
  return { items, count: items.length, isComplete, around, headers };
}

/** Reads the availability of one type, which the answer need not repeat: its record, or its records in a list. */
export const readGpuType =
  (type: string): Reader<GpuType[]> =>
  (json) => {
    const isOwn = (name: string) => gpuKey(name) === gpuKey(type);
    const list = gpuListIn(json, valueFields.availability) ?? { rows: [], around: [] };
    const own = gpusIn(list).filter((gpu) => identifiersOf(gpu).some(isOwn));
    if (own.length > 0) return own.map((gpu) => ({ ...gpu, type }));
    const raw = unwrap(json) ?? {};
    const named = namesOf(raw);
    // An object without a name of a list may be the record itself: its keys need not be types.
    const isList = (listIn(json, gpuListNames)?.rows.length ?? 0) > 0;
    if (isList || (named.length > 0 && !named.some(isOwn))) throw new UnreadableError("it is not about this GPU type");
    const byType = Object.fromEntries(Object.entries(raw).filter(([key]) => mayBeGpuTypes([key])));
    const isMap = Object.keys(raw).some(isOwn) || isMapByType(byType, valueFields.availability);
    // What stands beside the types of a map is about all of them.
    return [isMap && named.length === 0 ? { type, raw: { ...raw } } : gpuOf(raw, type)];
  };

const typeNames = [...gpuIdNames, ...genericIdNames];

/**
 * The list of an answer about GPUs. A value alone in a map by type becomes a field; a text in a list gets the fields that maps
 * beside the list have for it.
 */
function gpuListIn(json: unknown, field?: ValueField): Listing | undefined {
  const list = listIn(json, gpuListNames, (raw) => isMapByType(raw, field));
  if (!list) return undefined;
  const inMaps = (list.others ?? []).filter(({ key }) => key !== undefined).map((row) => withField(row, field));
  const rows = list.rows.map((row) => {
    const type = row.key === undefined ? text(row.value) : undefined;
    const own = inMaps.filter(({ key = "" }) => type !== undefined && gpuKey(key) === gpuKey(type));
    if (own.length === 0) return withField(row, field);
    return { value: Object.assign({}, ...own.map(({ value }) => value), { gpu_type: type }) };
  });
  return { ...list, rows };
}

/** A row of a map whose value alone becomes a field. */
function withField(row: Row, field?: ValueField): Row {
  return field && row.key !== undefined && !isRecord(row.value) ? { ...row, value: { [field[0]]: row.value } } : row;
}

/** Whether an object is a map by GPU type: to records, or to values of one kind that are this field. */
function isMapByType(raw: Raw, field?: ValueField): boolean {
  const values = Object.values(raw);
  const [first] = values;
  const isField = (value: unknown) => typeof value === typeof first && field?.[1](value) !== undefined;
  return mayBeGpuTypes(Object.keys(raw)) && (values.every(isRecord) || values.every(isField));
}

/** The record of a row; a text alone is its name. */
function rawOf({ value }: Row): Record<string, unknown> {
  return object(value) ?? { name: value };
}

/** A general name with the same value in each record may be that of a category: it counts only if no other name is there. */
function gpusIn({ rows, around }: Pick<Listing, "rows" | "around">): GpuType[] {
  const valuesOf = (name: string) => new Set(rows.map((row) => new Fields(rawOf(row)).get(name)));
  const general = genericIdNames.filter((name) => rows.length === 1 || valuesOf(name).size > 1);
  const names = [...gpuIdNames, ...general, ...gpuTitleNames, ...genericIdNames];
  return rows.flatMap((row) => {
    const raw = rawOf(row);
    const type = row.key ?? new Fields(raw).first(names, identifier);
    if (type === undefined) return [];
    const gpu = gpuOf(raw, type, around);
    return row.key === undefined || isGpuUnder(row.key, gpu) ? [gpu] : [];
  });
}

/** A record in a map may be about anything. A name alone, or nothing, shows a GPU only under a key with a digit; types inside it show a map. */
function isGpuUnder(key: string, { type: _type, raw, name, ...facts }: GpuType): boolean {
  if (isFieldOrPlace(key)) return false;
  const names = Object.keys(raw);
  if (/\d/.test(key) && (name !== undefined || names.length === 0)) return true;
  return Object.keys(facts).length > 0 && (/\d/.test(key) || !names.some((each) => mayBeGpuTypes([each])));
}

/** @param around The objects around the list: they may name a unit of all its prices. */
function gpuOf(raw: Raw, type: string, around: readonly Raw[] = []): GpuType {
  const fields = new Fields(raw);
  const isMachine = fields.entries().some(([name]) => machineWord.test(name));
  const memory = isMachine ? {} : fields.read(generalMemory);
  const { available, ...own } = stockIn(fields);
  const stock = available === undefined ? stockIn(new Fields(fields.get("cluster"))) : { available, ...own };
  return defined({ type, ...memory, ...fields.read(gpuTable), ...priceIn(raw, around), ...stock, raw: { ...raw } });
}

/** A text that is no number, which would be a count or the key of a database table, and no word for what all records are. */
export const identifier: Kind<string> = (value) => {
  const found = text(value)?.trim();
  return found === undefined || /^\d+$/.test(found) || categoryForm.test(found) ? undefined : found;
};

/** Every text in a record that identifies its GPU. */
function namesOf(raw: Raw): string[] {
  const fields = new Fields(raw);
  const found = [...typeNames, ...gpuTitleNames].map((name) => identifier(fields.get(name)));
  return found.filter((each) => each !== undefined);
}

/** Every text that identifies a listed GPU, its type first. */
export function identifiersOf({ type, raw }: Pick<GpuType, "type" | "raw">): string[] {
  return [...new Set([type, ...namesOf(raw)])];
}

export type Stock = Pick<GpuType, "available" | "availableCount">;

/** The stock in a record: a flag, a word or a number. */
function stockIn(fields: Fields): Stock {
  const { available, soldOut, availableCount } = fields.read(stockTable);
  const isCounted = availableCount === undefined ? undefined : availableCount > 0;
  return defined({ available: soldOut === undefined ? (available ?? isCounted) : !soldOut, availableCount });
}

export type Price = Pick<GpuType, "pricePerHour" | "currency">;

export function tierOf(raw: Raw): string | undefined {
  return text(new Fields(raw).get("tier"));
}

interface PriceField {
  readonly name: string;
  /** The words of its name, and of the names of the objects around it. */
  readonly words: readonly string[];
  readonly value: unknown;
}

/**
 * The price of one GPU for one hour in a record. A name with unknown words (`spot_price`, `setup_fee`) is not read. The price
 * of the tier counts before others, then one that is said to be for an hour; of several, the highest: no cluster may cost more
 * than its preview says.
 * @param around The objects around the list: they may name a unit of all its prices.
 */
export function priceIn(raw: Raw, around: readonly Raw[] = [], tier = tierOf(raw) ?? defaultTier): Price {
  const tierWords = plainName(tier).split("_");
  const own = fieldsIn(raw, tierWords);
  const all = [...own, ...around.flatMap((each) => fieldsIn(each, tierWords))];
  if (all.some(isConditional)) return {};
  const prices = own.filter(({ words, value }) => isPrice(words, tierWords) && (number(value) ?? -1) >= 0);
  const isHourly = ({ words }: PriceField) => words.some((word) => priceWords.hour.has(word));
  const usable = all.some(namesOtherUnit) ? prices.filter(isHourly) : prices;
  const isOfTier = ({ words }: PriceField) => tierWords.every((word) => words.includes(word));
  const rankOf = (price: PriceField) => (isOfTier(price) ? 2 : 0) + (isHourly(price) ? 1 : 0);
  const [best] = usable.sort((one, other) => rankOf(other) - rankOf(one) || amountOf(other) - amountOf(one));
  if (!best) return {};
  const beside = all.find(({ name, value }) => name === "currency" && text(value) !== undefined)?.value;
  const inName = best.words.find((word) => word === "usd" || word === "eur");
  const currency = text(beside) ?? inName ?? (String(best.value).trim().startsWith("$") ? "usd" : undefined);
  return defined({ pricePerHour: amountOf(best), currency: currency?.toUpperCase() });
}

/** The fields of a record, and of the prices in objects inside it. */
function fieldsIn(raw: Raw, tierWords: readonly string[], outer: readonly string[] = []): PriceField[] {
  return new Fields(raw).entries().flatMap(([name, value]) => {
    const words = [...outer, ...name.split("_")];
    const isInside = isRecord(value) && words.every((word) => isPriceWord(word) || tierWords.includes(word));
    return isInside ? fieldsIn(value, tierWords, words) : [{ name, words, value }];
  });
}

/** Whether a name has only words of a price, one of them for the price itself. */
function isPrice(words: readonly string[], tierWords: readonly string[]): boolean {
  const isKnown = words.every((word) => isPriceWord(word) || tierWords.includes(word));
  return isKnown && words.some((word) => priceWords.price.has(word));
}

function isPriceWord(word: string): boolean {
  return priceWords.price.has(word) || priceWords.hour.has(word) || priceWords.beside.has(word);
}

/** Rounded, because 299 cents would otherwise be 2.9900000000000002. */
function amountOf({ words, value }: PriceField): number {
  return Number(((number(value) ?? 0) * (words.includes("cents") ? 0.01 : 1)).toPrecision(12));
}

/** Whether a price beside this field has a scale that is not read, or is for GPUs that can be taken away, or for a contract. */
function isConditional({ name, value }: PriceField): boolean {
  return conditionalOffer.test(value === true ? name : plainName(text(value) ?? "")) || scaleNames.includes(name);
}

/** Whether a field names another unit than an hour: `minute`, `24 hours`, `cents`, a number. */
function namesOtherUnit({ name, value }: PriceField): boolean {
  const words = plainName(text(value) ?? "").split("_");
  return priceUnit.test(name) && (!words.every(isPriceWord) || words.includes("cents"));
}
