import { plainName } from "../../base/text";
import { isRecord } from "../../contract";
import { countTable } from "./clusterRecords";
import {
  count,
  defined,
  Fields,
  flag,
  type Kind,
  number,
  object,
  type Raw,
  type Table,
  text,
  UnreadableError,
  words,
} from "./json";
import {
  incompleteNames,
  type Listing,
  listIn,
  type Page,
  type ParsedAnswer,
  pageTable,
  type Row,
  unwrap,
} from "./lists";
import { errorTable, gpuIdentifier, gpuKey, wrapperNames } from "./records";
import type { GpuType } from "./types";

/** A number of GB, or a string with the unit. A number that is too large for one GPU has another unit. */
const gigabytes: Kind<number> = (value) => {
  const read = number(typeof value === "string" ? value.replace(/\s*Gi?B?$/i, "") : value);
  return read !== undefined && read > 0 && read <= 1_024 ? read : undefined;
};

/** @assumption GPUs are a list or a map by type, bare or under one of these names. */
const gpuListNames = words("gpus gpu gpu_types types models availability pricing prices data result items");
/** @assumption A string under one of these names identifies a GPU in requests; the names after them are for people. */
const gpuIdNames = ["gpu_type", "gpu_model_id", "gpu_model"];
const genericIdNames = ["type", "id", "sku"];
const typeNames = [...gpuIdNames, ...genericIdNames];
const gpuTitleNames = ["gpu_model_name", "name", "display_name", "label"];
/** @assumption A type is listed once, or once for each value of these fields. */
const placeNames = ["tier", "region", "location", "country"];
/** @assumption A GPU type has these fields; memory is in GB. Memory under a general name is that of the GPU unless a field beside it is about a machine. */
const gpuTable = {
  name: [text, "name", ...gpuTitleNames],
  memoryGb: [gigabytes, ...words("gpu_memory_gb gpu_memory_gib gpu_memory gpu_vram vram_gb vram_gib vram")],
} as const satisfies Table;
const generalMemory = { memoryGb: [gigabytes, "memory_gb", "memory_gib", "memory"] } as const satisfies Table;
const machineWord = /(^|_)(v?cpus?|cores|ram|disk|storage)(_|$)|^(gpu_count|num_gpus)$/;
/** @assumption The name of a price has only these words, at least one of `price`; with `cents`, it is in cents. It is for one GPU and one hour unless a field beside it names another unit. */
const priceWords = {
  price: new Set(words("price prices pricing cost rate hourly usd dollars cents")),
  hour: new Set(words("hour hours hourly hr")),
  beside: new Set(words("per gpu eur amount value on demand")),
};
const allPriceWords = new Set([...priceWords.price, ...priceWords.hour, ...priceWords.beside]);
/** @assumption A field with such a name is the unit of a price. */
const priceUnit =
  /^((billing|price|pricing|rate|cost)_)?(unit|per|period|interval|frequency|granularity|increment|cycle|basis)$/;
const scaleNames = words("exponent decimals nanos micros scale multiplier term commitment");
/** @assumption A record with one of these words, or a flag of this name, has the price of GPUs that can be taken away, or of a contract. */
const conditionalOffer = /^(is_)?(spot|preemptible|interruptible|reserved|committed)$/;
/** @assumption If a GPU has several prices by tier, this tier counts unless another one is requested. */
export const defaultTier = "community";

/** @assumption Stock is a flag or a word, or a number of free GPUs, under these names; in the record, or in its part `cluster`. */
const inStockWords =
  "available in_stock yes free high medium good plenty ample abundant limited low scarce few low_stock limited_stock";
const soldOutWords =
  "unavailable not_available sold_out out_of_stock no_stock none no exhausted depleted insufficient no_capacity " +
  "out_of_capacity insufficient_capacity at_capacity full fully_booked waitlist waitlisted coming_soon";
const stockWords = new Map([
  ...words(inStockWords).map((each) => [each, true] as const),
  ...words(soldOutWords).map((each) => [each, false] as const),
]);
const inStock: Kind<boolean> = (value) => flag(value) ?? stockWords.get(plainName(text(value) ?? ""));
/** A count, which a flag such as `available: true` is not. */
const quantity: Kind<number> = (value) => (typeof value === "boolean" ? undefined : count(value));
const stockTable = {
  available: [
    inStock,
    ...words("available is_available in_stock availability stock stock_status stock_level capacity status"),
  ],
  soldOut: [flag, "sold_out", "out_of_stock", "unavailable"],
  availableCount: [
    quantity,
    ...words("available_count free_gpus available_gpus free available count qty quantity stock remaining"),
  ],
} as const satisfies Table;

