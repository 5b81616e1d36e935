import type { Client } from "../api/client";
import { joinGpus, mergeRows } from "../api/gpuMatch";
import { gpuKey } from "../api/names";
import { anyTypeKept } from "../cluster/preview/gpuType";
import { ApiError, GpuClusterError, isNotFound, withNotFoundAdvice } from "../errors";
import { listOf } from "../text";
import type {
  GetGpuAvailabilityArgs,
  GetGpuAvailabilityResult,
  GetGpuModelsResult,
  GetGpuPricingResult,
  GetGpuTypesForArgs,
  GetGpuTypesForResult,
  GetGpuTypesResult,
  GpuAvailability,
  GpuModel,
  GpuPrice,
  GpuType,
} from "../types";
import { argRules, flagArg, numberArg, textArg } from "./query";

/** The GPU types, with price and availability if the service shows them (specification, section 4, `/v1/gpus`). */
export async function getGpuTypes(client: Client): Promise<GetGpuTypesResult> {
  return { gpuTypes: (await client.listGpuTypes()).gpus };
}

export const getGpuTypesForRules = argRules({
  minMemoryGb: numberArg("a number of GB above 0, such as 80").optional(),
  maxPricePerHour: numberArg("a price above 0, such as 2.5").optional(),
  available: flagArg.optional(),
});

/** The most types that `gpuType` of a cluster takes. */
const mostTypes = 20;

/** The GPU types that fit, the cheapest first, for `gpuType` (specification, section 4, `/v1/gpus`). */
export async function getGpuTypesFor(client: Client, args: GetGpuTypesForArgs = {}): Promise<GetGpuTypesForResult> {
  const gpus = await wholeCatalog(client, args);
  const fitting = gpus.filter((gpu) => fits(gpu, args)).sort(byPrice);
  if (fitting.length === 0) throw new GpuClusterError(nothingFits(args));
  return { types: [...fitting.slice(0, mostTypes).map(({ type }) => type), anyTypeKept] };
}

/** Each GPU type once. Facts that the list of types does not show come from the list about this kind of facts. */
async function wholeCatalog(client: Client, { minMemoryGb, available }: GetGpuTypesForArgs): Promise<GpuType[]> {
  const { gpus } = await client.listGpuTypes();
  const facts = [
    { isMissing: ({ pricePerHour }: GpuType) => pricePerHour === undefined, read: client.listGpuPricing },
    {
      isMissing: ({ memoryGb }: GpuType) => minMemoryGb !== undefined && memoryGb === undefined,
      read: client.listGpuModels,
    },
    {
      isMissing: (gpu: GpuType) => available === true && gpu.available === undefined,
      read: client.listGpuAvailability,
    },
  ];
  const missing = facts.filter(({ isMissing }) => gpus.some(isMissing));
  const lists = await Promise.all(missing.map(({ read }) => orNone(read())));
  const keys = [...new Set(gpus.map(({ type }) => gpuKey(type)))];
  const once = keys.flatMap((key) => mergeRows(gpus.filter(({ type }) => gpuKey(type) === key)) ?? []);
  return joinGpus(once, ...lists);
}

/** A list that the service does not have shows nothing. Any other failure could change the order, so it is an error. */
async function orNone(list: Promise<{ readonly gpus: readonly GpuType[] }>): Promise<readonly GpuType[]> {
  try {
    return (await list).gpus;
  } catch (error) {
    if (error instanceof ApiError && isNotFound(error)) return [];
    throw error;
  }
}

function fits(gpu: GpuType, { minMemoryGb = 0, maxPricePerHour = Infinity, available }: GetGpuTypesForArgs): boolean {
  const isLarge = minMemoryGb === 0 || (gpu.memoryGb ?? 0) >= minMemoryGb;
  const isCheap = maxPricePerHour === Infinity || (gpu.pricePerHour ?? Infinity) <= maxPricePerHour;
  const isSoldOut = gpu.available === false || gpu.availableCount === 0;
  return isLarge && isCheap && !(available && isSoldOut);
}

function byPrice(a: GpuType, b: GpuType): number {
  const [first, second] = [a.pricePerHour ?? Infinity, b.pricePerHour ?? Infinity];
  if (first !== second) return first < second ? -1 : 1;
  return a.type < b.type ? -1 : 1;
}

function nothingFits({ minMemoryGb, maxPricePerHour, available }: GetGpuTypesForArgs): string {
  const needs = [
    minMemoryGb === undefined ? "" : `at least ${minMemoryGb} GB`,
    maxPricePerHour === undefined ? "" : `a price of at most ${maxPricePerHour} per hour`,
    available ? "stock" : "",
  ].filter(Boolean);
  return `getGpuTypesFor: the service lists no GPU type${needs.length > 0 ? ` with ${listOf(needs)}` : ""}; getGpuTypes() shows all`;
}

/** The GPU models (specification, section 4, `/v1/gpus/models`). */
export async function getGpuModels(client: Client): Promise<GetGpuModelsResult> {
  return { models: (await client.listGpuModels()).gpus.map(modelOf) };
}

/** Only the fields of this function; if the service shows more, `raw` contains the rest. */
function modelOf({ pricePerHour, currency, available, availableCount, ...model }: GpuType): GpuModel {
  return model;
}

/** The prices of the GPU types (specification, section 4, `/v1/gpus/pricing`). */
export async function getGpuPricing(client: Client): Promise<GetGpuPricingResult> {
  return { prices: (await client.listGpuPricing()).gpus.map(priceOf) };
}

/** Only the fields of this function; if the service shows more, `raw` contains the rest. */
function priceOf({ name, memoryGb, available, availableCount, ...price }: GpuType): GpuPrice {
  return price;
}

export const getGpuAvailabilityRules = argRules({
  // Blanks and dots alone would change the path.
  type: textArg('the identifier of a GPU type, such as "h100"; getGpuTypes() lists them', (type) =>
    /[^\s.]/.test(type),
  ).optional(),
});

/** The availability of GPU types (specification, section 4: `/v1/gpus/availability`, `/v1/gpus/:type/availability`). */
export async function getGpuAvailability(
  client: Client,
  { type }: GetGpuAvailabilityArgs = {},
): Promise<GetGpuAvailabilityResult> {
  const records = type === undefined ? (await client.listGpuAvailability()).gpus : [await availabilityOf(client, type)];
  return { availability: records.map(toAvailability) };
}

async function availabilityOf(client: Client, type: string): Promise<GpuType> {
  try {
    return await client.getGpuTypeAvailability(type);
  } catch (error) {
    throw withNotFoundAdvice(error, "getGpuTypes() lists the GPU types");
  }
}

/** Only the fields of this function; if the service shows more, `raw` contains the rest. */
function toAvailability({ name, memoryGb, pricePerHour, currency, ...availability }: GpuType): GpuAvailability {
  return availability;
}