/** The field that a plain value is in a map by GPU type, and its kind. */
type ValueField = readonly [name: string, kind: Kind<unknown>];
/** @assumption In a map by GPU type, a plain value is what the endpoint is about: the name of a model, the price of an hour, or the stock. In `/v1/gpus`, it may be anything. */
const valueFields = {
  models: ["name", (value) => (number(value) === undefined ? text(value) : undefined)],
  pricing: ["price", (value) => ((number(value) ?? -1) >= 0 ? value : undefined)],
  availability: ["available", (value) => inStock(value) ?? quantity(value)],
} as const satisfies Readonly<Record<string, ValueField>>;
/** Words of the fields beside GPU types in a map. No GPU type has one. */
const otherFieldWords = words(
  "at time timestamp date updated version currency unit request object success ok meta metadata link links self first last " +
    "previous prev next cursor token sum spot preemptible interruptible reserved committed",
);
const gpuTables: readonly Table[] = [gpuTable, generalMemory, stockTable, pageTable, countTable, errorTable];
const gpuFieldNames = [
  ...gpuTables.flatMap((table) => Object.values(table).flatMap(([_kind, ...names]) => names)),
  ...[gpuListNames, wrapperNames, typeNames, gpuTitleNames, placeNames, incompleteNames, scaleNames].flat(),
  ...[...priceWords.price, ...priceWords.hour],
];
export const knownGpuNames = [gpuFieldNames, priceWords.beside, defaultTier];
/** @assumption A GPU type has no word of a known field, besides these. */
const gpuTypeWords = new Set(words("gpu gb gib memory vram"));
const gpuFieldWords = new Set(
  [...gpuFieldNames, ...otherFieldWords].flatMap((name) => name.split("_")).filter((each) => !gpuTypeWords.has(each)),
);
/** @assumption A key with one of these words names a place, not a GPU type. */
const placeWord = /^(us|eu|ap|ca|sa|me|af|asia|europe|global)$|^(north|south|east|west|central)/;

function isFieldOrPlace(key: string): boolean {
  return plainName(key)
    .split("_")
    .some((word) => gpuFieldWords.has(word) || placeWord.test(word));
}

/** Whether the keys of a map may be GPU types: each has a word that begins with a letter, none is a field or a place, and one has a digit. */
function mayBeGpuTypes(keys: readonly string[]): boolean {
  const isType = (key: string) => /(^|[^a-z0-9])[a-z]/i.test(key) && !isFieldOrPlace(key);
  return keys.every(isType) && keys.some((key) => /\d/.test(key));
}

/** @param about What the list is about, if not everything. */
export function readGpuPage({ json, headers }: ParsedAnswer, about?: keyof typeof valueFields): Page<GpuType> {
  const list = gpuListIn(json, about && valueFields[about]);
  if (!list) throw new UnreadableError("it is not a list of GPU types in a form that this version knows");
  const { rows, around } = list;
  const items = gpusIn(list);
  if (items.length === 0 && rows.length > 0) throw new UnreadableError("none of its records names a GPU type");
  const isNamed =
    items.length === rows.length && rows.every((row) => row.key !== undefined || new Fields(rawOf(row)).has(typeNames));
  // A type is listed once, or once for each place and tier. Any other list is one of offers, which come and go.
  const placeOf = ({ raw }: GpuType) => placeNames.map((name) => new Fields(raw).get(name));
  const offers = new Set(items.map((gpu) => [gpuKey(gpu.type), ...placeOf(gpu)].join(" ")));
  const isPart = items.length === 0 || !isNamed || offers.size !== items.length;
  return { items, count: items.length, extent: isPart ? "part" : list.extent, around, headers };
}

/** Reads the availability of one type: its record, which need not repeat the type, or its records in a list. */
export function readGpuType(json: unknown, type: string): GpuType[] {
  const isThisType = (name: string) => gpuKey(name) === gpuKey(type);
  const list = gpuListIn(json, valueFields.availability) ?? { rows: [], around: [] };
  const matching = gpusIn(list).filter((gpu) => identifiersOf(gpu).some(isThisType));
  if (matching.length > 0) return matching.map((gpu) => ({ ...gpu, type }));
  const raw = unwrap(json) ?? {};
  const names = gpuNamesIn(raw);
  // An object without a list's name may be the record itself: its keys need not be types.
  const isList = (listIn(json, gpuListNames)?.rows.length ?? 0) > 0;
  if (isList || (names.length > 0 && !names.some(isThisType)))
    throw new UnreadableError("it is not about this GPU type");
  const byType = Object.fromEntries(Object.entries(raw).filter(([key]) => mayBeGpuTypes([key])));
  const isMap = Object.keys(raw).some(isThisType) || isMapByType(byType, valueFields.availability);
  // The other fields of a map are about all types.
  return [isMap && names.length === 0 ? { type, raw: { ...raw } } : gpuOf(raw, type)];
}

/** A type alone in a list gets the fields that maps beside the list have for it. */
function gpuListIn(json: unknown, field?: ValueField): Listing | undefined {
  const list = listIn(json, gpuListNames, (raw) => isMapByType(raw, field));
  if (!list) return undefined;
  const inMaps = list.others.filter(({ key }) => key !== undefined).map((row) => withField(row, field));
  const rows: Row[] = [];
  for (const row of list.rows) {
    const type = row.key === undefined ? text(row.value) : undefined;
    const matching = inMaps.filter(({ key = "" }) => type !== undefined && gpuKey(key) === gpuKey(type));
    const value = Object.assign({}, ...matching.map((each) => each.value), { gpu_type: type });
    rows.push(matching.length > 0 ? { value } : withField(row, field));
  }
  return { ...list, rows };
}

/** A row whose plain value, if it is one in a map, becomes a field. */
function withField(row: Row, field?: ValueField): Row {
  if (!field || row.key === undefined || isRecord(row.value)) return row;
  return { ...row, value: { [field[0]]: row.value } };
}

/** Whether an object is a map by GPU type: to records, or to values of one kind that are this field. */
function isMapByType(raw: Raw, field?: ValueField): boolean {
  const values = Object.values(raw);
  const isField = (value: unknown) => typeof value === typeof values[0] && field?.[1](value) !== undefined;
  return mayBeGpuTypes(Object.keys(raw)) && (values.every(isRecord) || values.every(isField));
}

const rawOf = ({ value }: Row) => object(value) ?? { name: value };

/** A generic id with the same value in each record may be that of a category: it counts only if there is no other name. */
function gpusIn({ rows, around }: Pick<Listing, "rows" | "around">): GpuType[] {
  const valuesOf = (name: string) => new Set(rows.map((row) => new Fields(rawOf(row)).get(name)));
  const distinct = genericIdNames.filter((name) => rows.length === 1 || valuesOf(name).size > 1);
  const names = [...gpuIdNames, ...distinct, ...gpuTitleNames, ...genericIdNames];
  const gpus: GpuType[] = [];
  for (const row of rows) {
    const { key } = row;
    const raw = rawOf(row);
    const type = key ?? new Fields(raw).first(names, gpuIdentifier);
    if (type === undefined) continue;
    const gpu = gpuOf(raw, type, around);
    if (key !== undefined) {
      // A record in a map may be about anything, and one that contains types is itself a map by type.
      const { type: _type, raw: _raw, name, ...details } = gpu;
      const fields = Object.keys(raw);
      const hasDigit = /\d/.test(key);
      const isNamed = hasDigit && (name !== undefined || fields.length === 0);
      const isDetailed = Object.keys(details).length > 0 && (hasDigit || !fields.some((each) => mayBeGpuTypes([each])));
      if (isFieldOrPlace(key) || !(isNamed || isDetailed)) continue;
    }
    gpus.push(gpu);
  }
  return gpus;
}

/** @param around The objects around the list, which may name a unit of all its prices. */
function gpuOf(raw: Raw, type: string, around: readonly Raw[] = []): GpuType {
  const fields = new Fields(raw);
  const isMachine = fields.entries().some(([name]) => machineWord.test(name));
  const memory = isMachine ? {} : fields.read(generalMemory);
  const total = stockIn(fields);
  const stock = total.available === undefined ? stockIn(new Fields(fields.get("cluster"))) : total;
  return defined({ type, ...memory, ...fields.read(gpuTable), ...priceIn(raw, around), ...stock, raw: { ...raw } });
}

function gpuNamesIn(raw: Raw): string[] {
  const fields = new Fields(raw);
  const found = [...typeNames, ...gpuTitleNames].map((name) => gpuIdentifier(fields.get(name)));
  return found.filter((each) => each !== undefined);
}

export function identifiersOf({ type, raw }: Pick<GpuType, "type" | "raw">): string[] {
  return [...new Set([type, ...gpuNamesIn(raw)])];
}

type Stock = Pick<GpuType, "available" | "availableCount">;

function stockIn(fields: Fields): Stock {
  const { available, soldOut, availableCount } = fields.read(stockTable);
  const isCounted = availableCount === undefined ? undefined : availableCount > 0;
  return defined({ available: soldOut === undefined ? (available ?? isCounted) : !soldOut, availableCount });
}

export type ListedPrice = Pick<GpuType, "pricePerHour" | "currency">;

export const tierIn = (raw: Raw) => text(new Fields(raw).get("tier"));

interface PriceField {
  readonly name: string;
  /** The words of its name, and of the names of the objects around it. */
  readonly words: readonly string[];
  readonly value: unknown;
}

/**
 * A name with unknown words (`spot_price`, `setup_fee`) is not read. The price of the tier takes precedence over others, then one
 * that names the hour, then the highest: no cluster may cost more than its preview says.
 */
export function priceIn(raw: Raw, around: readonly Raw[] = [], tier = tierIn(raw) ?? defaultTier): ListedPrice {
  const tierWords = plainName(tier).split("_");
  const fields = fieldsIn(raw, tierWords);
  const all = [...fields, ...around.flatMap((each) => fieldsIn(each, tierWords))];
  // Prices beside such a field have an unknown scale, or are for GPUs that can be taken away, or for a contract.
  const isConditional = ({ name, value }: PriceField) =>
    conditionalOffer.test(value === true ? name : plainName(text(value) ?? "")) || scaleNames.includes(name);
  if (all.some(isConditional)) return {};
  const isKnown = (word: string) => allPriceWords.has(word) || tierWords.includes(word);
  const isPrice = (words: readonly string[]) =>
    words.every(isKnown) && words.some((word) => priceWords.price.has(word));
  const prices = fields.filter(({ words, value }) => isPrice(words) && (number(value) ?? -1) >= 0);
  const isHourly = ({ words }: PriceField) => words.some((word) => priceWords.hour.has(word));
  // Another unit than an hour: `minute`, `24 hours`, `cents`, a number.
  const namesOtherUnit = all.some(({ name, value }) => {
    const unit = plainName(text(value) ?? "").split("_");
    return priceUnit.test(name) && (!unit.every((word) => allPriceWords.has(word)) || unit.includes("cents"));
  });
  const usable = namesOtherUnit ? prices.filter(isHourly) : prices;
  const isOfTier = ({ words }: PriceField) => tierWords.every((word) => words.includes(word));
  const rankOf = (price: PriceField) => (isOfTier(price) ? 2 : 0) + (isHourly(price) ? 1 : 0);
  const [best] = usable.sort((one, other) => rankOf(other) - rankOf(one) || amountOf(other) - amountOf(one));
  if (!best) return {};
  const inField = all.find(({ name, value }) => name === "currency" && text(value) !== undefined)?.value;
  const inName = best.words.find((word) => word === "usd" || word === "eur");
  const inValue = String(best.value).trim().startsWith("$") ? "usd" : undefined;
  const currency = text(inField) ?? inName ?? inValue;
  return defined({ pricePerHour: amountOf(best), currency: currency?.toUpperCase() });
}

/** The fields of a record, and those of the objects inside it that hold prices. */
function fieldsIn(raw: Raw, tierWords: readonly string[], outer: readonly string[] = []): PriceField[] {
  return new Fields(raw).entries().flatMap(([name, value]) => {
    const words = [...outer, ...name.split("_")];
    const isInside = isRecord(value) && words.every((word) => allPriceWords.has(word) || tierWords.includes(word));
    return isInside ? fieldsIn(value, tierWords, words) : [{ name, words, value }];
  });
}

/** Rounded, because 299 cents are 2.9900000000000002 otherwise. */
function amountOf({ words, value }: PriceField): number {
  return Number(((number(value) ?? 0) * (words.includes("cents") ? 0.01 : 1)).toPrecision(12));
}
